/** How many addresses may leave their holders per minute: token buckets of pools, and one of the whole operator. */

import type { Clock } from "../clock.js";
import { MINUTE_MS } from "../timings.js";

/** A token bucket as it was at a time. Pure: see `refilled`. */
export interface Bucket {
  readonly tokens: number;
  /** Monotonic ms. */
  readonly at: number;
}

/** The bucket starts full, holds as many tokens as a minute yields, and refills evenly. */
export function refilled(bucket: Bucket | undefined, perMinute: number, now: number): Bucket {
  if (bucket === undefined) return { tokens: perMinute, at: now };
  const gained = ((now - bucket.at) * perMinute) / MINUTE_MS;
  return { tokens: Math.min(perMinute, bucket.tokens + gained), at: now };
}

/** ms until the bucket has so many whole tokens. */
export function tokenInMs({ tokens }: Bucket, perMinute: number, wanted = 1): number {
  return tokens + ROUNDING >= wanted ? 0 : Math.ceil(((wanted - tokens) * MINUTE_MS) / perMinute);
}

/** Tokens are sums of fractions. */
const ROUNDING = 1e-6;

/** What the limits allow one resource now. */
export interface MoveAllowance {
  /** Moves that may begin now. */
  readonly moves: number;
  /** When one more may begin, ms since the epoch. */
  readonly nextAt: number;
  /** Addresses whose move has begun: it counts already. */
  readonly begun: ReadonlySet<string>;
}

interface Limited {
  perMinute: number;
  bucket: Bucket;
  readonly begun: Set<string>;
}

export class MoveLimits {
  private readonly resources = new Map<string, Limited>();
  private whole: Bucket | undefined;

  /** @param perMinute of the whole operator; 0: no limit. */
  constructor(
    private readonly clock: Pick<Clock, "now" | "monotonic">,
    private readonly perMinute: number,
  ) {}

  /** @param perMinute of the resource; 0: no limit. @returns `undefined` where there is no limit at all. */
  allowance(uid: string, perMinute: number): MoveAllowance | undefined {
    if (perMinute === 0 && this.perMinute === 0) return undefined;
    const now = this.clock.monotonic();
    const own = this.limited(uid, perMinute, now);
    this.whole = refilled(this.whole, this.perMinute, now);
    const buckets = [
      ...(perMinute === 0 ? [] : [{ bucket: own.bucket, perMinute }]),
      ...(this.perMinute === 0 ? [] : [{ bucket: this.whole, perMinute: this.perMinute }]),
    ];
    const moves = Math.min(...buckets.map(({ bucket: { tokens } }) => Math.floor(tokens + ROUNDING)));
    // The moves of now may wait for something else: the others wait until there is a token for them, too.
    const waits = buckets.map((each) => tokenInMs(each.bucket, each.perMinute, Math.max(0, moves) + 1));
    return {
      moves,
      nextAt: this.clock.now() + Math.max(...waits),
      begun: new Set(own.begun),
    };
  }

  /** A move begins: it takes a token of each bucket. */
  begin(uid: string, ip: string): void {
    const own = this.resources.get(uid);
    if (own === undefined || own.begun.has(ip)) return;
    own.begun.add(ip);
    own.bucket = taken(own.bucket);
    if (this.whole !== undefined) this.whole = taken(this.whole);
  }

  /** The move has ended, however it did: the next one of this address counts anew. */
  end(uid: string, ip: string): void {
    this.resources.get(uid)?.begun.delete(ip);
  }

  drop(uid: string): void {
    this.resources.delete(uid);
  }

  private limited(uid: string, perMinute: number, now: number): Limited {
    const known = this.resources.get(uid);
    if (known !== undefined && known.perMinute === perMinute) {
      known.bucket = refilled(known.bucket, perMinute, now);
      return known;
    }
    const made = { perMinute, bucket: refilled(undefined, perMinute, now), begun: known?.begun ?? new Set<string>() };
    this.resources.set(uid, made);
    return made;
  }
}

function taken({ tokens, at }: Bucket): Bucket {
  return { tokens: tokens - 1, at };
}
