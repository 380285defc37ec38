/** What a run leaves behind: the status as one wish, Events, the metric. Pure. */

import { type Condition, MAX_ERROR, type NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import { cut, isBad, type PlannedCondition, stamped } from "../planned-condition.js";
import { leftBehind, normal, recordsText, type Telling, warning } from "../telling.js";
import type { Step } from "./execute.js";
import { retryOf } from "./failure.js";
import type { Plan } from "./plan.js";
import type { Snapshot } from "./snapshot.js";

/** All fields of the status; `undefined` takes one away. */
export type StatusWish = { readonly [K in keyof NodeDNSRecordSetStatus]-?: NodeDNSRecordSetStatus[K] | undefined };

/** `undefined`: nothing is known yet, and an older process may have known more. */
export function statusWish(snapshot: Snapshot, plan: Plan): StatusWish | undefined {
  const { resource, now, cachesComplete, problem } = snapshot;
  const { metadata, status } = resource;
  if (!cachesComplete && problem === undefined && status.conditions !== undefined) return undefined;
  const { generation } = metadata;
  return {
    observedGeneration: generation,
    state: plan.state,
    error: plan.error === undefined ? undefined : cut(plan.error, MAX_ERROR),
    retryAt: retryOf(snapshot),
    addresses: plan.addresses,
    dns: status.dns,
    counts: plan.counts,
    conditions: stamped(plan.conditions, { now, generation }),
  };
}

/** What was done. A refusal is told with the condition that it turns. */
export function tellingsOf(steps: readonly Step[], sentence: string): readonly Telling[] {
  return steps.flatMap(({ action, outcome }): Telling | readonly Telling[] => {
    if (outcome.is !== "done") return [];
    if (action.do === "remove-finalizer") return leftBehind(action.leftBehind, action.why) ?? [];
    if (action.do !== "apply-records") return [];
    const cause = sentence === "" ? "" : ` (${sentence})`;
    return [normal("RecordsChanged", "ChangeRecords", `${recordsText(action.changes)}${cause}`)];
  });
}

/** Conditions that have turned bad, or good again, since the last status. */
export function turnsOf(seen: readonly Condition[] = [], planned: readonly PlannedCondition[]): readonly Telling[] {
  return planned.flatMap(({ type, status, reason, message }): readonly Telling[] => {
    const before = seen.find((condition) => condition.type === type);
    const bad = isBad({ type, status, reason });
    const was = before !== undefined && isBad(before) ? before.reason : undefined;
    if (bad && was !== reason) return [warning(reason, "Observe", `${type}: ${message}`)];
    const good = was !== undefined && !bad && status !== "Unknown" && type === "DNSReady";
    return good ? [normal("DNSReady", "Observe", message)] : [];
  });
}

/** Ready and DNSReady often say the same: once is enough. */
export function withoutRepeats(tellings: readonly Telling[]): readonly Telling[] {
  const seen = new Set<string>();
  return tellings.filter(({ reason, type }) => {
    const again = seen.has(`${type} ${reason}`) && reason !== "RecordsChanged";
    seen.add(`${type} ${reason}`);
    return !again;
  });
}
