/** The Events of record sets. Pure, and the same for all kinds. */

import { eventMessages, type RecordChange } from "../messages/events.js";
import type { EventMessage } from "../messages/message.js";
import type { RecordsLeft } from "../messages/records.js";
import { sameTexts } from "../values.js";
import { setsToKeep, type WrittenSets } from "./begun-records.js";

interface RecordsWritten {
  readonly changes: RecordChange;
  readonly cause?: string | undefined;
  /** See `DnsAction`. */
  readonly since?: readonly string[];
  readonly replaced?: readonly string[];
}

/** See `RecordDns`. */
interface RecordsRecorded {
  readonly left?: RecordsLeft;
  readonly changed?: RecordChange;
}

/** A change of a record set. */
export function recordsWritten({ changes, cause, since, replaced = [] }: RecordsWritten): EventMessage {
  // Records that are back as they were had gone meanwhile, so what the last call found shows more.
  const isBack = since === undefined || sameTexts(since, changes.after);
  const change = isBack ? changes : { ...changes, before: since };
  if (replaced.length > 0) return eventMessages.recordsReplaced({ ...change, replaced });
  return eventMessages.recordsChanged({ ...change, cause });
}

/** The status names another record set, or what a change that ended half-way has left. @param causeOf of the latter */
export function recordsRecorded(
  { left, changed }: RecordsRecorded,
  causeOf?: (changed: RecordChange) => string,
): EventMessage | undefined {
  if (changed === undefined) return leftAt(left)[0];
  return eventMessages.recordsChanged({ ...changed, cause: causeOf?.(changed) });
}

/** Of a resource that is gone. @param written as its spec and its status said last */
export function recordsRetained(written: WrittenSets): readonly EventMessage[] {
  return setsToKeep(written).flatMap(leftAt);
}

function leftAt(left: RecordsLeft | undefined): readonly EventMessage[] {
  if (left === undefined || left.values.length === 0) return [];
  if (left.foreign === true) return [eventMessages.recordsForeign(left)];
  return [left.unseen === true ? eventMessages.recordsUnseen(left) : eventMessages.recordsRetained(left)];
}
