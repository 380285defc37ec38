/** What the end of an action changes in the status entry of its address, before the plan reads it again. Pure. */

import type { AddressStatus } from "cdk8s-flipop/api";
import type { AddressAction, PlannedAction } from "../../addresses/actions.js";
import type { ActionFailure, Outcome } from "../../addresses/calls/outcomes.js";
import type { ActionResult } from "../../reconcile/plan.js";
import { timestamp } from "../../times.js";

export interface StatusChange {
  readonly ip: string;
  readonly status: AddressStatus;
}

/**
 * @param was the entry as it is known by now.
 * @param retryAt ms since the epoch: when the address may be tried again, where the action failed. What the account
 * failed is not kept: it is tried when the account answers again.
 */
export function statusChangeOf(
  { action, outcome }: ActionResult<PlannedAction>,
  was: AddressStatus,
  retryAt: number,
): StatusChange | undefined {
  switch (action.do) {
    case "assign":
      return { ip: action.ip, status: assigned(action, outcome, { was, retryAt }) ?? was };
    case "unassign":
      return { ip: action.ip, status: unassigned(outcome, { was, retryAt }) };
    case "poll":
      return { ip: action.ip, status: polled(outcome, { was, retryAt }) };
    default:
      return undefined;
  }
}

interface Before {
  readonly was: AddressStatus;
  readonly retryAt: number;
}

function assigned(
  { node }: Extract<AddressAction, { readonly do: "assign" }>,
  outcome: Outcome,
  { was, retryAt }: Before,
): AddressStatus | undefined {
  const target = { state: "in-progress", nodeName: node.name, providerID: node.machine } as const;
  if (outcome.is === "done") return target;
  if (outcome.is === "started") return { ...target, ...graceOf(was), actionID: outcome.id };
  return outcome.is === "refused" ? failed(outcome.failure, { was, retryAt }) : undefined;
}

function unassigned(outcome: Outcome, { was, retryAt }: Before): AddressStatus {
  const disabled = was.state === "disabled";
  if (outcome.is === "done") return withoutAction(was);
  if (outcome.is === "started") {
    return disabled ? { ...was, actionID: outcome.id } : { state: "in-progress", actionID: outcome.id };
  }
  return outcome.is === "refused" && !disabled ? failed(outcome.failure, { was, retryAt }) : was;
}

/** Still running: as it was. */
function polled(outcome: Outcome, { was, retryAt }: Before): AddressStatus {
  if (outcome.is === "done") return withoutAction(was);
  if (outcome.is !== "refused") return was;
  return was.state === "disabled" ? withoutAction(was) : failed(outcome.failure, { was, retryAt });
}

/** Where it is, the plan says; the node that it did not get to is not among it. */
function failed({ problem, ofAccount }: ActionFailure, { was, retryAt }: Before): AddressStatus {
  const { reason, message } = problem;
  const wait = ofAccount === true ? {} : { retryAt: timestamp(retryAt) };
  return { ...graceOf(was), state: "error", reason, error: message, ...wait };
}

function graceOf({ graceSince }: AddressStatus): AddressStatus {
  return graceSince === undefined ? {} : { graceSince };
}

function withoutAction({ actionID: _action, error: _error, ...rest }: AddressStatus): AddressStatus {
  return rest;
}
