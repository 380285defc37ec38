/** The Events of a NodeDNSRecordSet: of finished actions, of conditions that have turned, and of records that stay after a deletion. */

import type { Condition } from "../../kube/write/patch.js";
import { abandoned, conditionEvent, eventMessages } from "../../messages/events.js";
import type { EventMessage } from "../../messages/message.js";
import { isBad, type PlannedCondition } from "../../reconcile/conditions.js";
import type { SequenceResult } from "../../reconcile/plan.js";
import { recordsRecorded, recordsRetained, recordsWritten } from "../../records/record-events.js";
import { halfChangeText, type Plan } from "./plan.js";
import type { Action, NodeRecordSet, Snapshot } from "./resource.js";

/** What stays of a record set that is gone. */
export function retainedBy({ spec, status }: NodeRecordSet): readonly EventMessage[] {
  return recordsRetained({ ...status, dnsRecordSet: spec.dnsRecordSet });
}

/** What was done. A refusal is reported with the condition that it turns. */
export function eventsOf(snapshot: Snapshot, made: Plan, { results }: SequenceResult<Action>): readonly EventMessage[] {
  return results.flatMap(({ action, outcome }): EventMessage | readonly EventMessage[] => {
    if (outcome.is !== "done") return [];
    if (action.do === "remove-finalizer") return abandoned(action.abandonedItems, action.why) ?? [];
    if (action.do === "record-dns")
      return recordsRecorded(action, (changed) => halfChangeText(snapshot, made, changed)) ?? [];
    if (action.do !== "apply-records") return [];
    return [recordsWritten({ ...action, cause: action.cause ?? made.explanation })];
  });
}

/** Conditions that have turned bad, or good again, since the last status. */
export function conditionEvents(
  seen: readonly Condition[],
  planned: readonly PlannedCondition[],
): readonly EventMessage[] {
  return withoutRepeats(planned.flatMap((condition) => eventOfTurn(seen, condition)));
}

function eventOfTurn(
  seen: readonly Condition[],
  { type, status, reason, message }: PlannedCondition,
): readonly EventMessage[] {
  const before = seen.find((condition) => condition.type === type);
  const bad = isBad({ type, status, reason });
  const was = before !== undefined && isBad(before) ? before.reason : undefined;
  if (bad && was !== reason) return [conditionEvent({ reason, message }, "Observe", type)];
  const good = was !== undefined && !bad && status !== "Unknown" && type === "DNSReady";
  return good ? [eventMessages.recordsReady({ message })] : [];
}

/** Ready and DNSReady often say the same: once is enough. */
function withoutRepeats(messages: readonly EventMessage[]): readonly EventMessage[] {
  const seen = new Set<string>();
  return messages.filter(({ reason, type }) => {
    const again = seen.has(`${type} ${reason}`) && reason !== "RecordsChanged";
    seen.add(`${type} ${reason}`);
    return !again;
  });
}
