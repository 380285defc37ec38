/**
 * Leader election: the decision on values (what was seen, when our own monotonic clock saw it, what to do), and one
 * candidate's calls: a single try to win or renew the lease, and its release.
 */

import { type Clock, microTime } from "../clock.js";
import { isConflict, isNotFound } from "../kube/client.js";
import { type Lease, type LeaseLock, type LeaseRecord, recordOf, sameRecord } from "../kube/write/lease.js";
import { KUBE_CALL_SECONDS, LEASE_RELEASE_ATTEMPTS, LEASE_RELEASED_SECONDS, SECOND_MS } from "../timings.js";
import type { LeaseFence } from "./fence.js";

export interface ElectionTimings {
  /** Others may take the lease this long after they saw its last change. @default 15_000 ms */
  readonly leaseMs: number;
  /** The holder stops writing this long after it sent its last successful renewal. @default 10_000 ms */
  readonly renewDeadlineMs: number;
  /** Between two tries. @default 2_000 ms */
  readonly retryMs: number;
}

/** Candidates wait up to this many retry periods more, so that they do not try in step. */
export const RETRY_JITTER = 1.2;
/** Share of the retry period over which candidates spread who wait for one and the same end of a term. */
export const EXPIRY_SPREAD = 0.1;

/** A lease record and the monotonic ms at which its present form was first seen here. */
interface Observation {
  readonly record: LeaseRecord;
  readonly atMs: number;
}

/** `create` and `take`: try to become the holder. `renew`: we are. `wait`: another one is. */
export type Decision = "create" | "take" | "renew" | "wait";

interface Situation {
  /** Whether the lease is there. A lease deleted under its holder leaves the last observation behind. */
  readonly exists: boolean;
  readonly seen: Observation | undefined;
  readonly self: string;
  readonly nowMs: number;
  readonly leaseMs: number;
}

export function decide({ exists, seen, self, nowMs, leaseMs }: Situation): Decision {
  if (seen !== undefined && isHeldByOther(seen, self) && nowMs < expiresAt(seen, leaseMs)) return "wait";
  if (!exists) return "create";
  return seen?.record.holder === self ? "renew" : "take";
}

/** ms until the term of another replica ends, as far as observed; `undefined`: no other replica has one. */
function expiresInMs({ seen, self, nowMs, leaseMs }: Omit<Situation, "exists">): number | undefined {
  if (seen === undefined || !isHeldByOther(seen, self)) return undefined;
  const ms = expiresAt(seen, leaseMs) - nowMs;
  return ms > 0 ? ms : undefined;
}

/** The record to write: `renew` keeps what belongs to the term, the others begin one. */
export function nextRecord(
  decision: "create" | "take" | "renew",
  seen: LeaseRecord | undefined,
  own: { readonly self: string; readonly leaseMs: number; readonly now: string },
): LeaseRecord {
  const renewing = decision === "renew" && seen !== undefined;
  return {
    holder: own.self,
    durationSeconds: Math.ceil(own.leaseMs / SECOND_MS),
    acquireTime: renewing ? seen.acquireTime : own.now,
    renewTime: own.now,
    transitions: (seen?.transitions ?? 0) + (decision === "take" ? 1 : 0),
  };
}

/** Throws where the timings cannot keep two holders apart. */
export function checkTimings({ leaseMs, renewDeadlineMs, retryMs }: ElectionTimings): void {
  if (leaseMs <= renewDeadlineMs) {
    throw new Error(`lease of ${leaseMs} ms must be longer than the renew deadline of ${renewDeadlineMs} ms`);
  }
  if (renewDeadlineMs <= RETRY_JITTER * retryMs) {
    throw new Error(
      `renew deadline of ${renewDeadlineMs} ms must be longer than ${RETRY_JITTER} x ${retryMs} ms (retry)`,
    );
  }
}

/** How long an answer about the lease may take: two tries fit into a renew deadline. */
export function leaseCallMs(renewDeadlineMs: number): number {
  return renewDeadlineMs / 2;
}

/** How long a read of the lease took, if a leader could not renew it at that pace. */
interface SlowRead {
  readonly ms: number;
  readonly answered: boolean;
}

function slowText({ ms, answered }: SlowRead, usualMs: number): string {
  const took = `${answered ? "" : "more than "}${(ms / SECOND_MS).toFixed(1)} s`;
  return (
    `the API server takes ${took} to answer for the Lease, and a leader needs answers within ${usualMs / SECOND_MS} s; ` +
    "fix: look for its load and for a slow proxy or network in between; or raise --leader-elect-renew-deadline " +
    `above ${2 * Math.ceil(ms / SECOND_MS)} s, and --leader-elect-lease-duration above that`
  );
}

function isHeldByOther(seen: Observation, self: string): boolean {
  return seen.record.holder !== "" && seen.record.holder !== self;
}

/** A holder that promised a longer term than ours is believed. */
function expiresAt(seen: Observation, leaseMs: number): number {
  return seen.atMs + Math.max(leaseMs, seen.record.durationSeconds * SECOND_MS);
}

interface CandidateOptions {
  readonly lock: LeaseLock;
  /** Unique for each process, restarts included. */
  readonly identity: string;
  readonly clock: Clock;
  readonly timings: ElectionTimings;
  readonly fence: LeaseFence;
  /** Called for each renewal that could not be written from memory. */
  readonly onSlowPath: () => void;
}

