/**
 * When the engine retries failed actions of one resource: by lock key, or by machine or account if these caused the failure.
 * Failures that may pass have a fast schedule, failures that a person must repair a slow one, as in the Go operator.
 */

import type { Reason } from "cdk8s-flipop/api";
import { timeOf, timestamp } from "../clock.js";
import { isConflict, isNotFound } from "../kube/client.js";
import type { ObjectMeta } from "../kube/objects.js";
import type { Problem } from "../messages/message.js";
import { type RecoveringAccount, untilProbe } from "../providers/account-recovery.js";
import { DryRunError, type ProviderErrorKind, type ProviderErrorReason } from "../providers/errors.js";
import type { ProviderId } from "../providers/types.js";
import { done, failed, type Result, requeueAfter } from "../runtime/controller.js";
import { NotLeaderError } from "../runtime/fence.js";
import {
  CLEANUP_ATTEMPTS,
  CLEANUP_DEADLINE_MS,
  CLEANUP_TRYING_MS,
  CONFLICT_MS,
  LONGEST_RETRY_MS,
  NODE_FAILURE_KEPT_MS,
  REPORTED_WAIT_MS,
  RETRY_SCHEDULES,
  SECOND_MS,
} from "../timings.js";
import { ObjectGone } from "./object-writer.js";

type RetrySchedule = keyof typeof RETRY_SCHEDULES;

/** Failures in a row of one thing. */
export interface RetryState {
  readonly schedule: RetrySchedule;
  readonly failures: number;
  /** ms since the epoch: not before. */
  readonly retryAt: number;
}

export interface Failure {
  readonly kind: ProviderErrorKind;
  /** What the API asks for: a lower bound. */
  readonly retryAfterSeconds?: number | undefined;
  /** For people. */
  readonly problem?: Problem;
  readonly detail?: ProviderErrorReason;
}

/** Rate limits and outages are no fault of the resource: they take the fast schedule. */
const SCHEDULE_OF: Readonly<Record<ProviderErrorKind, RetrySchedule>> = {
  NotFound: "slow",
  Conflict: "fast",
  RateLimited: "fast",
  Unavailable: "fast",
  Unauthorized: "slow",
  QuotaExceeded: "slow",
  Terminal: "slow",
};

/** After one more failure. A failure of the other schedule counts from the start of its own. */
export function afterFailure(state: RetryState | undefined, failure: Failure, now: number): RetryState {
  const schedule = scheduleOf(failure);
  const failures = (state?.schedule === schedule ? state.failures : 0) + 1;
  const waitSeconds = Math.max(waitBefore(schedule, failures), failure.retryAfterSeconds ?? 0);
  return { schedule, failures, retryAt: now + waitSeconds * SECOND_MS };
}

function scheduleOf({ kind, problem, detail }: Failure): RetrySchedule {
  if (problem?.reason === "ZoneNotFound") return "zone";
  return detail === "GroupLimit" ? "limit" : SCHEDULE_OF[kind];
}

/** Whether a try is due. A clock that was set back does not extend a wait beyond the longest one. */
export function isDue(retryAt: number | undefined, now: number): boolean {
  if (retryAt === undefined || now >= retryAt) return true;
  return retryAt - now > LONGEST_RETRY_MS;
}

/** Nothing asks for the retry any more. */
export function isLongOverdue(retryAt: number | undefined, now: number): boolean {
  return retryAt !== undefined && now - retryAt >= LONGEST_RETRY_MS;
}

/** Seconds to wait after so many failures in a row. */
function waitBefore(schedule: RetrySchedule, failures: number): number {
  const waits: readonly number[] = RETRY_SCHEDULES[schedule];
  return waits[Math.min(Math.max(failures, 1), waits.length) - 1] ?? 0;
}

interface Entry {
  readonly state: RetryState;
  /** All these failures were of reads. */
  readonly ofReads: boolean;
  /** Of the last failure. */
  readonly problem?: Problem | undefined;
  /** Of the last failure, if it was one of the cleanup. */
  readonly ofCleanup?: Problem | undefined;
  /** The account answers, and a limit of it or a missing zone is the cause, which a person can remove, too. */
  readonly answers: boolean;
  /** The account that failed, and how often it had recovered by then. */
  readonly account?: { readonly of: RecoveringAccount; readonly recovered: number };
}

