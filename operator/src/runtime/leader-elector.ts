/** Leader election: at most one process of several writes. Timings, semantics and metrics of client-go's elector. */

import { LEASE_NAME } from "cdk8s-flipop/api";
import { jittered, pause, type Random } from "../async.js";
import type { Clock, Timer } from "../clock.js";
import type { Settings } from "../config.js";
import type { KubeClient } from "../kube/client.js";
import { type LeaseHooks, LeaseLock } from "../kube/write/lease.js";
import type { Logger } from "../logging.js";
import { type LeaderMetrics, noLeaderMetrics } from "../metrics/controller.js";
import { ELECTION_TIMINGS, SECOND_MS } from "../timings.js";
import { LeaseFence } from "./fence.js";
import { Candidate, checkTimings, type ElectionTimings, EXPIRY_SPREAD, RETRY_JITTER } from "./lease-candidate.js";

/** `stopped`: before it led. `finished`: led, and ended by itself. `lost`: the lease was lost. */
export type ElectionOutcome = "stopped" | "finished" | "lost";

/** What the leader does: it ends soon after `lost` aborts. Resolves to whether all of it has ended by itself. */
export type Lead = (lost: AbortSignal) => Promise<{ readonly release: boolean }>;

export interface Elector {
  /** Waits to become the leader, then leads once. */
  run(stop: AbortSignal, lead: Lead): Promise<ElectionOutcome>;
}

export interface LeaderElectorOptions {
  readonly lock: LeaseLock;
  /** Unique for each process, restarts included: host name and a random part. */
  readonly identity: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** @default Math.random */
  readonly random?: Random;
  readonly timings?: ElectionTimings;
  readonly metrics?: LeaderMetrics;
}

export class LeaderElector implements Elector {
  /** Shut until this process leads. Everything that writes asks it first. */
  readonly fence: LeaseFence;
  private readonly candidate: Candidate;
  private readonly timings: ElectionTimings;
  private readonly metrics: LeaderMetrics;
  private readonly logger: Logger;

  constructor(private readonly options: LeaderElectorOptions) {
    const { lock, identity, clock, timings = ELECTION_TIMINGS, metrics = noLeaderMetrics } = options;
    checkTimings(timings);
    this.timings = timings;
    this.metrics = metrics;
    this.logger = options.logger.child({ lease: `${lock.namespace}/${lock.name}`, identity });
    this.fence = new LeaseFence(clock, timings.renewDeadlineMs);
    const onSlowPath = () => metrics.slowPath();
    this.candidate = new Candidate({ lock, identity, clock, timings, fence: this.fence, onSlowPath });
  }

  /** The leader as last seen; empty if there is none. */
  get leader(): string {
    return this.candidate.holder;
  }

  /** See `Candidate.tooSlow`. */
  tooSlow(): string | undefined {
    return this.candidate.tooSlow();
  }

  async run(stop: AbortSignal, lead: Lead): Promise<ElectionOutcome> {
    if (!(await this.acquire(stop))) return "stopped";
    this.logger.info({}, "leading");
    this.metrics.leading(true);
    const over = new AbortController();
    const lost = new AbortController();
    const renewing = this.renew(over.signal, lost);
    let release = false;
    try {
      ({ release } = await lead(lost.signal));
    } finally {
      over.abort();
      await renewing;
      this.candidate.resign();
      this.metrics.leading(false);
    }
    if (lost.signal.aborted) return "lost";
    // With the fence shut, runs that are left can read and wait, and no more: a write alone keeps the lease.
    if (release || this.fence.idle) await this.release();
    else this.logger.warn({}, "a write was cut off; keeping the lease, which expires by itself");
    return "finished";
  }

  private async acquire(stop: AbortSignal): Promise<boolean> {
    const { clock, random = Math.random } = this.options;
    let reported: string | undefined;
    this.candidate.stand();
    while (!stop.aborted) {
      // A win that arrived too late to be used (the process had stalled) is renewed by the next try.
      if ((await this.attempt()) === "held" && this.fence.remainingMs() > 0) return this.unlessStopped(stop);
      const reason = this.tooSlow();
      if (reason !== undefined) this.logger.warn({ reason }, "The API server answers too slowly to lead, waiting");
      if (this.leader !== reported) this.logger.info({ leader: this.leader }, "waiting for the lease");
      reported = this.leader;
      await pause(clock, this.waitMs(random), stop);
    }
    return false;
  }

