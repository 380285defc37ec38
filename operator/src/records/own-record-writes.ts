/** What this process last wrote to a record set: whether a reading contradicts it, and what an unfinished change has left. */

import type { Clock } from "../clock.js";
import type { ProviderError } from "../providers/errors.js";
import type { RecordChangeSet, RecordFacts, RecordSetFacts, RecordStep } from "../providers/types.js";
import { RECORDS_LASTING_MS, REVERTS_KEPT, SECOND_MS, SECOND_READ_SECONDS, SETTLE_SECONDS } from "../timings.js";
import { omitUndefined } from "../values.js";
import { sameRecords } from "./record-equality.js";

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
  /** ms since the epoch: a read has shown no records, and from then on a second one says whether that is so. */
  readonly emptyUntil?: number;
  /** Values that the set holds by the answers so far, while a change is under way, and after its failure until the next read. */
  readonly held?: readonly string[];
  /** Values that our changes wrote, or may have written: the status may not show the last ones yet. */
  readonly wrote?: readonly string[];
}

/** A record set as it was read, or that it was not (lately). */
export type Records = RecordSetFacts | "unknown";

/** One moment, for those who plan. */
export interface RecordSetView extends OwnChange {
  /** `unknown`: never read, read too long ago, or contradicted by a failure. */
  readonly records: Records;
  /** The last call failed. */
  readonly failure?: ProviderError;
  /** ms since the epoch: no call before. In the past: nothing to wait for. */
  readonly retryAt?: number;
  /** ms since the epoch: when `records` were read. Absent: they are unknown. */
  readonly readAt?: number;
  /** ms since the epoch: when `records` becomes unknown. Absent: it is. */
  readonly readAgainAt?: number;
  /** The provider has not shown its zone for so long that the operator ceases to try. */
  readonly isLongZoneless?: true;
  /** When somebody else was seen to have undone our writes, ms since the epoch. Empty again once a write has lasted. */
  readonly reverts: readonly number[];
}

export class OwnRecordWrites {
  /** Our last change, until something contradicts it. */
  private written: Reading | undefined;
  /** What another party put in the place of our last change. */
  private foreign: RecordSetFacts | undefined;
  /** Since our last change, a reading has contradicted one of ours. */
  private isContradicted = false;
  /** What our last change left, although it may have ended half-way. */
  private left: RecordSetFacts | undefined;
  private halfDone: readonly string[] | undefined;
  private held: readonly string[] | undefined;
  private wrote: readonly string[] | undefined;
  private isUnderWay = false;
  /** An answer has confirmed a step of the change that is under way. */
  hasStepped = false;
  /** What the set held before each of our recent changes; `at`: when the change ended. */
  private former: readonly Reading[] = [];
  /** Monotonic ms: since when all reads have shown no records. */
  private emptySince: number | undefined;
  /** How long a reading may be used at most, ms: one was late, or our change relied on one that may have been. */
  goodForMs = Number.POSITIVE_INFINITY;
  /** See `RecordSetView.reverts`. */
  reverts: readonly number[] = [];

  constructor(private readonly clock: Pick<Clock, "now" | "monotonic">) {}

  /** The first call of a change is sent. @param before `undefined`: unknown */
  begun({ steps }: RecordChangeSet, before: RecordSetFacts | undefined): void {
    const written = steps.flatMap((step) => (step.do === "delete" ? [] : [step.to]));
    this.wrote = [...new Set([...(this.wrote ?? []), ...written])];
    if (before === undefined) return;
    this.isUnderWay = true;
    this.held ??= before.records.map(({ value }) => value);
  }

  /** The provider has confirmed a step of it. */
  stepped(step: RecordStep): void {
    this.hasStepped = true;
    // Of a set that was not read, the steps alone do not show the content.
    if (this.held === undefined) return;
    const left = [...this.held];
    if (step.do !== "create" && left.includes(step.from)) left.splice(left.indexOf(step.from), 1);
    this.held = step.do === "delete" ? left : [...left, step.to];
  }

  /**
   * @param reading `undefined`: the answers do not show what is there now.
   * @param before `undefined`: unknown
   */
  succeeded(reading: Reading | undefined, before: RecordSetFacts | undefined): void {
    // What was read after a failed change, or what contradicted ours, may have been late.
    if (this.halfDone !== undefined || this.isContradicted) this.lookAgain();
    this.replaced(before, reading?.at);
    const left = reading?.facts.records.map(({ value }) => value);
    this.wrote = left === undefined ? this.wrote : this.wrote?.filter((value) => left.includes(value));
    this.written = reading;
    this.left = reading?.facts;
    this.halfDone = this.held = this.emptySince = undefined;
    this.isUnderWay = this.hasStepped = this.isContradicted = false;
  }

