/** Distinguishes a vanished machine from a vanished address after an assign call that found nothing. Pure. */

import type { ProviderId } from "../../providers/types.js";
import { NODE_FAULTS } from "./node-faults.js";
import type { ActionFailure, Outcome } from "./outcomes.js";

interface Target {
  readonly ip: string;
  readonly node: { readonly name: string; readonly machine: ProviderId };
}

/**
 * The outcome of an assign call. A 404 means that the machine is missing while the provider still has the address.
 * @param exists whether the provider still has the address
 */
export function assignOutcome(outcome: Outcome, { ip, node }: Target, exists: (ip: string) => boolean): Outcome {
  if (outcome.is !== "refused" || outcome.failure.kind !== "NotFound" || !exists(ip)) return outcome;
  const message = `node ${node.name}: the provider has no machine ${node.machine}; correct the node's providerID, or delete the node`;
  const problem = { reason: "NoCandidate", message } as const;
  return { is: "refused", failure: { ...outcome.failure, noMachine: true, problem } };
}

/** Whether the failure concerns the target machine, so that another node may have the address at once. */
export function isMachineFault({ detail, noMachine }: ActionFailure): boolean {
  return noMachine === true || (detail !== undefined && NODE_FAULTS.has(detail));
}
