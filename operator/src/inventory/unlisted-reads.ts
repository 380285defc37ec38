/**
 * Which addresses are read alone because resources name them and no list shows them: few a minute, in turns, and more rarely
 * once they are gone. A spec may name hundreds that the account does not have.
 */

import { canonicalIp, familyOf, type IpFamily } from "cdk8s-flipop/api";
import { TokenBucket } from "../async.js";
import type { Clock } from "../clock.js";
import type { CallContext } from "../providers/call.js";
import { RETRY_SCHEDULES, SECOND_MS, SECOND_READ_SECONDS, UNLISTED_READS, UNLISTED_SERVED_READS } from "../timings.js";
import type { ResourceRef } from "./view.js";

/** What a resource names in spec or status. */
export interface NamedAddresses {
  readonly ips: readonly string[];
  /** Addresses that its status has as serving: a move may wait for them. */
  readonly served?: readonly string[];
  /** When our calls made some, ms since the epoch. */
  readonly created?: ReadonlyMap<string, number>;
}

export interface UnlistedRead {
  readonly ip: string;
  readonly resource: ResourceRef;
  readonly context: CallContext;
}

interface Named {
  readonly resource: ResourceRef;
  /** Canonical, of the family. */
  readonly ips: readonly string[];
  readonly served: ReadonlySet<string>;
}

/** Of an address that is in no list. All times are monotonic ms. */
interface Unlisted {
  /** A list that began earlier says nothing about it. */
  readonly namedAt: number;
  /** The last read alone. */
  readonly readAt?: number;
  /** Of those, since it is gone. */
  readonly readsWhileGone: number;
}

/** What the inventory knows. */
interface Known {
  /** The cached state. */
  readonly shown: Pick<ReadonlySet<string>, "has">;
  readonly gone: Pick<ReadonlySet<string>, "has">;
}

interface Queue {
  readonly resource: ResourceRef;
  readonly ips: string[];
}

export class UnlistedReads {
  private readonly named = new Map<string, Named>();
  private readonly unlisted = new Map<string, Unlisted>();
  /** The latest turn of each namespace and resource: the one that waits longest is the next. */
  private readonly turns = new Map<string, number>();
  private turn = 0;
  private readonly bucket: TokenBucket;

  constructor(
    private readonly family: IpFamily,
    private readonly clock: Pick<Clock, "monotonic">,
    private readonly known: Known,
  ) {
    this.bucket = new TokenBucket(UNLISTED_READS, clock.monotonic());
  }

  /** All that resources name, of the family. */
  get all(): ReadonlySet<string> {
    return new Set([...this.named.values()].flatMap(({ ips }) => ips));
  }

  /** @returns whether it names one that no read has shown or missed. */
  want(resource: ResourceRef, { ips, served = [] }: NamedAddresses): boolean {
    const own = [...new Set(ips.map(canonicalIp))].filter((ip) => familyOf(ip) === this.family);
    this.named.set(resource.uid, { resource, ips: own, served: new Set(served.map(canonicalIp)) });
    const now = this.clock.monotonic();
    for (const ip of own) this.note(ip, now);
    return own.some((ip) => !this.known.shown.has(ip) && !this.known.gone.has(ip));
  }

  private note(ip: string, now: number): void {
    if (this.known.shown.has(ip)) this.unlisted.delete(ip);
    // One that is gone already has been read, or released.
    else if (!this.unlisted.has(ip))
      this.unlisted.set(ip, { namedAt: now, readsWhileGone: 0, ...(this.known.gone.has(ip) ? { readAt: now } : {}) });
  }

  forget({ uid, namespace }: ResourceRef): void {
    this.named.delete(uid);
    this.turns.delete(uid);
    if (![...this.named.values()].some(({ resource }) => resource.namespace === namespace))
      this.turns.delete(namespace);
  }

  /** No resource names the others any more. */
  keepOnly(named: ReadonlySet<string>): void {
    for (const ip of this.unlisted.keys()) if (!named.has(ip)) this.unlisted.delete(ip);
  }

  /** How many of the resource's addresses no list has been asked for since they were named. @param listedAt of the last list */
  unaskedOf({ uid }: ResourceRef, listedAt: number): number {
    const unread = (this.named.get(uid)?.ips ?? []).filter(
      (ip) => !this.known.shown.has(ip) && !this.known.gone.has(ip),
    );
    return unread.filter((ip) => (this.unlisted.get(ip)?.namedAt ?? 0) >= listedAt).length;
  }