  /** Nothing of the change was sent after all. */
  withheld(): void {
    this.isUnderWay = false;
    this.held = undefined;
  }

  /** The change relied on a reading that may have been late: a record that it lacked may be there twice now. */
  lookAgain(): void {
    this.goodForMs = Math.min(this.goodForMs, SETTLE_MS);
  }

  failed({ before }: RecordChangeSet): void {
    this.written = undefined;
    this.left = undefined;
    this.halfDone ??= before;
    this.isUnderWay = this.hasStepped = false;
  }

  of(reading: Reading | undefined): OwnChange {
    const isOurs = this.left !== undefined && reading !== undefined && sameRecords(this.left, reading.facts);
    const until = this.emptyUntil(reading);
    const emptyUntil = until === undefined ? until : this.clock.now() - this.clock.monotonic() + until;
    const { halfDone, held, wrote } = this;
    return { ...(isOurs && { isOurs }), ...omitUndefined({ halfDone, held, wrote, emptyUntil }) };
  }

  /** Whether our last change is still there. @returns what to rely on: a late reading gives way to what we wrote. */
  judge(reading: Reading): Reading {
    this.seen(reading);
    const { facts, at } = reading;
    const { written } = this;
    if (written !== undefined && this.isLate(reading, written)) {
      this.goodForMs = SECOND_READ_SECONDS * SECOND_MS;
      return { facts: { ...facts, records: written.facts.records }, at };
    }
    this.goodForMs = Number.POSITIVE_INFINITY;
    if (written === undefined) this.written = this.repaired(facts) ? reading : undefined;
    // What differs while a change of ours is under way may be ours.
    else if (!this.isUnderWay && this.emptyUntil(reading) === undefined) this.compare(written, reading);
    return reading;
  }

  private seen({ facts, at }: Reading): void {
    if (!this.isUnderWay) this.held = undefined;
    this.emptySince = facts.records.length > 0 ? undefined : (this.emptySince ?? at);
    if (this.halfDone !== undefined) this.left ??= facts;
  }

  private compare(written: Reading, { facts, at }: Reading): void {
    if (sameAddresses(written.facts, facts)) {
      if (at - written.at >= RECORDS_LASTING_MS) this.reverts = [];
      return;
    }
    this.reverts = [...this.reverts, this.clock.now()].slice(-REVERTS_KEPT);
    this.written = undefined;
    this.isContradicted = true;
    this.foreign = facts;
  }

  /** Monotonic ms: one empty answer may be a fault of the provider. `undefined`: it is not empty, or a second one agrees. */
  private emptyUntil(reading: Reading | undefined): number | undefined {
    if (reading === undefined || reading.facts.records.length > 0) return undefined;
    const until = (this.emptySince ?? Number.NEGATIVE_INFINITY) + SECOND_READ_SECONDS * SECOND_MS;
    return reading.at < until ? until : undefined;
  }

  /** It shows only records from before, or during, our changes of the last 30 s: reads lag behind writes. */
  private isLate({ facts, at }: Reading, written: Reading): boolean {
    this.former = this.former.filter((one) => at - one.at < SETTLE_MS);
    if (this.former.length === 0 || itemsOf(facts) === itemsOf(written.facts)) return false;
    const states = [...this.former, written].map((one) => new Set(one.facts.records.map(itemOf)));
    const seen = new Set(facts.records.map(itemOf));
    const lasting = [...(states[0] ?? [])].filter((item) => states.every((state) => state.has(item)));
    return (
      lasting.every((item) => seen.has(item)) && [...seen].every((item) => states.some((state) => state.has(item)))
    );
  }

  private replaced(facts: RecordSetFacts | undefined, at: number | undefined): void {
    if (facts === undefined || at === undefined) return;
    const recent = this.former.filter((one) => at - one.at < SETTLE_MS);
    this.former = [...recent, { facts, at }];
  }

  /** A change whose answer was lost, or the other party, has replaced what the other party wrote. */
  private repaired(facts: RecordSetFacts): boolean {
    return this.reverts.length > 0 && this.foreign !== undefined && !sameRecords(this.foreign, facts);
  }
}

const SETTLE_MS = SETTLE_SECONDS * SECOND_MS;

/** A record that was deleted and created again is another one. */
function itemOf({ id, type, value }: RecordFacts): string {
  return `${type} ${value} ${id}`;
}

function itemsOf({ records }: RecordSetFacts): string {
  return `${records.map(itemOf).sort()}`;
}

/** The same address twice, as a late reading can make us write it, undoes nothing. */
function sameAddresses(a: RecordSetFacts, b: RecordSetFacts): boolean {
  const textOf = ({ records }: RecordSetFacts) => `${[...new Set(records.map(({ value }) => value))].sort()}`;
  return a.zone === b.zone && a.fqdn === b.fqdn && textOf(a) === textOf(b);
}
