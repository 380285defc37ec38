/** How old the reading of a firewall is, and when the firewall has to be read again. All times are monotonic ms. */

import type { Clock } from "../../clock.js";
import {
  FIREWALL_MAX_AGE_SECONDS,
  FIREWALL_SHARED_SECONDS,
  FIREWALL_STALE_SECONDS,
  SECOND_MS,
  USERS_SETTLE_MS,
} from "../../timings.js";

const NEVER = Number.NEGATIVE_INFINITY;

export class ReadingAge {
  /** What was read was so at this time. */
  private readAt = NEVER;
  private askedAt = NEVER;
  /** A list that is older may not show it, whichever token it was read with. */
  private writtenAt = NEVER;
  private usersChangedAt = NEVER;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /** Until the firewall is due; 0: now. */
  get leftMs(): number {
    const now = this.clock.monotonic();
    if (this.askedAt < this.usersKnownAt(now)) return 0;
    const settledAt = this.usersChangedAt + USERS_SETTLE_MS;
    const agedAt = this.readAt + FIREWALL_MAX_AGE_SECONDS * SECOND_MS;
    return Math.max(0, (now < settledAt ? Math.min(agedAt, settledAt) : agedAt) - now);
  }

  get isFresh(): boolean {
    return this.leftMs > 0;
  }

  get isStale(): boolean {
    return this.clock.monotonic() - this.readAt >= FIREWALL_STALE_SECONDS * SECOND_MS;
  }

  /** A list that is older does not do. */
  get longestSeconds(): number {
    const now = this.clock.monotonic();
    const since = Math.max(this.writtenAt, this.usersKnownAt(now));
    return Math.min(FIREWALL_SHARED_SECONDS, (now - since) / SECOND_MS);
  }

  read(askedAt: number, readAt: number): void {
    this.askedAt = askedAt;
    this.readAt = readAt;
  }

  wrote(): void {
    this.writtenAt = this.clock.monotonic();
  }

  /** Conditions go by the last reading; the next change waits for another one. */
  expire(): void {
    this.readAt = Math.min(this.readAt, this.clock.monotonic() - FIREWALL_MAX_AGE_SECONDS * SECOND_MS);
  }

  /** Another installation may have removed as its last user what this one needs. */
  usersChanged(): void {
    this.usersChangedAt = this.clock.monotonic();
  }

  /** That installation may still have been at it when it was read first: a second reading follows. */
  private usersKnownAt(now: number): number {
    const settledAt = this.usersChangedAt + USERS_SETTLE_MS;
    return now < settledAt ? this.usersChangedAt : settledAt;
  }
}
