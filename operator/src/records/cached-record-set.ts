/** One record set as this process last read or wrote it, with the failure that delays the next call. */

import type { Clock } from "../clock.js";
import { Coalesced } from "../inventory/shared-reads.js";
import { type RecoveringAccount, untilProbe } from "../providers/account-recovery.js";
import type { CallContext } from "../providers/call.js";
import { recordsAfter } from "../providers/diff.js";
import { isProviderError, isSuperseded, isWithdrawn, type ProviderError } from "../providers/errors.js";
import { FailureCause } from "../providers/failure-cause.js";
import { type MissingZone, RecordAccounts } from "../providers/record-accounts.js";
import type {
  DnsProvider,
  RecordChangeSet,
  RecordFacts,
  RecordSetFacts,
  RecordSetName,
  RecordType,
} from "../providers/types.js";
import { problemOf } from "../reconcile/conditions.js";
import { afterFailure, type Failure, isLongOverdue, isWithheld, type RetryState } from "../reconcile/retries.js";
import {
  CHANGE_FAILURE_KEPT_MS,
  CLEANUP_DEADLINE_MS,
  CONTESTED_RECORDS_MAX_AGE_MS,
  DRIFT_READ_SHARE,
  RECORDS_SURE_MS,
} from "../timings.js";
import { omitUndefined } from "../values.js";
import { isStillRight, needsFreshReading, supersededChange } from "./fresh-reading.js";
import { OwnRecordWrites, type Reading, type RecordSetView } from "./own-record-writes.js";

export type { RecordSetView, Records } from "./own-record-writes.js";

/** Who asks, with which token. */
export interface Caller {
  readonly provider: DnsProvider;
  readonly context: CallContext;
}

/** What was seen of the addresses of one type on the name. */
export interface Sighting {
  readonly records: readonly RecordFacts[];
  /** Monotonic ms. */
  readonly at: number;
}

export interface RecordSetOptions {
  /** What others change is restored within this. */
  readonly driftMs: number;
  /** @default one for this set alone */
  readonly accounts?: RecordAccounts;
  /** How long to wait at least while this zone is missing. @default a minute */
  readonly zonelessSeconds?: (zone: MissingZone) => number;
}

export class RecordSet {
  private reading: Reading | undefined;
  /** Of the type that is not in the set. */
  private others: Sighting | undefined;
  private writtenTo = Number.NEGATIVE_INFINITY;
  private failure: ProviderError | undefined;
  private retry: RetryState | undefined;
  private readonly cause: FailureCause;
  private readonly accounts: RecordAccounts;
  private changeFailed = false;
  /** Between these answers, monotonic ms, none has shown the zone. */
  private zoneless: { readonly since: number; readonly at: number } | undefined;
  private readonly own: OwnRecordWrites;
  private caller: Caller | undefined;
  private readonly reads: Coalesced;
  private changing: { readonly change: Promise<void>; readonly beganAt: number } | undefined;

  constructor(
    readonly name: RecordSetName,
    private readonly clock: Clock,
    private readonly options: RecordSetOptions,
  ) {
    this.own = new OwnRecordWrites(clock);
    this.accounts = options.accounts ?? new RecordAccounts(clock);
    this.cause = new FailureCause(name.zone, this.accounts);
    this.reads = new Coalesced(clock, () => this.readOnce());
  }

  /** @param mostMs a reading of this age is unknown in any case. */
  view(mostMs = Number.POSITIVE_INFINITY): RecordSetView {
    this.followAccount();
    const { reading, failure, retry } = this;
    const age = reading === undefined ? 0 : this.clock.monotonic() - reading.at;
    const left = reading === undefined ? 0 : Math.min(mostMs, this.goodForMs()) - age;
    const now = this.clock.now();
    return {
      records: reading !== undefined && left > 0 ? reading.facts : "unknown",
      ...(failure === undefined ? {} : { failure }),
      ...(this.isLongZoneless && { isLongZoneless: true as const }),
      ...untilProbe(omitUndefined({ retryAt: retry?.retryAt }), this.nextProbe),
      ...(left > 0 ? { readAt: now - age, readAgainAt: now + left } : {}),
      ...this.own.of(reading),
      reverts: this.own.reverts,
    };
  }

