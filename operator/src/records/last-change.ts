/** What this process last wrote to a record set: whether a reading contradicts it, and what a change that ended half-way left. */

import { RECORDS_LASTING_MS, REVERTS_KEPT } from "../bounds.js";
import type { Clock } from "../clock.js";
import type { RecordChangeSet, RecordSetFacts } from "../providers/types.js";
import { sameRecords } from "./same-name.js";

export interface Reading {
  readonly facts: RecordSetFacts;
  /** Monotonic ms. */
  readonly at: number;
}

/** What a plan may know of it. */
export interface OwnChange {
  /** The records are what our last change left, as far as is known. */
  readonly isOurs?: true;
  /** Values before a change that ended half-way: no Event has reported it. */
  readonly halfDone?: readonly string[];
}

export class LastChange {
  /** Our last change, until something contradicts it. */
  private written: Reading | undefined;
  /** What another party put in the place of our last change. */
  private foreign: RecordSetFacts | undefined;
  /** What our last change left, although it may have ended half-way. */
  private left: RecordSetFacts | undefined;
  private halfDone: readonly string[] | undefined;
  /** See `RecordSetView.reverts`. */
  reverts: readonly number[] = [];

  constructor(private readonly clock: Pick<Clock, "now">) {}

  /** @param reading `undefined`: the answers do not show what is there now. */
  succeeded(reading: Reading | undefined): void {
    this.written = reading;
    this.left = reading?.facts;
    this.halfDone = undefined;
  }

  failed({ before }: RecordChangeSet): void {
    this.written = undefined;
    this.left = undefined;
    this.halfDone ??= before;
  }

  of(reading: Reading | undefined): OwnChange {
    const isOurs = this.left !== undefined && reading !== undefined && sameRecords(this.left, reading.facts);
    return { ...(isOurs && { isOurs }), ...(this.halfDone && { halfDone: this.halfDone }) };
  }

  /** Whether our last change is still there. */
  judge(reading: Reading): void {
    const { facts, at } = reading;
    if (this.halfDone !== undefined) this.left ??= facts;
    if (this.written === undefined) this.written = this.repaired(facts) ? reading : undefined;
    else if (!sameRecords(this.written.facts, facts)) {
      this.reverts = [...this.reverts, this.clock.now()].slice(-REVERTS_KEPT);
      this.written = undefined;
      this.foreign = facts;
    } else if (at - this.written.at >= RECORDS_LASTING_MS) this.reverts = [];
  }

  /** A change whose answer was lost, or the other party, has replaced what the other party wrote. */
  private repaired(facts: RecordSetFacts): boolean {
    return this.reverts.length > 0 && this.foreign !== undefined && !sameRecords(this.foreign, facts);
  }
}
