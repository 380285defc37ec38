/** The addresses that resources name and that the account does not have any more. */

import type { Clock } from "../clock.js";
import { isProviderError } from "../providers/errors.js";
import { SECOND_MS, SECOND_READ_SECONDS, SETTLE_SECONDS, UNKNOWN_ACTION_SECONDS } from "../timings.js";

/** Of one that the operator released: it is gone for ever, however late the reads are. */
const RELEASED = Number.NEGATIVE_INFINITY;

export class GoneAddresses {
  /** Monotonic ms: since when. */
  private readonly since = new Map<string, number>();
  /** Monotonic ms: the first read that did not find one which no read has found: it may be a fault of the API. */
  private readonly missed = new Map<string, number>();
  /** Monotonic ms: when the operator released them. */
  private readonly releasedAt = new Map<string, number>();
  /** Monotonic ms: until when a read that does not find them shows that their releases came through, whose answers were lost. */
  private readonly lostReleases = new Map<string, number>();

  /** Monotonic ms: until when a read that does not find one comes from a late replica. */
  private readonly young = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, "monotonic" | "now">) {}

  /** @param createdAt ms since the epoch, by the clock of the process that created it, which may have been ahead. NaN: not known. */
  expect(ip: string, createdAt: number): void {
    const age = Math.max(0, this.clock.now() - createdAt);
    if (this.young.has(ip) || !(age < SETTLE_SECONDS * SECOND_MS)) return;
    this.young.set(ip, this.clock.monotonic() + SETTLE_SECONDS * SECOND_MS - age);
  }

  released(ip: string): void {
    this.lostReleases.delete(ip);
    this.since.set(ip, RELEASED);
    this.releasedAt.set(ip, this.clock.monotonic());
  }

  /** Whatever is cached: the read began before the release, or it is the answer to a release whose answer was lost. */
  isGone(ip: string, { askedAt, facts }: { readonly askedAt: number; readonly facts: unknown }): boolean {
    if (facts === undefined && this.hasLostRelease(ip)) return true;
    return this.isReleased(ip) && askedAt < (this.releasedAt.get(ip) ?? askedAt);
  }

  /** Throws the error again. */
  releaseFailed(ip: string, error: unknown): never {
    if (isProviderError(error) && error.outcome === "unknown")
      this.lostReleases.set(ip, this.clock.monotonic() + UNKNOWN_ACTION_SECONDS * SECOND_MS);
    throw error;
  }

  private hasLostRelease(ip: string): boolean {
    const now = this.clock.monotonic();
    return now < (this.lostReleases.get(ip) ?? now);
  }

  isReleased(ip: string): boolean {
    return this.since.get(ip) === RELEASED;
  }

  /** A read did not find it. @param isSure an earlier one did not find it either */
  missing(ip: string, { askedAt, isSure }: { readonly askedAt: number; readonly isSure: boolean }): void {
    const now = this.clock.monotonic();
    if (now < (this.young.get(ip) ?? now)) return;
    const isOwn = this.hasLostRelease(ip);
    const first = this.missed.get(ip) ?? askedAt;
    this.missed.set(ip, first);
    if (isOwn || isSure || askedAt - first >= SECOND_READ_SECONDS * SECOND_MS)
      this.since.set(ip, isOwn ? RELEASED : (this.since.get(ip) ?? now));
  }

  found(ip: string): void {
    this.since.delete(ip);
    this.missed.delete(ip);
  }

  has(ip: string): boolean {
    return this.since.has(ip);
  }

  /** No resource names the others any more. */
  keepOnly(named: ReadonlySet<string>): void {
    for (const ips of [this.since, this.missed, this.releasedAt, this.lostReleases, this.young])
      for (const ip of ips.keys()) if (!named.has(ip)) ips.delete(ip);
  }

  picture(): ReadonlyMap<string, number> {
    return new Map(this.since);
  }
}
