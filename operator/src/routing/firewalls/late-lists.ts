/**
 * A list that lacks a firewall on record may be late, and a rule that the operator forgets stays open for ever. So a firewall
 * counts as gone only when a second list, read some time later, lacks it, too.
 */

import type { Clock } from "../../clock.js";
import { unlessAborted } from "../../providers/errors.js";
import { SECOND_MS, SECOND_READ_SECONDS } from "../../timings.js";

type Name = string;

/** A list of firewalls. */
export interface FirewallReading<T> {
  readonly seen: T;
  /** Monotonic ms. */
  readonly askedAt: number;
  /** What is in it was so at this time, monotonic ms. */
  readonly at: number;
}

interface ExpectedFirewalls<T> {
  /** @param anew: no list that others have asked for */
  read(anew: boolean): Promise<FirewallReading<T>>;
  /** Which of the firewalls that are on record, or were there before, the list lacks. */
  lackedBy(reading: FirewallReading<T>): readonly Name[];
  readonly signal: AbortSignal | undefined;
}

export class LateLists {
  /** When the first list lacked them, monotonic ms. */
  private readonly lackedSince = new Map<Name, number>();
  private readonly gone = new Set<Name>();
  /** Who has something in a firewall on record was asked once: what comes later, this process has seen itself. */
  private readonly asked = new Set<string>();
  private readonly onRecord = new Set<Name>();

  constructor(private readonly clock: Clock) {}

  /** @param by uid, or key, of a resource. @returns whether this process has just learnt that the firewall is on record */
  note(by: string, name: Name, isOnRecord: boolean): boolean {
    const key = `${by} ${name}`;
    if (this.asked.has(key)) return false;
    this.asked.add(key);
    if (isOnRecord) this.onRecord.add(name);
    return isOnRecord && !this.gone.has(name);
  }

  forget(by: string, name: Name): void {
    this.asked.delete(`${by} ${name}`);
  }

  isOnRecord(name: Name): boolean {
    return this.onRecord.has(name);
  }

  /** The operator has removed it, or the API does not find it by its id. */
  isGone(name: Name): void {
    this.gone.add(name);
    this.onRecord.delete(name);
  }

  isThere(name: Name): void {
    this.gone.delete(name);
    this.lackedSince.delete(name);
    this.onRecord.add(name);
  }

  async read<T>({ read, lackedBy, signal }: ExpectedFirewalls<T>): Promise<FirewallReading<T>> {
    for (let anew = false; ; anew = true) {
      const reading = await read(anew);
      const waitMs = this.waitMs(lackedBy(reading), reading.at);
      if (waitMs <= 0) return reading;
      await unlessAborted(signal, "list firewalls", this.clock.sleep(waitMs, signal));
    }
  }

  /** Until another list may confirm what this one lacks; 0: it counts. */
  private waitMs(lacked: readonly Name[], at: number): number {
    const waits = lacked.map((name) => {
      if (this.gone.has(name)) return 0;
      const since = this.lackedSince.get(name) ?? at;
      this.lackedSince.set(name, since);
      const left = since + SECOND_READ_SECONDS * SECOND_MS - at;
      if (left <= 0) this.isGone(name);
      return left;
    });
    return Math.max(0, ...waits);
  }
}