export class Candidate {
  private lease: Lease | undefined;
  private seen: Observation | undefined;
  private resigned = false;
  private slow: SlowRead | undefined;

  constructor(private readonly options: CandidateOptions) {}

  /** The holder of the lease as last seen; empty if there is none. */
  get holder(): string {
    return this.seen?.record.holder ?? "";
  }

  /** Why this process does not try to win the lease, for people. */
  tooSlow(): string | undefined {
    return this.slow && slowText(this.slow, leaseCallMs(this.options.timings.renewDeadlineMs));
  }

  /**
   * Tries once to win or renew the lease; the fence is extended on success. Resolves to false when another one holds it
   * or the API server answers too slowly to lead, and rejects when the holder is not known.
   */
  async tryOnce(): Promise<boolean> {
    const { identity } = this.options;
    if (this.lease !== undefined && this.holder === identity && this.mayWrite) {
      if (await this.renewFromMemory(this.lease)) return true;
      this.options.onSlowPath();
    }
    await this.evaluate();
    const decision = this.decision();
    if (decision === "wait" || !this.mayWrite) return false;
    await this.write(decision, this.lease);
    return true;
  }

  /** A win that cannot be renewed in time ends the process, and keeps the lease from a replica that is closer. */
  private get mayWrite(): boolean {
    return this.slow === undefined || this.options.fence.untilDeadlineMs() > 0;
  }

  /** ms until the holder's term is over, if it is not renewed; `undefined`: there is none. */
  expiresInMs(): number | undefined {
    const { identity: self, clock, timings } = this.options;
    return expiresInMs({ seen: this.seen, self, nowMs: clock.monotonic(), leaseMs: timings.leaseMs });
  }

  /** Begins, or begins again, to compete. */
  stand(): void {
    this.resigned = false;
  }

  /** Shuts the fence for good: an answer still on its way does not open it again. */
  resign(): void {
    this.resigned = true;
    this.options.fence.shut();
  }

  /** Releases the lease, so that another replica can take it at once. Rejects if the server did not accept the release. */
  async release(): Promise<void> {
    this.resign();
    for (let left = LEASE_RELEASE_ATTEMPTS; left > 0; left--) {
      if (this.lease === undefined || this.holder !== this.options.identity) return;
      if (await this.tryRelease(this.lease)) return;
      // A renewal whose answer was lost has moved the version on.
      await this.evaluate();
    }
    throw new Error(
      `lease kept changing while it was given up (${LEASE_RELEASE_ATTEMPTS} tries): it runs out by itself`,
    );
  }

  private async renewFromMemory(lease: Lease): Promise<boolean> {
    return succeeds(this.write("renew", lease));
  }

  private async tryRelease(lease: Lease): Promise<boolean> {
    const now = microTime(this.options.clock.now());
    const record = {
      ...recordOf(lease),
      holder: "",
      durationSeconds: LEASE_RELEASED_SECONDS,
      renewTime: now,
      acquireTime: now,
    };
    return succeeds(this.options.lock.update(lease, record, this.call()).then((written) => this.observe(written)));
  }

  private async evaluate(): Promise<void> {
    const { clock, lock, timings } = this.options;
    const usualMs = leaseCallMs(timings.renewDeadlineMs);
    // A read that was too slow gets more time, so that its latency can be measured.
    const ms = Math.max(usualMs, Math.min(2 * (this.slow?.ms ?? 0), KUBE_CALL_SECONDS * SECOND_MS));
    const askedAt = clock.monotonic();
    const noteTime = (answered: boolean) => {
      const tookMs = clock.monotonic() - askedAt;
      this.slow = tookMs < usualMs ? undefined : { ms: tookMs, answered };
    };
    try {
      this.lease = await lock.get(this.call(ms));
      noteTime(true);
    } catch (error) {
      noteTime(false);
      throw error;
    }
    if (this.lease !== undefined) this.observe(this.lease);
  }

  private decision(): Decision {
    const { identity, clock, timings } = this.options;
    const { seen } = this;
    const situation = { exists: this.lease !== undefined, seen, self: identity, leaseMs: timings.leaseMs };
    return decide({ ...situation, nowMs: clock.monotonic() });
  }

  private async write(decision: "create" | "take" | "renew", lease: Lease | undefined): Promise<void> {
    const { lock, clock, timings, identity, fence } = this.options;
    const own = { self: identity, leaseMs: timings.leaseMs, now: microTime(clock.now()) };
    const record: LeaseRecord = nextRecord(decision, this.seen?.record, own);
    // Others count from when the server took the write, which is later: our term ends before theirs can begin.
    const sentAt = clock.monotonic();
    const written = await (lease === undefined
      ? lock.create(record, this.call())
      : lock.update(lease, record, this.call()));
    this.observe(written);
    if (!this.resigned) fence.extendTo(sentAt + timings.renewDeadlineMs);
  }

  private observe(lease: Lease): void {
    this.lease = lease;
    const record = recordOf(lease);
    if (this.seen !== undefined && sameRecord(this.seen.record, record)) return;
    this.seen = { record, atMs: this.options.clock.monotonic() };
  }

  private call(ms = leaseCallMs(this.options.timings.renewDeadlineMs)) {
    return { deadlineSeconds: ms / SECOND_MS, maxAttempts: 1 };
  }
}

/** Resolves to false on a 409 or 404: the lease is not as it was last seen. */
async function succeeds(write: Promise<void>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return false;
    throw error;
  }
}
