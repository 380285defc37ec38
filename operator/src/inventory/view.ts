/**
 * The cloud account as last read, with the actions in flight: an immutable view of one moment, for plans; and the node that
 * each move reserves, from its decision to its end.
 */

import type { Clock } from "../clock.js";
import type { AddressFacts, IpFamily, ProviderId } from "../providers/types.js";
import { OVERDUE_ACTION_SECONDS, RESERVATION_SECONDS, SECOND_MS, SECOND_READ_SECONDS } from "../timings.js";
import { type CachedState, deadlineOf, type OwnAction } from "./cached-address.js";

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
  /** Since reads have shown that an action locks it which no poll can follow. */
  readonly lockedSeconds?: number;
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
  /**
   * Whether the provider said, asked for this address alone, that it does not exist.
   * @param forMs for at least so long, unless the operator released it. @default 0
   */
  isGone(ip: string, forMs?: number): boolean;
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

/** These maps do not change any more. */
interface ViewFacts {
  /** Monotonic ms. */
  readonly now: number;
  /** When the last whole list was asked for; `undefined`: none has arrived. */
  readonly listedAt: number | undefined;
  readonly cachedStates: ReadonlyMap<string, CachedState>;
  /** Monotonic ms: since when. */
  readonly gone: ReadonlyMap<string, number>;
  readonly reservations: ReadonlyMap<ProviderId, Reserved>;
  /** When an address may be read again at the earliest (`ReadGate.nextAt`). @default at once */
  readonly nextReadAt?: (ip: string) => number | undefined;
}

/** Of a node. */
interface Reserved {
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
    isGone: (ip: string, forMs = 0) => now - (gone.get(ip) ?? Number.POSITIVE_INFINITY) >= forMs,
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
  const { facts, at, contradiction, running, ended, lockedSince } = cachedState;
  const overdue = running !== undefined && now >= (dueAt(cachedState) ?? now);
  return {
    ...facts,
    ageSeconds: (now - at) / SECOND_MS,
    unconfirmed: contradiction !== undefined || overdue,
    ...(running === undefined ? {} : { inFlight: { id: running.id, expected: running.expected } }),
    ...(ended === undefined ? {} : { ended }),
    ...(lockedSince === undefined ? {} : { lockedSeconds: (now - lockedSince) / SECOND_MS }),
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
  gone: new Map(),
  reservations: new Map(),
});

/** A map that gives out pictures of itself; each is a copy only where something has changed since the last one. */
export class PicturedMap<K, V> extends Map<K, V> {
  private last: ReadonlyMap<K, V> | undefined;

  /** @param onReplaced called with the former value of a key after a change. */
  constructor(private readonly onReplaced: (before: V, after: V | undefined) => void = () => undefined) {
    super();
  }

  /** As it is now: later changes do not show. */
  picture(): ReadonlyMap<K, V> {
    this.last ??= new Map(this);
    return this.last;
  }

  override set(key: K, value: V): this {
    const before = this.get(key);
    this.last = undefined;
    super.set(key, value);
    if (before !== undefined) this.onReplaced(before, value);
    return this;
  }

  /** Nothing, where the key has no value. */
  update(key: K, change: (value: V) => V): void {
    const value = this.get(key);
    if (value !== undefined) this.set(key, change(value));
  }

  override delete(key: K): boolean {
    const before = this.get(key);
    this.last = undefined;
    const known = super.delete(key);
    if (before !== undefined) this.onReplaced(before, undefined);
    return known;
  }

  override clear(): void {
    this.last = undefined;
    super.clear();
  }
}

/** Who waits for nodes. */
export interface RoomListener {
  /** A node has room for one more address of the family. */
  noteRoom(family: IpFamily): void;
}

/** Taken in the same turn as the decision; released when the move has ended, however it ended. */
export interface Reservation {
  readonly node: ProviderId;
  release(): void;
}

/** A reservation that no run releases ends by itself. */
export class Reservations {
  private readonly reserved = new PicturedMap<ProviderId, Reserved>();

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /** `undefined`: the node is taken. */
  reserve(node: ProviderId, resource: ResourceRef): Reservation | undefined {
    const now = this.clock.monotonic();
    const last = this.reserved.get(node);
    if (last !== undefined && now < last.until) return undefined;
    const mine: Reserved = { resource, until: now + RESERVATION_SECONDS * SECOND_MS };
    this.reserved.set(node, mine);
    const release = () => {
      if (this.reserved.get(node) === mine) this.reserved.delete(node);
    };
    return { node, release };
  }

  /** The resource is gone. */
  forget({ uid }: ResourceRef): void {
    for (const [node, { resource }] of this.reserved) if (resource.uid === uid) this.reserved.delete(node);
  }

  picture(): ReadonlyMap<ProviderId, Reserved> {
    return this.reserved.picture();
  }
}
