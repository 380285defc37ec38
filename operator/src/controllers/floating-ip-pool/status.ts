/** The status that a plan leaves, as one wish. Pure; what ended in between is in the snapshot that the plan was made of. */

import { type AddressStatus, type FloatingIPPoolStatus, MAX_ERROR } from "cdk8s-flipop/api";
import { isObserved } from "../../addresses/address-set.js";
import { retryOf } from "../../addresses/conditions.js";
import { jsonEqual } from "../../kube/equal.js";
import type { Condition } from "../../kube/patch.js";
import { cut, stamped } from "../../reconcile/conditions/planned-condition.js";
import { timeOf, timestamp } from "../../times.js";
import type { Plan } from "./plan.js";
import type { Snapshot } from "./snapshot.js";

/** Names that a status shows of each list. */
const NAMES_SHOWN = 50;

/** Fields of the status that every run decides on. `undefined` takes one away. */
export interface StatusPatch {
  readonly observedGeneration?: number;
  readonly ips: Readonly<Record<string, AddressStatus>>;
  readonly assignableNodes?: readonly string[];
  readonly nodeErrors?: readonly string[];
  readonly error: string | undefined;
  readonly retryAt: string | undefined;
  readonly counts?: FloatingIPPoolStatus["counts"];
  readonly lastAssignmentTime?: string;
  readonly conditions: readonly Condition[];
}

export function statusPatchOf(snapshot: Snapshot, plan: Plan): StatusPatch {
  const { generation } = snapshot.pool.metadata;
  const ips = Object.fromEntries(plan.addresses.map(({ ip, status }) => [ip, shortened(status)]));
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ips,
    ...(isObserved(snapshot) ? observations(snapshot, plan) : {}),
    ...acceptedLater(snapshot),
    error: errorOf(plan),
    retryAt: retryOf(snapshot, plan.missing),
    conditions: conditions(snapshot, plan),
  };
}

/** Whether nothing differs but who waits for an address: that alone is written seldom. */
export function differsInCandidatesAlone(seen: FloatingIPPoolStatus, desired: StatusPatch): boolean {
  const counts = (desired.counts ?? seen.counts) && { ...desired.counts, candidates: seen.counts?.candidates };
  const told = {
    ...desired,
    counts,
    assignableNodes: seen.assignableNodes,
    conditions: desired.conditions.map(withoutText),
  };
  const before = Object.fromEntries(Object.keys(told).map((field) => [field, seen[field as keyof typeof seen]]));
  const beforeTold = { ...before, conditions: (seen.conditions ?? []).map(withoutText) };
  return jsonEqual(beforeTold, told);
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

function conditions({ pool, now }: Snapshot, plan: Plan): readonly Condition[] {
  return stamped([...plan.conditions, ...outlived(pool.status, plan)], { now, generation: pool.metadata.generation });
}

/** A condition of the last status that does not apply any more: nobody shall read the old one as true. */
function outlived({ conditions: seen = [] }: FloatingIPPoolStatus, { conditions: planned }: Plan): Plan["conditions"] {
  const known = new Set<string>(planned.map(({ type }) => type));
  if (known.has("DNSReady") || !seen.some(({ type }) => type === "DNSReady")) return [];
  return [{ type: "DNSReady", status: "Unknown", reason: "NotObserved", message: "spec has no dnsRecordSet" }];
}

function shortened(status: AddressStatus): AddressStatus {
  return status.error === undefined ? status : { ...status, error: cut(status.error, MAX_ERROR) };
}

function withoutText({ type, status, reason, observedGeneration }: Condition) {
  return { type, status, reason, observedGeneration };
}
