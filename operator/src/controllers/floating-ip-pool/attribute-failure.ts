/** Attributes a failure to the node that an address did not reach. Pure. */

import { assignOutcome, isMachineFault } from "../../addresses/calls/missing-machine.js";
import type { ActionFailure } from "../../addresses/calls/outcomes.js";
import { goalOfAction } from "../../addresses/lock-key.js";
import type { ProviderId } from "../../providers/types.js";
import { type ActionResult, failureOf } from "./action-result.js";

/** The target node of the last action, if the failure concerns that node. */
export function faultyNode({ steps }: ActionResult, failure: ActionFailure): ProviderId | undefined {
  const action = steps.at(-1)?.action;
  const goal = action && goalOfAction(action);
  if (action === undefined || goal === undefined) return undefined;
  // There is no address yet that could be missing.
  const creating = failure.kind === "NotFound" && action.do === "create-address";
  return isMachineFault(failure) || creating ? goal.node : undefined;
}

/** @param exists whether the provider still has the address */
export function attributeFailure(end: ActionResult, exists: (ip: string) => boolean): ActionResult {
  const last = end.steps.at(-1);
  if (last?.action.do !== "assign" || failureOf(end) === undefined) return end;
  const outcome = assignOutcome(last.outcome, last.action, exists);
  return outcome === last.outcome ? end : { ...end, steps: [...end.steps.slice(0, -1), { ...last, outcome }] };
}
