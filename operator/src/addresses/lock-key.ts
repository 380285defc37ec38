/** What a chain is about: two chains of one subject never run at once. */

import type { ProviderId } from "../providers/types.js";
import type { Action, ActionSequence } from "./actions.js";

export function lockKeyOf(sequence: ActionSequence): string {
  const lockKeys = sequence.map(lockKeyOfAction);
  return [...lockKeys].sort((a, b) => a.rank - b.rank)[0]?.text ?? "";
}

/** The address that a chain moves or gives back. */
export function movedAddress(sequence: ActionSequence): string | undefined {
  for (const action of sequence) {
    if (action.do === "assign" || action.do === "unassign" || action.do === "release") return action.ip;
  }
  return undefined;
}

export function addressLockKey(ip: string): string {
  return `${ADDRESS} ${ip}`;
}

export const CREATION = "creation";

/** A node that an action brings an address to. */
export interface Goal {
  /** The address, or `creation` before there is one. */
  readonly key: string;
  readonly node: ProviderId;
}

export function goalOfAction(action: Action): Goal | undefined {
  if (action.do === "assign") return { key: action.ip, node: action.node.machine };
  if (action.do !== "create-address" || !("node" in action.desired)) return undefined;
  return { key: CREATION, node: action.desired.node };
}

interface LockKey {
  /** The weightiest action of a chain decides. */
  readonly rank: number;
  /** Of one that is about an address or a node, its name follows. */
  readonly text: string;
}

function lockKeyOfAction(action: Action): LockKey {
  const { rank, text } = LOCK_KEYS[action.do];
  if ("node" in action && typeof action.node === "string") return { rank, text: `${text} ${action.node}` };
  const named = text === ADDRESS || text === ENTRY;
  return named && "ip" in action ? { rank, text: `${text} ${action.ip}` } : { rank, text };
}

const ADDRESS = "address";
const ENTRY = "entry";

const LOCK_KEYS: Readonly<Record<Action["do"], LockKey>> = {
  assign: { rank: 0, text: ADDRESS },
  unassign: { rank: 0, text: ADDRESS },
  release: { rank: 0, text: ADDRESS },
  poll: { rank: 0, text: ADDRESS },
  "record-intent": { rank: 0, text: CREATION },
  "create-address": { rank: 0, text: CREATION },
  "settle-creation": { rank: 0, text: CREATION },
  "record-creation": { rank: 0, text: CREATION },
  "clear-forget-creation": { rank: 0, text: CREATION },
  "annotate-pool": { rank: 1, text: "backup" },
  "drop-intent-copy": { rank: 1, text: "backup" },
  "add-finalizer": { rank: 1, text: "finalizer" },
  "remove-finalizer": { rank: 1, text: "finalizer" },
  "record-dns": { rank: 1, text: "records" },
  "read-records": { rank: 1, text: "records" },
  "apply-records": { rank: 1, text: "records" },
  "annotate-node": { rank: 2, text: "node" },
  "unannotate-node": { rank: 2, text: "node" },
  "append-to-spec": { rank: 2, text: ENTRY },
  "mark-in-spec": { rank: 2, text: ENTRY },
  "drop-from-spec": { rank: 2, text: ENTRY },
  "forget-created": { rank: 2, text: ENTRY },
  "record-assignment": { rank: 3, text: "cool-off" },
};
