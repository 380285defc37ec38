/** The addresses that resources name and that the account does not have any more. */

import { isProviderError } from "../providers/errors.js";

/** Of one that the operator released: it is gone for ever, however late the reads are. */
const RELEASED = Number.NEGATIVE_INFINITY;

export class GoneAddresses {
  /** Monotonic ms: since when. */
  private readonly since = new Map<string, number>();
  /** The answers to their releases were lost: a read that does not find them shows that these came through. */
  private readonly lostReleases = new Set<string>();

  released(ip: string): void {
    this.since.set(ip, RELEASED);
  }

  /** Throws the error again. */
  releaseFailed(ip: string, error: unknown): never {
    if (isProviderError(error) && error.outcome === "unknown") this.lostReleases.add(ip);
    throw error;
  }

  isReleased(ip: string): boolean {
    return this.since.get(ip) === RELEASED;
  }

  /** A read did not find it. */
  missing(ip: string, now: number): void {
    this.since.set(ip, this.lostReleases.has(ip) ? RELEASED : (this.since.get(ip) ?? now));
  }

  found(ip: string): void {
    this.since.delete(ip);
  }

  has(ip: string): boolean {
    return this.since.has(ip);
  }

  /** No resource names the others any more. */
  keepOnly(named: ReadonlySet<string>): void {
    for (const ips of [this.since, this.lostReleases]) for (const ip of ips.keys()) if (!named.has(ip)) ips.delete(ip);
  }

  picture(): ReadonlyMap<string, number> {
    return new Map(this.since);
  }
}