  /**
   * Those to be read now, which counts as their reads: what the resource's status has as serving, and others of all resources
   * as far as the reads of the minute allow.
   * @param mayRead not one whose last read failed and is not due again
   */
  take(resource: ResourceRef, why: string, mayRead: (ip: string) => boolean): readonly UnlistedRead[] {
    const now = this.clock.monotonic();
    const isDue = (ip: string) => this.isDue(ip, now) && mayRead(ip);
    const own = this.named.get(resource.uid);
    const serving = own === undefined ? [] : own.ips.filter((ip) => this.isServing(own, ip) && isDue(ip));
    const urgent = serving.slice(0, UNLISTED_SERVED_READS);
    for (const ip of urgent) this.noteRead(ip, now);
    const others = this.inTurns(isDue, now);
    return [
      ...urgent.map((ip) => ({ ip, resource, context: contextOf(resource, why, "assignment") })),
      ...others.map((read) => ({ ...read, context: contextOf(read.resource, why, "check") })),
    ];
  }

  /** Until reads have shown that it is gone. */
  private isServing({ served }: Named, ip: string): boolean {
    return served.has(ip) && !this.known.gone.has(ip);
  }

  private inTurns(isDue: (ip: string) => boolean, now: number): readonly Pick<UnlistedRead, "ip" | "resource">[] {
    const taken: Pick<UnlistedRead, "ip" | "resource">[] = [];
    let queues: readonly Queue[] | undefined;
    while (this.bucket.has(now)) {
      queues = (queues ?? this.queues(isDue)).filter(({ ips }) => ips.length > 0);
      const next = this.nextOf(queues);
      const ip = next?.ips.shift();
      if (next === undefined || ip === undefined) break;
      // Another resource names it, too, and it was that one's turn.
      if (!this.isDue(ip, now)) continue;
      this.bucket.tryTake(now);
      this.noteTurn(next.resource);
      this.noteRead(ip, now);
      taken.push({ ip, resource: next.resource });
    }
    return taken;
  }

  private queues(isDue: (ip: string) => boolean): readonly Queue[] {
    return [...this.named.values()].map((named) => {
      const due = named.ips.filter((ip) => !this.isServing(named, ip) && isDue(ip));
      // A second read ends a doubt.
      const [again, first] = [due.filter((ip) => this.wasRead(ip)), due.filter((ip) => !this.wasRead(ip))];
      return { resource: named.resource, ips: [...again, ...first] };
    });
  }

  private wasRead(ip: string): boolean {
    return this.unlisted.get(ip)?.readAt !== undefined && !this.known.gone.has(ip);
  }

  private nextOf(queues: readonly Queue[]): Queue | undefined {
    const turnOf = (key: string) => this.turns.get(key) ?? 0;
    const isBefore = ({ resource: a }: Queue, { resource: b }: Queue) =>
      (turnOf(a.namespace) - turnOf(b.namespace) || turnOf(a.uid) - turnOf(b.uid)) < 0;
    return queues.reduce<Queue | undefined>(
      (first, queue) => (first === undefined || isBefore(queue, first) ? queue : first),
      undefined,
    );
  }

  private noteTurn({ namespace, uid }: ResourceRef): void {
    this.turn += 1;
    this.turns.set(namespace, this.turn);
    this.turns.set(uid, this.turn);
  }

  private isDue(ip: string, now: number): boolean {
    if (this.known.shown.has(ip)) return false;
    const { readAt, readsWhileGone } = this.unlisted.get(ip) ?? { readsWhileGone: 0 };
    if (readAt === undefined) return true;
    const { slow } = RETRY_SCHEDULES;
    const wait = this.known.gone.has(ip) ? slow[Math.min(readsWhileGone, slow.length - 1)] : SECOND_READ_SECONDS;
    return now - readAt >= (wait ?? 0) * SECOND_MS;
  }

  private noteRead(ip: string, now: number): void {
    const before = this.unlisted.get(ip) ?? { namedAt: now, readsWhileGone: 0 };
    const readsWhileGone = this.known.gone.has(ip) ? before.readsWhileGone + 1 : 0;
    this.unlisted.set(ip, { ...before, readAt: now, readsWhileGone });
  }
}

function contextOf({ kind, namespace, name }: ResourceRef, why: string, priority: CallContext["priority"]) {
  return { requester: { kind, namespace, name }, why, priority };
}
