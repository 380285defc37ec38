/** What people should know of a record set. Pure. */

import type { Condition } from "../../kube/write/patch.js";
import {
  abandonedItems,
  type EventMessage,
  normal,
  recordsText,
  warning,
} from "../../reconcile/conditions/event-message.js";
import { isBad, type PlannedCondition } from "../../reconcile/conditions/planned-condition.js";
import type { SequenceResult } from "../../reconcile/plan.js";
import type { Action } from "./planned-actions.js";

/** Once, when the API server begins to drop fields of the status. */
export const OLDER_CRD: EventMessage = warning(
  "CRDTooOld",
  "WriteStatus",
  "the API server drops most of the status: apply the CRDs of this release; the records are still written",
);

/** What was done. A refusal is reported with the condition that it turns. */
export function eventsOf({ results }: SequenceResult<Action>, explanation: string): readonly EventMessage[] {
  return results.flatMap(({ action, outcome }): EventMessage | readonly EventMessage[] => {
    if (outcome.is !== "done") return [];
    if (action.do === "remove-finalizer") return abandonedItems(action.abandonedItems, action.why) ?? [];
    if (action.do !== "apply-records") return [];
    const cause = explanation === "" ? "" : ` (${explanation})`;
    return [normal("RecordsChanged", "ChangeRecords", `${recordsText(action.changes)}${cause}`)];
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
  if (bad && was !== reason) return [warning(reason, "Observe", `${type}: ${message}`)];
  const good = was !== undefined && !bad && status !== "Unknown" && type === "DNSReady";
  return good ? [normal("DNSReady", "Observe", message)] : [];
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
