/**
 * The life of the process: health server -> shared caches sync -> leader election -> controllers; and back: controllers drain,
 * the lease is given up, caches and servers stop. Every wait has an end, except the one to become the leader.
 */

import { setMaxListeners } from "node:events";
import { anyAbort, pause, settlesWithin } from "../async.js";
import type { Clock } from "../clock.js";
import { EXIT, type ExitCode } from "../exit.js";
import type { Logger } from "../logging.js";
import { ABORT_DEADLINE_MS, DRAIN_DEADLINE_MS, SYNC_DEADLINE_MS, SYNC_POLL_MS } from "../timings.js";
import type { Check, Health } from "./http-server.js";
import type { Elector } from "./leader-elector.js";

/** Runs until the signal aborts. */
export interface Runnable {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

/** A cache; it goes on trying whatever happens. */
export interface Synced extends Runnable {
  hasSynced(): boolean;
  /** What keeps it from syncing, for people. */
  degradedReason?(): string | undefined;
  /** Of one kind that others do not need: controllers that do wait for it themselves. @default the process waits for it */
  readonly ofOneKind?: boolean;
  /** HTTP status with which the API server refuses it. */
  refusal?(): number | undefined;
}

export interface Drainable extends Runnable {
  /** Begins nothing new. Resolves to whether all that was under way has ended within `deadlineMs`. */
  drain(deadlineMs: number): Promise<boolean>;
  /** A liveness check. */
  check(): string | undefined;
}

export interface Server {
  readonly name: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface ManagerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly health: Health;
  readonly elector: Elector;
  readonly servers: readonly Server[];
  readonly caches: readonly Synced[];
  /** What is wrong with caches that have synced. @default nothing */
  readonly stale?: Check;
  /** From start to end, leader or not; for example the writer of Events. They end after the controllers. */
  readonly background: readonly Runnable[];
  readonly controllers: readonly Drainable[];
  /** ms until every cache must have synced. @default 300_000 */
  readonly syncDeadlineMs?: number;
  /** ms for runs under way to end by themselves. @default 20_000, below the 30 s that Kubernetes gives a pod */
  readonly drainDeadlineMs?: number;
}

type Phase = "starting" | "syncing" | "standing by" | "leading" | "shutting down";

export class Manager {
  private phase: Phase = "starting";
  /** Aborts at the very end: caches, background. */
  private readonly life = new AbortController();
  /** Aborts where going on makes no sense. */
  private readonly broken = new AbortController();

  constructor(private readonly options: ManagerOptions) {
    const { health, controllers, stale } = options;
    health.add("healthz", "ping", () => undefined);
    for (const controller of controllers)
      health.add("healthz", `controller-${controller.name}`, () => controller.check());
    health.add("readyz", "caches", () => this.unsynced() ?? stale?.());
    health.add("readyz", "shutdown", () =>
      this.phase === "shutting down" ? "the process is shutting down" : undefined,
    );
  }

  /** Lives until `stop` aborts, the lease is lost, or a part breaks. Never rejects; call it once. */
  async run(stop: AbortSignal): Promise<ExitCode> {
    const { logger, caches, background } = this.options;
    let code: ExitCode = EXIT.failed;
    let running: readonly Promise<void>[] = [];
    try {
      for (const server of this.options.servers) await server.start();
      // Each part listens.
      setMaxListeners(0, this.life.signal);
      running = [...caches, ...background].map((part) => this.watch(part, this.life.signal));
      code = await this.live(stop);
    } catch (error) {
      logger.error({ error }, "fatal error; exiting");
    }
    await this.end(running);
    logger.info({ code }, "stopped");
    return this.broken.signal.aborted && code === EXIT.ok ? EXIT.failed : code;
  }

  private async live(stop: AbortSignal): Promise<ExitCode> {
    this.enter("syncing");
    if (!(await this.syncs(stop))) return stop.aborted ? EXIT.ok : EXIT.failed;
    this.enter("standing by");
    const ends = anyAbort([stop, this.broken.signal]);
    const outcome = await this.options.elector.run(ends.signal, (lost) => this.lead(ends.signal, lost));
    ends.dispose();
    return outcome === "lost" ? EXIT.leaseLost : EXIT.ok;
  }

