/**
 * What was read of a firewall, what resources have in it on record, and what this process wrote: together they say whether
 * it is there.
 */

import type { CreatedFirewall } from "cdk8s-flipop/api";
import type { Clock } from "../../clock.js";
import type { FirewallFacts, FirewallSurvey } from "../../providers/firewall-types.js";
import { SECOND_MS } from "../../timings.js";
import { AdditionalFirewalls } from "./additional-firewalls.js";
import { FirewallShares, type Recorded } from "./firewall-shares.js";
import { type FirewallReading, LateLists } from "./late-lists.js";
import { FormerFirewall, OwnFirewallWrites } from "./own-firewall-writes.js";
import { ReadingAge } from "./reading-age.js";

export class RecordedFirewall {
  protected facts: FirewallFacts | "missing" | undefined;
  readonly additional: AdditionalFirewalls;
  readonly age: ReadingAge;
  readonly former = new FormerFirewall();
  protected readonly shares = new FirewallShares();
  protected readonly own: OwnFirewallWrites;
  protected readonly late: LateLists;

  constructor(
    readonly name: string,
    protected readonly clock: Clock,
    isNamed: (name: string) => boolean,
  ) {
    this.age = new ReadingAge(clock);
    this.own = new OwnFirewallWrites(clock);
    this.late = new LateLists(clock);
    this.additional = new AdditionalFirewalls(name, clock, isNamed);
  }

  /** What a RoutedIP has on record here, or begins to write there. */
  record(uid: string, recorded: Recorded): void {
    this.shares.set(uid, recorded);
  }

  others(uid: string): readonly Recorded[] {
    return this.shares.others(uid);
  }

  /** @param by uid or key of a resource whose status says whether the firewall, or something in it, is the operator's. */
  noteRecord(by: string, isOnRecord: boolean): void {
    if (this.late.note(by, this.name, isOnRecord) && this.facts === "missing") this.doubt();
  }

  noteAdditional(issuer: string, created: readonly CreatedFirewall[]): void {
    this.additional.note(issuer, created);
    const learnt = this.additional.unseen.filter((name) => this.late.note(issuer, name, true));
    if (learnt.length > 0 && this.facts !== undefined) this.doubt();
  }

  /** What was read before these were on record counts no more. */
  private doubt(): void {
    this.facts = undefined;
    this.age.expire();
  }

  /** @param ask for a list that is at most so old, in seconds */
  protected listed(ask: (maxAge: number) => Promise<FirewallSurvey>, maxAge: number, signal: AbortSignal | undefined) {
    const read = async (anew: boolean) => {
      const askedAt = this.clock.monotonic();
      const seen = await ask(anew ? 0 : maxAge);
      return { seen, askedAt, at: askedAt - seen.ageSeconds * SECOND_MS };
    };
    return this.late.read({ read, lackedBy: (reading) => this.lackedBy(reading), signal });
  }

  protected corrected({ firewall, numbered = [] }: Partial<FirewallSurvey>, at: number): readonly FirewallFacts[] {
    return this.own.correct([...(firewall === undefined ? [] : [firewall]), ...numbered], at);
  }

  private lackedBy({ seen, at }: FirewallReading<FirewallSurvey>): readonly string[] {
    const listed = new Set(this.corrected(seen, at).map(({ name }) => name));
    const isExpected = this.late.isOnRecord(this.name) || this.shares.present().length > 0;
    const own = isExpected && !this.former.isRenamed(this.name, seen.names) ? [this.name] : [];
    return [...own, ...this.additional.onRecord].filter((name) => !listed.has(name));
  }
}
