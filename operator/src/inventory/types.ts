/** The cloud account as last seen, plus what is under way: values for those who plan. */

import type { AddressFacts, ProviderId } from "../providers/types.js";
import type { OwnAction } from "./cached-state.js";

/** Which resource. */
export interface ResourceRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** An address as it is believed to be. */
export interface InventoryAddress extends AddressFacts {
  /** Since it was last read, or since the provider reported our action on it as completed. */
  readonly ageSeconds: number;
  /** A read said otherwise, or an action is overdue: one more read is needed. Look again soon, do not act on it. */
  readonly unconfirmed: boolean;
  /** An action of ours that runs, as far as is known. */
  readonly inFlight?: OwnAction;
  /** The last action of ours that did not end at its goal. */
  readonly ended?: OwnAction;
}

/** Immutable: it shows one moment. */
export interface InventoryView {
  /** Whether this process has read the whole list. Nothing may be written before. */
  readonly complete: boolean;
  /** Since the last whole list was asked for. Infinity where there was none. */
  readonly ageSeconds: number;
  /** All addresses of the account and family, by address. Made anew each time: `get` for one of them. */
  readonly addresses: ReadonlyMap<string, InventoryAddress>;
  /** @param ip canonical. */
  get(ip: string): InventoryAddress | undefined;
  /** Whether the provider said, asked for this address alone, that it does not exist. */
  isGone(ip: string): boolean;
  /** Sorted by address. */
  heldBy(node: ProviderId): readonly InventoryAddress[];
  /** How many that are. */
  heldCount(node: ProviderId): number;
  /** Who has a move to this node under way. */
  reservedFor(node: ProviderId): ResourceRef | undefined;
  /** Seconds until an address that is doubted, or whose action is overdue, should be read again. Absent: none is. */
  readonly rereadSeconds?: number;
}

/** Whether what a move is based on still holds; `unconfirmed`: a read contradicts it, and a second one must follow. */
export type Confirmation = "holds" | "changed" | "unconfirmed";

/** Whether the action that a status names is over, without having reached its goal. */
export function hasEnded(address: Pick<InventoryAddress, "ended"> | undefined, { id, expected }: OwnAction): boolean {
  return address?.ended?.id === id && address.ended.expected === expected;
}
