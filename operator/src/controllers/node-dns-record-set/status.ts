/** What a run leaves behind: the status as one wish, Events, the metric. Pure. */

import { type Condition, MAX_ERROR, type NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import type { EventInput } from "../../kube/events.js";
import { cut, type PlannedCondition, stamped } from "../planned-condition.js";
import type { Step } from "./execute.js";
import type { Plan } from "./plan.js";
import type { Snapshot } from "./snapshot.js";

/** All fields of the status; `undefined` takes one away. */
export type StatusWish = { readonly [K in keyof NodeDNSRecordSetStatus]-?: NodeDNSRecordSetStatus[K] | undefined };

/** `undefined`: nothing is known yet, and an older process may have known more. */
export function statusWish({ resource, now, cachesComplete, problem }: Snapshot, plan: Plan): StatusWish | undefined {
  const { metadata, status } = resource;
  if (!cachesComplete && problem === undefined && status.conditions !== undefined) return undefined;
  const { generation } = metadata;
  return {
    observedGeneration: generation,
    state: plan.state,
    error: plan.error === undefined ? undefined : cut(plan.error, MAX_ERROR),
    addresses: plan.addresses,
    dns: status.dns,
    counts: plan.counts,
    conditions: stamped(plan.conditions, { now, generation }),
  };
}

export type Telling = Pick<EventInput, "type" | "reason" | "action" | "note">;

/** What was done. A refusal is told with the condition that it turns. */
export function tellingsOf(steps: readonly Step[], sentence: string): readonly Telling[] {
  return steps.flatMap(({ action, outcome }): readonly Telling[] => {
    if (outcome.is !== "done") return [];
    if (action.do === "remove-finalizer" && action.leftBehind.length > 0) {
      const note = `${action.why}; still there, and yours to remove: ${action.leftBehind.join("; ")}`;
      return [{ type: "Warning", reason: "LeftBehind", action: "CleanUp", note }];
    }
    if (action.do !== "apply-records") return [];
    const { fqdn, before, after } = action.changes;
    const cause = sentence === "" ? "" : ` (${sentence})`;
    const note = `${fqdn}: ${listed(before)} -> ${listed(after)}${cause}`;
    return [{ type: "Normal", reason: "RecordsChanged", action: "ChangeRecords", note }];
  });
}

/** Conditions that have turned bad, or good again, since the last status. */
export function turnsOf(seen: readonly Condition[] = [], planned: readonly PlannedCondition[]): readonly Telling[] {
  return planned.flatMap(({ type, status, reason, message }): readonly Telling[] => {
    const before = seen.find((condition) => condition.type === type);
    const bad = isBad({ type, status });
    const was = before !== undefined && isBad(before) ? before.reason : undefined;
    if (bad && was !== reason) return [{ type: "Warning", reason, action: "Observe", note: `${type}: ${message}` }];
    const good = was !== undefined && !bad && status !== "Unknown" && type === "DNSReady";
    return good ? [{ type: "Normal", reason: "DNSReady", action: "Observe", note: message }] : [];
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

function isBad({ type, status }: Pick<Condition, "type" | "status">): boolean {
  return status === (type === "Conflict" ? "True" : "False");
}

/** An Event's note holds 1,024 bytes. */
const LISTED = 12;

function listed(values: readonly string[]): string {
  if (values.length === 0) return "nothing";
  const more = values.length > LISTED ? ` and ${values.length - LISTED} more` : "";
  return `${values.slice(0, LISTED).join(", ")}${more}`;
}
