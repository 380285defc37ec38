/**
 * What a decision about addresses asks for. Each action says what and why. Actions of one sequence run one after the
 * other, and the next one only after the former is done (not: started, refused, skipped). Sequences run in parallel: a
 * failure holds up its own sequence only.
 */

import type { IpFamily, PendingCreation } from "cdk8s-flipop/api";
import type { CreateAddress, ProviderId } from "../providers/types.js";
import type { DnsAction, Reasoned, RecordDns } from "../records/actions.js";
import type { CreationResult } from "./creation/creation-result.js";

/** What the API server keeps. Confirmed (read back from its answer) before the next action of the sequence. */
export type RecordAction =
  /** `pendingCreation`, before the call. An answer without it means that the CRD is too old: the sequence ends. */
  | (Reasoned & { readonly do: "record-intent"; readonly intent: PendingCreation })
  /** The end of an open creation, concluded from the lists: an address joins `createdIPs` in the same patch. */
  | (Reasoned & { readonly do: "settle-creation"; readonly result: CreationResult })
  /** The end of a creation that this process knows, and the API server did not take when it came. */
  | (Reasoned & { readonly do: "record-creation"; readonly result: CreationResult })
  /** Takes away the copy of an intent that has ended. */
  | (Reasoned & { readonly do: "drop-intent-copy" })
  /** Takes the entry out of `createdIPs`. */
  | (Reasoned & { readonly do: "forget-created"; readonly ip: string })
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
   * the time goes back to `formerly`. A server that drops the field does not end the sequence.
   */
  | (Reasoned & { readonly do: "record-assignment"; readonly at: string; readonly formerly?: string });

export type AddressAction =
  /** Only in a sequence after its intent. Created: joins `createdIPs`, and the intent goes, in one patch. Refused: the intent goes. Unknown: it stays. What the server does not take is remembered: `record-creation`. */
  | (Reasoned & { readonly do: "create-address"; readonly desired: CreateAddress; readonly startedAt: string })
  /** The address is read first where what is known of it is older than 15 s; another holder: skipped, plan again. */
  | (Reasoned & { readonly do: "assign"; readonly ip: string; readonly node: NodeRef; readonly from?: ProviderId })
  | (Reasoned & { readonly do: "unassign"; readonly ip: string; readonly from: ProviderId })
  | (Reasoned & { readonly do: "release"; readonly ip: string })
  /** One look at a running action. Over, however: `actionID` goes. */
  | (Reasoned & {
      readonly do: "poll";
      readonly ip: string;
      readonly id: string;
      readonly expected: ProviderId | undefined;
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

/** Reads an address whose data is old, before a sequence moves it. */
export type ConfirmAddress = Reasoned & { readonly do: "confirm-address"; readonly ip: string };

/** With what the engine starts in front of a sequence. */
export type PlannedAction = Action | ConfirmAddress;

export type Action = RecordAction | ListAction | AddressAction | NodeAction | DnsAction;

export interface NodeRef {
  readonly name: string;
  readonly machine: ProviderId;
}

/** One after the other. */
export type ActionSequence<A extends Action = Action> = readonly A[];
