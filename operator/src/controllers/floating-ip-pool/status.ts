/** The status that a plan leaves, all fields but the conditions. Pure; what ended in between is in the snapshot that the plan was made of. */

import { type AddressStatus, type FloatingIPPoolStatus, MAX_ERROR } from "cdk8s-flipop/api";
import { isObserved } from "../../addresses/address-set.js";
import { retryOf } from "../../addresses/conditions.js";
import { CANDIDATES_WRITE_MS } from "../../bounds.js";
import { jsonEqual } from "../../kube/equal.js";
import { type Condition, statusPatch } from "../../kube/patch.js";
import { omitUndefined } from "../../omit-undefined.js";
import { cut } from "../../reconcile/conditions/planned-condition.js";
import type { StatusFields } from "../../reconcile/plan.js";
import { timeOf, timestamp } from "../../times.js";
import type { Plan } from "./plan.js";
import type { Snapshot } from "./snapshot.js";

/** Names that a status shows of each list. */
const NAMES_SHOWN = 50;

/** `undefined` removes a field; one that is absent stays. */
export type StatusPatch = {
  readonly observedGeneration?: number;
  readonly ips: Readonly<Record<string, AddressStatus>>;
  readonly assignableNodes?: readonly string[];
  readonly nodeErrors?: readonly string[];
  readonly error: string | undefined;
  readonly retryAt: string | undefined;
  readonly counts?: FloatingIPPoolStatus["counts"];
  readonly lastAssignmentTime?: string;
};

export function statusOf(snapshot: Snapshot, plan: Plan): StatusPatch {
  const { generation } = snapshot.pool.metadata;
  const ips = Object.fromEntries(plan.addresses.map(({ ip, status }) => [ip, shortened(status)]));
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ips,
    ...(isObserved(snapshot) ? observations(snapshot, plan) : {}),
    ...acceptedLater(snapshot),
    error: errorOf(plan),
    retryAt: retryOf(snapshot, plan.missing),
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
function acceptedLater({ pool, memory: { lastAssignmentAt } }: Snapshot): Pick<StatusPatch, "lastAssignmentTime"> {
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
  const bad = planned.find(({ type, status }) => type === "Ready" && status === "False");
  const dns = planned.find(
    ({ type, status, reason }) => type === "DNSReady" && status === "False" && reason !== "KeptLastKnown",
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