interface FailureContext {
  readonly now: number;
  /** The failure is the account's, or one of its limits. */
  readonly account?: RecoveringAccount;
  readonly ofRead?: boolean;
  /** The resource is being deleted. */
  readonly ofCleanup?: boolean;
}

interface MachineEntry extends RetryState {
  readonly problem?: Problem | undefined;
}

/** @param whole the account itself failed, not just its changes. */
function entryAccount(account: RecoveringAccount, whole: boolean): Pick<Entry, "account"> {
  const of = whole ? account : (account.changes ?? account);
  return { account: { of, recovered: of.recovered } };
}

export class Retries {
  private readonly entries = new Map<string, Entry>();
  private readonly machines = new Map<ProviderId, MachineEntry>();
  /** When an assignment to the machine failed last for whatever reason, ms since the epoch. */
  private readonly failedAt = new Map<ProviderId, number>();
  private generation: number | undefined;

  /** ms since the epoch: when the key may be tried; `now` where it may be tried at once. */
  dueAt(key: string, now: number): number {
    const retryAt = this.entryOf(key)?.state.retryAt;
    return retryAt === undefined || isDue(retryAt, now) ? now : retryAt;
  }

  /** Failures in a row; `undefined`: none, or its account has recovered since. */
  get(key: string): RetryState | undefined {
    return this.entryOf(key)?.state;
  }

  /** Of the first of these keys whose last action failed while the resource was being deleted. */
  cleanupProblem(keys: readonly string[]): Problem | undefined {
    return keys.map((key) => this.entryOf(key)?.ofCleanup).find((problem) => problem !== undefined);
  }

  failed(key: string, failure: Failure, { now, account, ofRead = false, ofCleanup = false }: FailureContext) {
    const before = this.entryOf(key);
    const state = afterFailure(before?.state, failure, now);
    const answers = failure.kind === "QuotaExceeded" || state.schedule === "zone";
    const about = { ofReads: ofRead && before?.ofReads !== false, answers, problem: failure.problem };
    const of = account && entryAccount(account, ofRead || answers);
    this.entries.set(key, { state, ...about, ofCleanup: ofCleanup ? failure.problem : undefined, ...of });
    return state;
  }

  succeeded(key: string): void {
    this.entries.delete(key);
  }

  /** Says nothing of a change that was refused: each refusal leads to a reading, and the change would never wait longer. */
  readSucceeded(key: string): void {
    if (this.entries.get(key)?.ofReads === true) this.entries.delete(key);
  }

  machineFailed(machine: ProviderId, failure: Failure, now: number): void {
    const { problem } = failure;
    this.machines.set(machine, { ...afterFailure(this.machines.get(machine), failure, now), problem });
  }

  machineSucceeded(machine: ProviderId): void {
    this.machines.delete(machine);
    this.failedAt.delete(machine);
  }

  /** The machine is no more to blame than the address or the account; the next try is on another one all the same. */
  attemptFailed(machine: ProviderId, now: number): void {
    this.failedAt.set(machine, now);
  }

  /** See `leastRecentlyFailedFirst`. */
  machineFailedAt(now: number): ReadonlyMap<ProviderId, number> {
    for (const [machine, at] of this.failedAt) if (now - at > NODE_FAILURE_KEPT_MS) this.failedAt.delete(machine);
    return new Map(this.failedAt);
  }

  /** Machines that refused an address lately: not before, ms since the epoch. */
  machineRetryAt(now: number): ReadonlyMap<ProviderId, number> {
    for (const [machine, { retryAt }] of this.machines) {
      if (now - retryAt > NODE_FAILURE_KEPT_MS) this.machines.delete(machine);
    }
    return new Map([...this.machines].map(([machine, { retryAt }]) => [machine, retryAt]));
  }

  /** How these machines refused it last. */
  machineProblems(): ReadonlyMap<ProviderId, Problem> {
    return new Map([...this.machines].flatMap(([machine, { problem }]) => (problem ? [[machine, problem]] : [])));
  }

