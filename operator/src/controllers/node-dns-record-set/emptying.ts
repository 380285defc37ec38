/** Step 4: when a set may become empty. Only nodes that are gone for good, never an outage. */

import { isSameName } from "../records/record-chain.js";
import type { Publication } from "./publication.js";
import type { Snapshot } from "./snapshot.js";
import type { Wish } from "./wish.js";

/** So long must no node object have the labels. */
const PATIENCE_MS = 5 * 60_000;
/** While the API server is out of reach, nobody knows. */
const RECONNECT_MS = 10_000;

/** `keep`: what is published stays. `wait`: look again then. `empty`: now. */
export type Emptying =
  | { readonly what: "keep" }
  | { readonly what: "wait"; readonly until: number }
  | { readonly what: "empty" };

const KEEP: Emptying = { what: "keep" };

export function emptyingOf(snapshot: Snapshot, wish: Wish, { values, stale }: Publication): Emptying {
  const { resource, noNode, now } = snapshot;
  if (resource.spec.emptyPolicy !== "Delete" || noNode === undefined) return KEEP;
  // Somebody is still published, or nothing was ever written here: records of others are not ours to delete.
  const { dns } = resource.status;
  if (values.length > stale.length || dns === undefined) return KEEP;
  if (!isSameName(dns, { ...wish.recordSet, provider: wish.provider })) return KEEP;
  const until = noNode.since + PATIENCE_MS;
  if (now < until) return { what: "wait", until };
  return noNode.connected ? { what: "empty" } : { what: "wait", until: now + RECONNECT_MS };
}
