/** An immutable picture of what is believed at one moment. */

import { SECOND_MS, SECOND_READ_SECONDS } from "../bounds.js";
import type { ProviderId } from "../providers/types.js";
import type { Belief } from "./belief.js";
import type { InventoryAddress, InventoryView, ResourceRef } from "./types.js";

/** Nobody changes these maps any more. */
export interface ViewFacts {
  /** Monotonic ms. */
  readonly now: number;
  /** When the last whole list was asked for; `undefined`: none has arrived. */
  readonly listedAt: number | undefined;
  readonly beliefs: ReadonlyMap<string, Belief>;
  readonly gone: ReadonlySet<string>;
  readonly reservations: ReadonlyMap<ProviderId, ResourceRef>;
}

/** Costs nothing until it is looked at: each run of each controller has one, of accounts with thousands of addresses. */
export function createView(facts: ViewFacts): InventoryView {
  const { now, listedAt, beliefs, gone, reservations } = facts;
  const shown = new Map<string, InventoryAddress>();
  const show = (ip: string, belief: Belief): InventoryAddress => {
    const address = shown.get(ip) ?? addressOf(belief, now);
    shown.set(ip, address);
    return address;
  };
  const get = (ip: string) => {
    const belief = beliefs.get(ip);
    return belief === undefined ? undefined : show(ip, belief);
  };
  const { held, doubtSince } = indexOf(beliefs);
  return Object.freeze({
    complete: listedAt !== undefined,
    ageSeconds: listedAt === undefined ? Number.POSITIVE_INFINITY : (now - listedAt) / SECOND_MS,
    get addresses() {
      return new Map([...beliefs].map(([ip, belief]) => [ip, show(ip, belief)]));
    },
    get,
    isGone: (ip: string) => gone.has(ip),
    heldCount: (node: ProviderId) => held.get(node)?.length ?? 0,
    heldBy: (node: ProviderId) => held.get(node)?.flatMap((ip) => get(ip) ?? []) ?? NONE,
    reservedFor: (node: ProviderId) => reservations.get(node),
    ...(doubtSince === undefined
      ? {}
      : { lookAgainSeconds: Math.max(0, doubtSince + SECOND_READ_SECONDS * SECOND_MS - now) / SECOND_MS }),
  });
}

const NONE: readonly InventoryAddress[] = [];

interface Index {
  /** Addresses by their holder, sorted. */
  readonly held: ReadonlyMap<ProviderId, readonly string[]>;
  /** Since when the first of the doubted ones is. */
  readonly doubtSince: number | undefined;
}

/** One for all views of the same beliefs. */
const indexes = new WeakMap<ReadonlyMap<string, Belief>, Index>();

function indexOf(beliefs: ReadonlyMap<string, Belief>): Index {
  const known = indexes.get(beliefs);
  if (known !== undefined) return known;
  const made = createIndex(beliefs);
  indexes.set(beliefs, made);
  return made;
}

function createIndex(beliefs: ReadonlyMap<string, Belief>): Index {
  const held = new Map<ProviderId, string[]>();
  let doubtSince: number | undefined;
  for (const [ip, { facts, doubt }] of beliefs) {
    if (facts.holder !== undefined) add(held, facts.holder, ip);
    if (doubt !== undefined) doubtSince = Math.min(doubtSince ?? doubt.since, doubt.since);
  }
  for (const ips of held.values()) ips.sort();
  return { held, doubtSince };
}

function addressOf({ facts, at, doubt }: Belief, now: number): InventoryAddress {
  return { ...facts, ageSeconds: (now - at) / SECOND_MS, doubted: doubt !== undefined };
}

function add<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

/** Of an account that has not been read yet. */
export const NOTHING_SEEN = createView({
  now: 0,
  listedAt: undefined,
  beliefs: new Map(),
  gone: new Set(),
  reservations: new Map(),
});
