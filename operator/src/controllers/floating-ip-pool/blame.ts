/** Whose fault it is that an address did not get to its node. Pure. */

import type { ProviderId } from "../../providers/types.js";
import { NODE_FAULTS } from "../addresses/node-faults.js";
import type { ActionFailure } from "../addresses/outcomes.js";
import type { Action } from "./actions.js";
import { type ChainEnd, failureOf } from "./chain-end.js";
import { goalOfAction } from "./subject.js";

/** The node that an address did not get to, where the node is to blame. */
export function faultyNode({ steps }: ChainEnd, { detail, kind, noMachine }: ActionFailure): ProviderId | undefined {
  const action = steps.at(-1)?.action;
  const goal = action && goalOfAction(action);
  if (action === undefined || goal === undefined) return undefined;
  if (detail !== undefined && NODE_FAULTS.has(detail)) return goal.node;
  // There is no address yet that could be missing.
  const creating = kind === "NotFound" && action.do === "create-address";
  return noMachine === true || creating ? goal.node : undefined;
}

/**
 * What is not found is the machine, unless the address is gone: then the failure says so.
 * @param exists whether the provider still has the address.
 */
export function blamed(end: ChainEnd, exists: (ip: string) => boolean): ChainEnd {
  const last = end.steps.at(-1);
  const failure = failureOf(end);
  if (last?.action.do !== "assign" || failure?.kind !== "NotFound" || !exists(last.action.ip)) return end;
  const outcome = { is: "refused", failure: { ...failure, noMachine: true, problem: noMachine(last.action) } } as const;
  return { ...end, steps: [...end.steps.slice(0, -1), { action: last.action, outcome }] };
}

function noMachine({ node: { name, machine } }: Extract<Action, { readonly do: "assign" }>) {
  const message = `node ${name}: the provider has no machine ${machine}; correct the node's providerID, or delete the node`;
  return { reason: "NoCandidate", message } as const;
}
