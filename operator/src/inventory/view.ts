/** An immutable picture of what is believed at one moment. */

import type { ProviderId } from "../providers/types.js";
import type { Belief } from "./belief.js";
import { type InventoryAddress, type InventoryView, type ResourceRef, SECOND_READ_SECONDS } from "./types.js";

const SECOND_MS = 1000;

export interface ViewFacts {
  /** Monotonic ms. */
  readonly now: number;
  /** When the last whole list was asked for; `undefined`: none has arrived. */
  readonly listedAt: number | undefined;
  readonly beliefs: ReadonlyMap<string, Belief>;
  readonly gone: ReadonlySet<string>;
  readonly reservations: ReadonlyMap<ProviderId, ResourceRef>;
}

/** Copies: later changes do not show. */
export function createView({ now, listedAt, beliefs, gone, reservations }: ViewFacts): InventoryView {
  const addresses = new Map<string, InventoryAddress>();
  const holdings = new Map<ProviderId, InventoryAddress[]>();
  let doubtSince: number | undefined;
  for (const [ip, belief] of beliefs) {
    const address = addressOf(belief, now);
    addresses.set(ip, address);
    if (address.holder !== undefined) add(holdings, address.holder, address);
    if (belief.doubt !== undefined) doubtSince = Math.min(doubtSince ?? belief.doubt.since, belief.doubt.since);
  }
  for (const held of holdings.values()) held.sort((a, b) => (a.ip < b.ip ? -1 : 1));
  const reserved = new Map(reservations);
  const absent = new Set(gone);
  return Object.freeze({
    complete: listedAt !== undefined,
    ageSeconds: listedAt === undefined ? Number.POSITIVE_INFINITY : (now - listedAt) / SECOND_MS,
    addresses,
    get: (ip: string) => addresses.get(ip),
    isGone: (ip: string) => absent.has(ip),
    heldBy: (node: ProviderId) => holdings.get(node) ?? [],
    reservedFor: (node: ProviderId) => reserved.get(node),
    ...(doubtSince === undefined
      ? {}
      : { lookAgainSeconds: Math.max(0, doubtSince + SECOND_READ_SECONDS * SECOND_MS - now) / SECOND_MS }),
  });
}

function addressOf({ facts, at, doubt }: Belief, now: number): InventoryAddress {
  return Object.freeze({ ...facts, ageSeconds: (now - at) / SECOND_MS, doubted: doubt !== undefined });
}

function add<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