  /** A change that has begun was due then, and remains so: its calls ask again whether it is still wanted. */
  private get nextProbe(): Pick<RecoveringAccount, "probeAt"> | undefined {
    return this.changing === undefined ? this.cause.probe : { probeAt: this.changing.beganAt };
  }

  /** That the provider does not have. Whose retry is long overdue has no resource any more. */
  get missingZone(): MissingZone | undefined {
    this.followAccount();
    const counts = this.failure?.kind === "NotFound" && !isLongOverdue(this.retry?.retryAt, this.clock.now());
    return counts && this.caller !== undefined ? this.cause.zoneOf(this.caller.provider) : undefined;
  }

  private get isLongZoneless(): boolean {
    const { since = 0, at = 0 } = this.zoneless ?? {};
    return this.failure?.kind === "NotFound" && at - since >= CLEANUP_DEADLINE_MS;
  }

  /** The last sighting of a type, however long ago. */
  lastOf(type: RecordType): Sighting | undefined {
    const { reading } = this;
    if (!this.name.types.includes(type)) return this.others;
    return reading && { at: reading.at, records: reading.facts.records.filter((record) => record.type === type) };
  }

  /** With another token, the account may have the zone. */
  handTo(provider: object): void {
    if (this.failure?.kind !== "NotFound" || this.caller?.provider === provider) return;
    this.failure = this.retry = this.zoneless = undefined;
  }

  /**
   * Reads it, or joins a read that runs. Rejects with ProviderError, which also stands in the view from then on.
   * The signal of the context ends the wait, not the read: others may wait for it.
   */
  async read(caller: Caller): Promise<void> {
    this.caller = caller;
    await this.reads.run(this.writtenTo, caller.context.signal);
  }

  /**
   * Makes the changes. The view shows the result without another read, where the answers tell it; after a failure it is
   * unknown. Rejects with ProviderError, or as a withheld write does: where nothing was sent, the view stays.
   */
  async apply(caller: Caller, changes: RecordChangeSet): Promise<void> {
    if (this.changing !== undefined) {
      // The resource that had the name before still changes it.
      await this.changing.change.catch(() => undefined);
      throw supersededChange(caller.provider, changes);
    }
    const beganAt = this.clock.now();
    const change = this.change(caller, changes).finally(() => {
      this.changing = undefined;
    });
    this.changing = { change, beganAt };
    await change;
  }

  /** After a change: what it relied on may have been late, so the result is read soon. */
  lookAgain(): void {
    this.own.lookAgain();
  }

  private async change(caller: Caller, changes: RecordChangeSet): Promise<void> {
    await this.confirm(caller, changes);
    const { provider, context } = caller;
    const before = this.reading?.facts;
    let sent = context.recheck === undefined;
    const begin = () => {
      sent = true;
      this.own.begun(changes, before);
    };
    const recheck = () => {
      const because = context.recheck?.();
      if (because === undefined) begin();
      return because;
    };
    if (sent) begin();
    try {
      const { changes: ofAccount } = this.accounts.recoveryOf(provider);
      const checked = { ...context, ...(sent ? {} : { recheck }) };
      const written = await ofAccount.send(() => provider.apply(checked, changes, (step) => this.own.stepped(step)));
      this.cause.noteSuccess(provider);
      this.writtenTo = this.clock.monotonic();
      this.changed(before, changes, written);
    } catch (error) {
      const isUnsent = isWithheld(error) || (isSuperseded(error) && !sent);
      if (isUnsent && !this.own.hasStepped) this.own.withheld();
      else this.unfinished(error, provider, changes);
      throw error;
    }
  }

  /** Part of the change may have been made. */
  private unfinished(error: unknown, provider: object, changes: RecordChangeSet): void {
    this.writtenTo = this.clock.monotonic();
    this.reading = undefined;
    this.own.failed(changes);
    if (!isProviderError(error)) return;
    this.changeFailed ||= !isWithdrawn(error);
    this.failed(error, provider, false);
  }

