/** The cloud account as last seen, plus what is under way: values for those who plan. */

import type { AddressFacts, ProviderId } from "../providers/types.js";

/** Which resource. */
export interface ResourceRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** An address as it is believed to be. */
export interface InventoryAddress extends AddressFacts {
  /** Since it was last read, or since the provider told us that our action on it was completed. */
  readonly ageSeconds: number;
  /** A read said otherwise, and one more is needed before that counts. Look again soon, do not act on it. */
  readonly doubted: boolean;
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
  /** Seconds until a doubted address should be read again. Absent: none is doubted. */
  readonly lookAgainSeconds?: number;
}
