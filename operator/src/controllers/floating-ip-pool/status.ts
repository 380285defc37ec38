/**
 * The status that a plan leaves, all fields but the conditions, and what the end of an action changes in the status entry of
 * its address, before the plan reads it again. Pure.
 */

import { type AddressStatus, type FloatingIPPoolStatus, MAX_ERROR } from "cdk8s-flipop/api";
import type { AddressAction, PlannedAction } from "../../addresses/actions.js";
import { isObserved } from "../../addresses/address-set.js";
import type { ActionFailure, Outcome } from "../../addresses/call-outcomes.js";
import { retryOf } from "../../addresses/conditions.js";
import { shownMarks } from "../../addresses/marks/holder-labels-and-taints.js";
import { timeOf, timestamp } from "../../clock.js";
import { shownProbes } from "../../health/probes-for-controllers.js";
import { jsonEqual } from "../../kube/objects.js";
import { type Condition, statusPatch } from "../../kube/write/patch.js";
import { cut, lacksAddress } from "../../reconcile/conditions.js";
import type { ActionResult, StatusFields } from "../../reconcile/plan.js";
import { CANDIDATES_WRITE_MS } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import { accountToRecord } from "./account-on-record.js";
import type { Plan } from "./plan.js";
import type { Snapshot } from "./snapshot.js";

/** Names that a status shows of each list. */
const NAMES_SHOWN = 50;

/** `undefined` removes a field; one that is absent stays. */
type PlannedStatus = {
  readonly observedGeneration?: number;
  readonly ips: Readonly<Record<string, AddressStatus>>;
  readonly assignableNodes?: readonly string[];
  readonly nodeErrors?: readonly string[];
  readonly failedProbes: FloatingIPPoolStatus["failedProbes"] | undefined;
  readonly account: string | undefined;
  readonly error: string | undefined;
  readonly retryAt: string | undefined;
  readonly holderLabel: string | undefined;
  readonly untilAssignedTaint: string | undefined;
  readonly counts?: FloatingIPPoolStatus["counts"];
  readonly lastAssignmentTime?: string;
};

export function statusOf(snapshot: Snapshot, plan: Plan): PlannedStatus {
  const { generation } = snapshot.pool.metadata;
  const ips = Object.fromEntries(plan.addresses.map(({ ip, status }) => [ip, shortened(status)]));
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ips,
    ...(isObserved(snapshot) ? observations(snapshot, plan) : {}),
    ...acceptanceTime(snapshot),
    failedProbes: shownProbes(snapshot),
    account: accountToRecord(snapshot, plan.addresses),
    error: errorOf(plan),
    retryAt: retryOf(snapshot, plan.missing),
    ...shownMarks(snapshot),
  };
}

/** ms that a change of candidates alone has to wait: it is written seldom. */
export function holdMs(seen: StatusFields, fields: StatusFields, sinceLastMs: number): number | undefined {
  if (sinceLastMs >= CANDIDATES_WRITE_MS || !differsInCandidatesAlone(seen, fields)) return undefined;
  const same = statusPatch({ metadata: { resourceVersion: "" }, status: seen }, { ...fields }) === undefined;
  return same ? undefined : CANDIDATES_WRITE_MS - sinceLastMs;
}

/** Whether nothing differs but who waits for an address. */
export function differsInCandidatesAlone(seen: FloatingIPPoolStatus, fields: FloatingIPPoolStatus): boolean {
  const names = Object.keys(fields) as (keyof FloatingIPPoolStatus)[];
  const before: FloatingIPPoolStatus = Object.fromEntries(names.map((field) => [field, seen[field]]));
  return jsonEqual(withoutCandidates(before), withoutCandidates(fields));
}

function withoutCandidates({ assignableNodes: _nodes, counts, conditions = [], ...fields }: FloatingIPPoolStatus) {
  const { candidates: _candidates, ...others } = counts ?? {};
  return { ...fields, counts: others, conditions: conditions.map(withoutText) };
}

/** What the CRD of the Go operator keeps. */
export function forOlderCrd({ ips = {}, assignableNodes, nodeErrors, error }: FloatingIPPoolStatus): StatusFields {
  const entries = Object.entries(ips).map(([ip, { state, nodeName, providerID, error: text }]) => {
    return [ip, { state, nodeName, providerID, error: text }];
  });
  return { ips: Object.fromEntries(entries), ...omitUndefined({ assignableNodes, nodeErrors }), error };
}

/** What was recorded before the call says when it was sent; it was accepted a moment later. */
function acceptanceTime({ pool, memory: { lastAssignmentAt } }: Snapshot): Pick<PlannedStatus, "lastAssignmentTime"> {
  const recorded = timeOf(pool.status.lastAssignmentTime);
  if (lastAssignmentAt === undefined || recorded === undefined || lastAssignmentAt <= recorded) return {};
  return { lastAssignmentTime: timestamp(lastAssignmentAt) };
}

function observations(snapshot: Snapshot, { waiting, counts }: Plan) {
  const { nodeRetryAt } = snapshot.memory;
  const names = [...nodeRetryAt.keys()].flatMap((machine) => snapshot.verdictOf(machine)?.node.name ?? []);
  return {
    assignableNodes: waiting.slice(0, NAMES_SHOWN),
    nodeErrors: [...new Set(names)].sort().slice(0, NAMES_SHOWN),
    counts,
  };
}

/** What is wrong with the spec or the provider, else with an address. */
function errorOf({ conditions: planned }: Plan): string | undefined {
  const bad = planned.find(({ type, status }) => type === "Accepted" && status === "False");
  const dns = planned.find(
    (each) => each.type === "DNSReady" && each.status === "False" && !lacksAddress(each) && each.reason !== "Paused",
  );
  const text = bad?.message ?? dns?.message;
  return text === undefined ? undefined : cut(text, MAX_ERROR);
}

function shortened(status: AddressStatus): AddressStatus {
  return status.error === undefined ? status : { ...status, error: cut(status.error, MAX_ERROR) };
}

function withoutText({ type, status, reason, observedGeneration }: Condition) {
  return { type, status, reason, observedGeneration };
}

interface StatusChange {
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

/** Leaves out the node: the move failed, and the next plan fills in the real holder. */
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