  /**
   * Reads again before a change that only deletes, since the value that it leaves may be gone, or the TTL of what it ends be
   * longer, and before records get settings of others. Rejects as Superseded if the set has changed: the resource plans again.
   */
  private async confirm(caller: Caller, changes: RecordChangeSet): Promise<void> {
    const { reading } = this;
    if (reading === undefined || !needsFreshReading(caller.provider, changes, reading.facts)) return;
    if (this.clock.monotonic() - reading.at <= RECORDS_SURE_MS) return;
    await this.read(caller);
    const now = this.reading?.facts;
    if (now === undefined || !isStillRight(changes, reading.facts, now))
      throw supersededChange(caller.provider, changes);
  }

  private changed(before: RecordSetFacts | undefined, changes: RecordChangeSet, written: readonly RecordFacts[]): void {
    const facts = before && recordsAfter(before, changes, written);
    this.reading = facts && { facts, at: this.clock.monotonic() };
    this.own.succeeded(this.reading, before);
    this.changeFailed = false;
    this.failure = this.retry = this.zoneless = undefined;
  }

  private async readOnce(): Promise<void> {
    const { caller } = this;
    if (caller === undefined) throw new Error(`record set ${this.name.name}: no caller asked for the read`);
    const { signal: _others, ...context } = caller.context;
    const askedAt = this.clock.monotonic();
    this.accounts.recoveryOf(caller.provider).noteRead();
    try {
      const facts = await caller.provider.read(context, this.name);
      this.cause.noteSuccess(caller.provider);
      this.take({ facts, at: askedAt });
    } catch (error) {
      this.reading = undefined;
      if (isProviderError(error)) this.failed(error, caller.provider, true);
      throw error;
    }
  }

  private take(reading: Reading): void {
    // A change that ended meanwhile knows more than this read.
    if (reading.at < this.writtenTo) return;
    const { facts, at } = reading;
    this.others = facts.others && { records: facts.others, at };
    this.reading = this.own.judge(reading);
    this.failure = this.zoneless = undefined;
    // A failed change is counted on until one succeeds, else it would be tried at the pace of the first failure for ever.
    if (!this.changeFailed) this.retry = undefined;
  }

  private goodForMs(): number {
    const usual = Math.min(this.options.driftMs * DRIFT_READ_SHARE, this.own.goodForMs);
    const contested = this.own.reverts.length > 0 || this.reading?.facts.hasCname === true;
    return contested ? Math.min(CONTESTED_RECORDS_MAX_AGE_MS, usual) : usual;
  }

  /** What failed for the sake of an account, or of a zone, that has recovered since may be tried at once. */
  private followAccount(): void {
    if (!this.cause.takeRecovery()) return;
    this.retry = undefined;
    // It would say that the zone is missing.
    if (this.failure?.kind === "NotFound") this.failure = this.zoneless = undefined;
  }

  private counted(error: ProviderError, provider: object): Failure {
    if (error.kind !== "NotFound") return error;
    const problem = problemOf(error, "ZoneNotFound");
    return {
      kind: error.kind,
      retryAfterSeconds: this.options.zonelessSeconds?.(this.cause.zoneOf(provider)),
      problem,
    };
  }

  private failed(error: ProviderError, provider: object, read: boolean): void {
    // Whoever gave up says nothing about the provider.
    if (isWithdrawn(error)) return;
    // Else what it failed for before would end this failure.
    this.followAccount();
    const now = this.clock.now();
    const old = this.retry !== undefined && now - this.retry.retryAt > CHANGE_FAILURE_KEPT_MS;
    this.failure = error;
    const at = this.clock.monotonic();
    if (error.kind === "NotFound") this.zoneless = { since: (old ? undefined : this.zoneless?.since) ?? at, at };
    this.retry = afterFailure(old ? undefined : this.retry, this.counted(error, provider), now);
    this.cause.noteFailure(error, provider, read);
  }
}
