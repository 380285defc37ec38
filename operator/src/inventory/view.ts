/** An immutable view of the cached state at one moment. */

import { OVERDUE_ACTION_SECONDS, SECOND_MS, SECOND_READ_SECONDS } from "../bounds.js";
import type { ProviderId } from "../providers/types.js";
import { type CachedState, deadlineOf } from "./cached-state.js";
import type { InventoryAddress, InventoryView, ResourceRef } from "./types.js";

/** These maps do not change any more. */
export interface ViewFacts {
  /** Monotonic ms. */
  readonly now: number;
  /** When the last whole list was asked for; `undefined`: none has arrived. */
  readonly listedAt: number | undefined;
  readonly cachedStates: ReadonlyMap<string, CachedState>;
  readonly gone: ReadonlySet<string>;
  readonly reservations: ReadonlyMap<ProviderId, Reserved>;
  /** When an address may be read again at the earliest (`ReadGate.nextAt`). @default at once */
  readonly nextReadAt?: (ip: string) => number | undefined;
}

/** Of a node. */
export interface Reserved {
  readonly resource: ResourceRef;
  /** Monotonic ms: from then on it counts no more. */
  readonly until: number;
}

/** Costs nothing until it is looked at: each run of each controller has one, of accounts with thousands of addresses. */
export function createView(facts: ViewFacts): InventoryView {
  const { now, listedAt, cachedStates, gone, reservations } = facts;
  const shown = new Map<string, InventoryAddress>();
  const show = (ip: string, cachedState: CachedState): InventoryAddress => {
    const address = shown.get(ip) ?? addressOf(cachedState, now);
    shown.set(ip, address);
    return address;
  };
  const get = (ip: string) => {
    const cachedState = cachedStates.get(ip);
    return cachedState === undefined ? undefined : show(ip, cachedState);
  };
  const { held, due } = indexOf(cachedStates);
  const readAt = due.map(({ ip, at }) => Math.max(at, facts.nextReadAt?.(ip) ?? at));
  const reservedFor = (node: ProviderId) => {
    const reserved = reservations.get(node);
    return reserved !== undefined && now < reserved.until ? reserved.resource : undefined;
  };
  return Object.freeze({
    complete: listedAt !== undefined,
    ageSeconds: listedAt === undefined ? Number.POSITIVE_INFINITY : (now - listedAt) / SECOND_MS,
    get addresses() {
      return new Map([...cachedStates].map(([ip, cachedState]) => [ip, show(ip, cachedState)]));
    },
    get,
    isGone: (ip: string) => gone.has(ip),
    heldCount: (node: ProviderId) => held.get(node)?.length ?? 0,
    heldBy: (node: ProviderId) => held.get(node)?.flatMap((ip) => get(ip) ?? []) ?? NONE,
    reservedFor,
    ...(readAt.length === 0 ? {} : { rereadSeconds: Math.max(0, Math.min(...readAt) - now) / SECOND_MS }),
  });
}

const NONE: readonly InventoryAddress[] = [];

interface Index {
  /** Addresses by their holder, sorted. */
  readonly held: ReadonlyMap<ProviderId, readonly string[]>;
  /** Addresses whose state a read must confirm, and when. */
  readonly due: readonly Due[];
}

/** One for all views of the same beliefs. */
const indexes = new WeakMap<ReadonlyMap<string, CachedState>, Index>();

function indexOf(cachedStates: ReadonlyMap<string, CachedState>): Index {
  const known = indexes.get(cachedStates);
  if (known !== undefined) return known;
  const made = createIndex(cachedStates);
  indexes.set(cachedStates, made);
  return made;
}

function createIndex(cachedStates: ReadonlyMap<string, CachedState>): Index {
  const held = new Map<ProviderId, string[]>();
  const due: Due[] = [];
  for (const [ip, cachedState] of cachedStates) {
    if (cachedState.facts.holder !== undefined) add(held, cachedState.facts.holder, ip);
    const at = dueAt(cachedState);
    if (at !== undefined) due.push({ ip, at });
  }
  for (const ips of held.values()) ips.sort();
  return { held, due };
}

interface Due {
  readonly ip: string;
  /** Monotonic ms. */
  readonly at: number;
}

/** A running action is resolved by whoever polls it; this is for one that no run polls. */
function dueAt({ contradiction, running }: CachedState): number | undefined {
  if (contradiction !== undefined) return contradiction.since + SECOND_READ_SECONDS * SECOND_MS;
  return running === undefined ? undefined : deadlineOf(running) + OVERDUE_ACTION_SECONDS * SECOND_MS;
}

function addressOf(cachedState: CachedState, now: number): InventoryAddress {
  const { facts, at, contradiction, running, ended } = cachedState;
  const overdue = running !== undefined && now >= (dueAt(cachedState) ?? now);
  return {
    ...facts,
    ageSeconds: (now - at) / SECOND_MS,
    unconfirmed: contradiction !== undefined || overdue,
    ...(running === undefined ? {} : { inFlight: { id: running.id, expected: running.expected } }),
    ...(ended === undefined ? {} : { ended }),
  };
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
  cachedStates: new Map(),
  gone: new Set(),
  reservations: new Map(),
});
