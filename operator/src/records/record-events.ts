/** The Events of record sets. Pure, and the same for all kinds. */

import { eventMessages, type RecordChange, type RecordsLeft } from "../messages/events.js";
import type { EventMessage } from "../messages/message.js";

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
  const change = { ...changes, ...(since && { before: since }) };
  if (replaced.length > 0) return eventMessages.recordsReplaced({ ...change, replaced });
  return eventMessages.recordsChanged({ ...change, cause });
}

/** The status names another record set, or what a change that ended half-way has left. */
export function recordsRecorded({ left, changed }: RecordsRecorded): EventMessage | undefined {
  return changed === undefined ? recordsRetained(left)[0] : eventMessages.recordsChanged(changed);
}

/** Of a resource that is gone, or names another record set now. @param dns what its status said last */
export function recordsRetained(dns: RecordsLeft | undefined, policy?: string): readonly EventMessage[] {
  if (dns === undefined || dns.values.length === 0 || policy === "Delete") return [];
  return [dns.unseen === true ? eventMessages.recordsUnseen(dns) : eventMessages.recordsRetained(dns)];
}
