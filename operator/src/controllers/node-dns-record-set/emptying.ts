/** Step 4: when a set may become empty. Only nodes that are gone for good, never an outage. */

import { RECORDS_EMPTY_AFTER_MS, RECORDS_RECONNECT_MS } from "../../bounds.js";
import { isSameName } from "../../records/record-sequence.js";
import type { Publication } from "./publication.js";
import type { Snapshot } from "./snapshot.js";
import type { Desired } from "./wish.js";

/** `keep`: what is published stays. `wait`: look again then. `empty`: now. */
export type Emptying =
  | { readonly what: "keep" }
  | { readonly what: "wait"; readonly until: number }
  | { readonly what: "empty" };

const KEEP: Emptying = { what: "keep" };

export function emptyingOf(snapshot: Snapshot, desired: Desired, { values, stale }: Publication): Emptying {
  const { resource, noNode, now } = snapshot;
  if (resource.spec.emptyPolicy !== "Delete" || noNode === undefined) return KEEP;
  // Somebody is still published, or nothing was ever written here: records of others are not ours to delete.
  const { dns } = resource.status;
  if (values.length > stale.length || dns === undefined) return KEEP;
  if (!isSameName(dns, { ...desired.recordSet, provider: desired.provider })) return KEEP;
  const until = noNode.since + RECORDS_EMPTY_AFTER_MS;
  if (now < until) return { what: "wait", until };
  return noNode.connected ? { what: "empty" } : { what: "wait", until: now + RECORDS_RECONNECT_MS };
}
