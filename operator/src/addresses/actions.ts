/**
 * The actions of a plan about addresses, each with its reason. Actions of one chain run one after the other, and each
 * only if the previous one is done (not: started, refused, skipped). Chains run in parallel: a failure delays only its
 * own chain. Two chains with the same lock key never run at once.
 */

import type { CreatedAddress, IpFamily, PendingCreation } from "cdk8s-flipop/api";
import type { ResourceRef } from "../inventory/view.js";
import type { CreateAddress, ProviderId } from "../providers/types.js";
import type { DnsAction, Reasoned, RecordDns } from "../records/record-actions.js";
import type { CreationResult } from "./creation/creation-result.js";

/** What the API server keeps. Confirmed (read back from its answer) before the next action of the chain. */
export type RecordAction =
  /** `pendingCreation`, before the call. An answer without it means that the CRD is too old: the chain ends. */
  | (Reasoned & { readonly do: "record-intent"; readonly intent: PendingCreation })
  /** The end of an open creation, concluded from the lists: an address joins `createdIPs` in the same patch. */
  | (Reasoned & {
      readonly do: "settle-creation";
      readonly result: CreationResult;
      /** The creation may have made it, and it is left to whoever has it; for an Event. */
      readonly stray?: string;
    })
  /** The end of a creation that this process knows, and the API server did not take when it came. */
  | (Reasoned & { readonly do: "record-creation"; readonly result: CreationResult })
  /** Takes away the copy of an intent that has ended. */
  | (Reasoned & { readonly do: "drop-intent-copy" })
  | PassOnAction
  | ForgetAction
  /** The copy of the list of created addresses; `undefined` removes it. `forgotten`: those that the provider does not have. */
  | (Reasoned & {
      readonly do: "annotate-pool";
      readonly value: string | undefined;
      readonly forgotten?: readonly string[];
    })
  /** A person's forget-creation has been served. */
  | (Reasoned & { readonly do: "clear-forget-creation" })
  | (Reasoned & { readonly do: "add-finalizer" })
  /** `abandonedItems`: what was not cleaned up in time; goes to the log, a metric and an Event. */
  | (Reasoned & { readonly do: "remove-finalizer"; readonly abandonedItems: readonly string[] })
  | RecordDns;

/** Puts the entry into the status of the resource that lists the address and gets it: before it leaves this one. */
export type PassOnAction = Reasoned & {
  readonly do: "pass-on";
  readonly ip: string;
  readonly heir: ResourceRef;
  readonly entry: CreatedAddress;
  /** The policy of the giver retains it. */
  readonly retained?: true;
};

/** Takes the entry out of `createdIPs`. `gone`: the provider does not have the address any more; `unanswered`: of a release, no answer came. */
export type ForgetAction = Reasoned & {
  readonly do: "forget-created";
  readonly ip: string;
  readonly gone?: "released" | "unanswered" | "vanished";
};

/** Of a set whose spec lists the created addresses, too, and which may cool off. */
export type ListAction =
  /** Appends to the list of the spec, then sets `inSpec` of the entry. */
  | (Reasoned & { readonly do: "append-to-spec"; readonly ip: string })
  /** The entry has its place in the list already: sets `inSpec`. */
  | (Reasoned & { readonly do: "mark-in-spec"; readonly ip: string })
  /** Takes a created address out of the list. */
  | (Reasoned & { readonly do: "drop-from-spec"; readonly ip: string })
  /**
   * `lastAssignmentTime`, before the call: a crash in between must not shorten the cool-off. Where the call is refused,
   * the time goes back to `formerly`. A server that drops the field does not end the chain.
   */
  | (Reasoned & { readonly do: "record-assignment"; readonly at: string; readonly formerly?: string });

export type AddressAction =
  /** Only in a chain after its intent. Created: joins `createdIPs`, and the intent goes, in one patch. Refused: the intent goes. Unknown: it stays. What the server does not take is remembered: `record-creation`. */
  | (Reasoned & { readonly do: "create-address"; readonly desired: CreateAddress; readonly startedAt: string })
  /** The address is read first where what is known of it is older than 15 s; another holder: skipped, plan again. */
  | (Reasoned & { readonly do: "assign"; readonly ip: string; readonly node: NodeRef; readonly from?: ProviderId })
  /** `roomFor`: the address that gets the node. */
  | (Reasoned & { readonly do: "unassign"; readonly ip: string; readonly from: ProviderId; readonly roomFor?: string })
  | (Reasoned & { readonly do: "release"; readonly ip: string })
  /** One look at a running action. Over, however: `actionID` goes. */
  | (Reasoned & {
      readonly do: "poll";
      readonly ip: string;
      readonly id: string;
      readonly expected: ProviderId | undefined;
      /** A read of the address has shown it at its goal: no call is needed. */
      readonly arrived?: true;
    });

export type NodeAction =
  /** Sets the address annotation of the family and the owner beside it. */
  | (Reasoned & { readonly do: "annotate-node"; readonly node: string; readonly ip: string; readonly family: IpFamily })
  /** Removes both, if the value is still `ip`. */
  | (Reasoned & {
      readonly do: "unannotate-node";
      readonly node: string;
      readonly ip: string;
      readonly family: IpFamily;
    });

/** Removes the label from all other nodes, and then sets it on these. */
export type LabelAction = Reasoned & {
  readonly do: "label-holders";
  readonly key: string;
  readonly nodes: readonly string[];
};

/** Adds the taint of nodes that wait for an address to one node, or removes it. */
export type TaintUntilAction = Reasoned & {
  readonly do: "taint-until";
  readonly key: string;
  readonly node: string;
  readonly present: boolean;
};

export type MarkAction = LabelAction | TaintUntilAction;

/** Reads an address whose data is old, before a chain moves it. */
export type ConfirmAddress = Reasoned & { readonly do: "confirm-address"; readonly ip: string };

/** With what the engine starts in front of a chain. */
export type PlannedAction = Action | ConfirmAddress;

export type Action = RecordAction | ListAction | AddressAction | NodeAction | MarkAction | DnsAction;

interface NodeRef {
  readonly name: string;
  readonly machine: ProviderId;
}

/** See `Chain` in reconcile/plan.ts. */
export type ActionChain<A extends Action = Action> = readonly A[];

export function lockKeyOf(chain: ActionChain): string {
  const lockKeys = chain.map(lockKeyOfAction);
  return [...lockKeys].sort((a, b) => a.rank - b.rank)[0]?.text ?? "";
}

/** The address that a chain moves or gives back. */
export function movedAddress(chain: ActionChain): string | undefined {
  for (const action of chain) {
    if (action.do === "assign" || action.do === "unassign" || action.do === "release") return action.ip;
  }
  return undefined;
}

export function addressLockKey(ip: string): string {
  return `${ADDRESS} ${ip}`;
}

export const CREATION = "creation";

export const RECORDS = "records";

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
  "record-dns": { rank: 1, text: RECORDS },
  "read-records": { rank: 1, text: RECORDS },
  "apply-records": { rank: 1, text: RECORDS },
  "annotate-node": { rank: 2, text: "node" },
  "unannotate-node": { rank: 2, text: "node" },
  "label-holders": { rank: 2, text: "holder label" },
  "taint-until": { rank: 2, text: "until taint" },
  "append-to-spec": { rank: 2, text: ENTRY },
  "mark-in-spec": { rank: 2, text: ENTRY },
  "drop-from-spec": { rank: 2, text: ENTRY },
  "pass-on": { rank: 2, text: ENTRY },
  "forget-created": { rank: 2, text: ENTRY },
  "record-assignment": { rank: 3, text: "cool-off" },
};