  private async lead(stop: AbortSignal, lost: AbortSignal): Promise<{ readonly release: boolean }> {
    const { controllers, clock, drainDeadlineMs = DRAIN_DEADLINE_MS } = this.options;
    this.enter("leading");
    const abort = new AbortController();
    // Each run listens while it runs; more than ten of them are no leak.
    setMaxListeners(0, abort.signal);
    const running = Promise.all(controllers.map((controller) => this.watch(controller, abort.signal)));
    const ends = anyAbort([stop, lost]);
    await ends.aborted;
    ends.dispose();
    this.enter("shutting down");
    const drained = !lost.aborted && (await this.drain(drainDeadlineMs, lost));
    abort.abort(lost.aborted ? lost.reason : new Error("the process is shutting down"));
    const ended = await settlesWithin(clock, ABORT_DEADLINE_MS, running);
    return { release: drained && ended };
  }

  /** Whether all runs have ended; a lost lease ends the wait. */
  private async drain(deadlineMs: number, lost: AbortSignal): Promise<boolean> {
    const ends = anyAbort([lost]);
    const drained = Promise.all(this.options.controllers.map((controller) => controller.drain(deadlineMs)));
    const all = await Promise.race([drained, ends.aborted.then(() => [false])]);
    ends.dispose();
    if (all.includes(false)) this.options.logger.warn({ deadlineMs }, "runs did not end in time; aborting them");
    return !all.includes(false);
  }

  private async syncs(stop: AbortSignal): Promise<boolean> {
    const { clock, logger, syncDeadlineMs = SYNC_DEADLINE_MS } = this.options;
    const deadline = clock.monotonic() + syncDeadlineMs;
    while (this.unsynced((cache) => cache.ofOneKind !== true) !== undefined) {
      if (this.broken.signal.aborted) return false;
      if (clock.monotonic() >= deadline) {
        logger.error(
          { reason: this.unsynced(), syncDeadlineMs },
          "caches did not sync in time; check API server and RBAC",
        );
        return false;
      }
      if (!(await pause(clock, SYNC_POLL_MS, stop))) return false;
    }
    return true;
  }

  private async end(running: readonly Promise<void>[]): Promise<void> {
    this.enter("shutting down");
    this.life.abort(new Error("the process is shutting down"));
    const { clock, servers, logger } = this.options;
    if (!(await settlesWithin(clock, ABORT_DEADLINE_MS, Promise.all(running)))) {
      logger.warn({ deadlineMs: ABORT_DEADLINE_MS }, "components did not stop in time; exiting anyway");
    }
    const stopped = Promise.allSettled(servers.map((server) => server.stop()));
    await settlesWithin(clock, ABORT_DEADLINE_MS, stopped);
  }

  /** Runs a part; a part that ends by itself ends the process. Never rejects. */
  private async watch(part: Runnable, signal: AbortSignal): Promise<void> {
    let error: unknown = new Error(`"${part.name}" ended by itself`);
    try {
      await part.run(signal);
    } catch (thrown) {
      error = thrown;
    }
    if (signal.aborted) return;
    this.options.logger.error({ part: part.name, error }, "a component failed; shutting down");
    this.broken.abort(error);
  }

  private unsynced(counts: (cache: Synced) => boolean = () => true): string | undefined {
    const missing = this.options.caches.filter((cache) => counts(cache) && !cache.hasSynced()).map(described);
    return missing.length === 0 ? undefined : `not synced yet: ${missing.join(", ")}`;
  }

  private enter(phase: Phase): void {
    if (this.phase === phase) return;
    this.phase = phase;
    this.options.logger.info({ phase }, "phase");
  }
}

function described(cache: Synced): string {
  const degradedReason = cache.degradedReason?.();
  return degradedReason === undefined ? cache.name : `${cache.name} (${degradedReason})`;
}
