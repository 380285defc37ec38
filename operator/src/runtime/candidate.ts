/** One candidate's dealings with the lease: a single try to win or renew it, and giving it up. */

import { LEASE_CALL_MS, LEASE_RELEASE_ATTEMPTS, LEASE_RELEASED_SECONDS, SECOND_MS } from "../bounds.js";
import type { Clock } from "../clock.js";
import { isConflict, isNotFound } from "../kube/status-error.js";
import { type Lease, type LeaseLock, type LeaseRecord, recordOf, sameRecord } from "../kube/write/lease.js";
import { microTime } from "../kube/write/micro-time.js";
import { type Decision, decide, type ElectionTimings, expiresInMs, nextRecord, type Observation } from "./election.js";
import type { LeaseFence } from "./fence.js";

export interface CandidateOptions {
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

  constructor(private readonly options: CandidateOptions) {}

  /** The holder of the lease as last seen; empty if there is none. */
  get holder(): string {
    return this.seen?.record.holder ?? "";
  }

  /**
   * Tries once to win or renew the lease; the fence is extended on success. Resolves to false when another one holds it,
   * and rejects when that is not known.
   */
  async tryOnce(): Promise<boolean> {
    const { identity } = this.options;
    if (this.lease !== undefined && this.holder === identity) {
      if (await this.renewFromMemory(this.lease)) return true;
      this.options.onSlowPath();
    }
    await this.evaluate();
    const decision = this.decision();
    if (decision === "wait") return false;
    await this.write(decision, this.lease);
    return true;
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
    const lease = await this.options.lock.get(this.call());
    this.lease = lease;
    if (lease !== undefined) this.observe(lease);
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

  private call() {
    return { deadlineSeconds: LEASE_CALL_MS / SECOND_MS, maxAttempts: 1 };
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