  /** What the API server refused last, by key. */
  refusedWrites(): ReadonlyMap<string, Problem> {
    const refused = [...this.entries].flatMap(([key, { problem }]) => (problem ? [[key, problem] as const] : []));
    return new Map(refused.filter(([, { reason }]) => reason === "APIServerRefused"));
  }

  /** What waits, by key: not before, ms since the epoch. */
  retryAt(): ReadonlyMap<string, number> {
    return this.waits(() => true);
  }

  /** What waits for an account, by key. */
  accountRetryAt(): ReadonlyMap<string, number> {
    return this.waits(({ account, answers }) => account !== undefined && !answers);
  }

  /** A person has edited the spec: what only a person could fix is tried at once. */
  followGeneration(generation: number | undefined): void {
    if (generation === this.generation) return;
    const first = this.generation === undefined;
    this.generation = generation;
    if (!first) this.retryFixed();
  }

  /** A person may have fixed what only a person can fix. @param reason of the cleanups that this is about; absent: it is about all */
  retryFixed(reason?: Reason): void {
    for (const [key, { state, account, answers, ofCleanup }] of this.entries) {
      if (reason !== undefined && ofCleanup?.reason !== reason) continue;
      if (state.schedule !== "fast" && (account === undefined || answers)) this.entries.delete(key);
    }
  }

  private waits(counts: (entry: Entry) => boolean): ReadonlyMap<string, number> {
    const keys = [...this.entries.keys()];
    return new Map(
      keys.flatMap((key) => {
        const entry = this.entryOf(key);
        return entry === undefined || !counts(entry) ? [] : [[key, entry.state.retryAt] as const];
      }),
    );
  }

  private entryOf(key: string): Entry | undefined {
    const entry = this.entries.get(key);
    if (entry?.account === undefined) return entry;
    const { of, recovered } = entry.account;
    if (of.recovered === recovered) return { ...entry, state: untilProbe(entry.state, of) };
    this.entries.delete(key);
    return undefined;
  }
}

/**
 * The next of these tries (ms since the epoch) that is far enough away. A time that the status has stays until the try has
 * ended: so the status changes once for each try.
 */
export function reportedRetry(
  waits: readonly (number | undefined)[],
  last: string | undefined,
  now: number,
): string | undefined {
  const known = timeOf(last);
  const worth = waits.flatMap((at) =>
    at !== undefined && (at - now >= REPORTED_WAIT_MS || Math.trunc(at) === known) ? [at] : [],
  );
  return worth.length === 0 ? undefined : timestamp(Math.min(...worth));
}

/** Nothing was sent: somebody else leads, or it is a dry run. */
export function isWithheld(error: unknown): error is NotLeaderError | DryRunError {
  return error instanceof NotLeaderError || error instanceof DryRunError;
}

/** A deleted object needs no further run, and a changed one brings its own; other failures are tried again later. */
export function resultOfError(error: unknown): Result {
  if (isWithheld(error) || error instanceof ObjectGone || isNotFound(error)) return done;
  return isConflict(error) ? requeueAfter(CONFLICT_MS) : failed(error);
}

/** What this process remembers of the cleanup. */
export interface CleanupMemory {
  readonly attempts: number;
  /** Of the first attempt, ms since the epoch. */
  readonly since?: number;
}

/** With an attempt that begins now. */
export function nextAttempt({ attempts, since }: CleanupMemory, now: number): CleanupMemory {
  return { attempts: attempts + 1, since: since ?? now };
}

/** Whether the deadline has passed. */
export function isCleanupOverdue(
  { deletionTimestamp }: Pick<ObjectMeta, "deletionTimestamp">,
  now: number,
  { attempts, since }: CleanupMemory,
): boolean {
  const deletedAt = timeOf(deletionTimestamp) ?? now;
  const trying = since === undefined ? 0 : now - since;
  return now - deletedAt >= CLEANUP_DEADLINE_MS && attempts >= CLEANUP_ATTEMPTS && trying >= CLEANUP_TRYING_MS;
}