  /** A term that runs out earlier than the next look is not waited past. */
  private waitMs(random: Random): number {
    const { retryMs } = this.timings;
    const usual = jittered(retryMs, RETRY_JITTER, random);
    const expiresMs = this.candidate.expiresInMs();
    return expiresMs === undefined ? usual : Math.min(usual, expiresMs + random() * retryMs * EXPIRY_SPREAD);
  }

  /** Won at the moment of the stop: no work has begun, so none needs the lease. */
  private async unlessStopped(stop: AbortSignal): Promise<boolean> {
    if (stop.aborted) await this.release();
    return !stop.aborted;
  }

  /** Renews until `over`. Aborts `lost` at the renew deadline, or as soon as another holder is seen. Never rejects. */
  private async renew(over: AbortSignal, lost: AbortController): Promise<void> {
    const { clock } = this.options;
    const lose = (why: string) => {
      if (over.aborted || lost.signal.aborted) return;
      this.candidate.resign();
      this.logger.error({ why, leader: this.leader }, "lease lost");
      lost.abort(new Error(`lease lost: ${why}`));
    };
    const watch = (): Timer => clock.setTimer(this.fence.untilDeadlineMs(), expire);
    const expire = () => {
      if (this.fence.untilDeadlineMs() > 0) watchdog = watch();
      else lose("it was not renewed in time");
    };
    let watchdog = watch();
    // From one start to the next: a slow answer leaves no time to wait.
    const { retryMs, renewDeadlineMs } = this.timings;
    let startedAt = clock.monotonic() + this.fence.untilDeadlineMs() - renewDeadlineMs;
    const waitMs = () => Math.max(0, startedAt + retryMs - clock.monotonic());
    while (!lost.signal.aborted && (await pause(clock, waitMs(), over))) {
      startedAt = clock.monotonic();
      if ((await this.attempt()) === "taken") lose("another process holds it");
    }
    watchdog.cancel();
  }

  /** Never rejects. */
  private async attempt(): Promise<"held" | "taken" | "failed"> {
    try {
      return (await this.candidate.tryOnce()) ? "held" : "taken";
    } catch (error) {
      this.logger.warn({ error }, "cannot read or write the lease; retrying");
      return "failed";
    }
  }

  private async release(): Promise<void> {
    try {
      await this.candidate.release();
      this.logger.info({}, "lease released");
    } catch (error) {
      this.logger.warn({ error }, "cannot release the lease; it expires by itself");
    }
  }
}

/** For a process that runs alone. */
export const noElection: Elector = {
  run: async (stop, lead) => {
    if (stop.aborted) return "stopped";
    await lead(new AbortController().signal);
    return "finished";
  },
};

type ElectionSettings = Pick<Settings, "leaderElect" | "namespace" | "leaseDuration" | "renewDeadline" | "retryPeriod">;

export interface CreateElectorParts extends Omit<LeaderElectorOptions, "lock" | "timings"> {
  readonly settings: ElectionSettings;
  readonly transport: KubeClient;
  readonly hooks: LeaseHooks;
}

/** The election of one process. @returns `undefined`: this process runs alone. */
export function createElector({ settings, transport, hooks, ...parts }: CreateElectorParts): LeaderElector | undefined {
  const { leaderElect, namespace, leaseDuration, renewDeadline, retryPeriod } = settings;
  if (!leaderElect) return undefined;
  const timings = {
    leaseMs: leaseDuration * SECOND_MS,
    renewDeadlineMs: renewDeadline * SECOND_MS,
    retryMs: retryPeriod * SECOND_MS,
  };
  return new LeaderElector({ ...parts, lock: new LeaseLock(transport, namespace, LEASE_NAME, hooks), timings });
}
