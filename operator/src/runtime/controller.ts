/**
 * A controller: workers that take keys from a queue and run one function for each. A run takes a key, never an event, so
 * what it does depends on the state of the world alone. Its result decides what happens to the key next.
 */

import { jittered, pause, type Random } from "../async.js";
import type { Clock, Timer } from "../clock.js";
import type { Logger } from "../logging.js";
import {
  type ControllerMetrics,
  type ControllerMetricsFactory,
  noControllerMetrics,
  type QueueMetricsFactory,
  type ReconcileLabel,
} from "../metrics/controller.js";
import { ABORT_GRACE_MS, LEAST_WAIT_MS, RESYNC_MS, RUN_DEADLINE_MS, SECOND_MS } from "../timings.js";
import { WorkQueue } from "./queue.js";

export interface Run {
  /** Aborts at the run's deadline, and when the controller stops. */
  readonly signal: AbortSignal;
  /** Adds the controller and the key to each line. */
  readonly logger: Logger;
}

/** Brings the world closer to what the resource `key` asks for. A rejection counts as `error`. */
export type Reconcile = (key: string, run: Run) => Promise<Result>;

export interface ControllerOptions {
  readonly name: string;
  readonly reconcile: Reconcile;
  readonly clock: Clock;
  readonly logger: Logger;
  /** All keys there are; each is run at the start and at every resync. */
  readonly keys: () => Iterable<string>;
  /** @default 1 */
  readonly workers?: number;
  /** ms for one run. @default 120_000 */
  readonly deadlineMs?: number;
  /** ms between two runs of everything. @default 600_000, made longer by up to a fifth */
  readonly resyncMs?: number;
  /** @default Math.random */
  readonly random?: Random;
  readonly metrics?: { readonly queue: QueueMetricsFactory; readonly controller: ControllerMetricsFactory };
}

const WORKERS = 1;
/** Share of the resync period by which it is made longer, and over which its keys are spread. */
const RESYNC_JITTER = 0.2;

export class Controller {
  readonly name: string;
  private readonly queue: WorkQueue;
  private readonly metrics: ControllerMetrics;
  private readonly workers: number;
  private readonly deadlineMs: number;
  private readonly random: Random;
  private readonly logger: Logger;
  /** Runs that did not end when they were aborted. Their keys stay taken, so no second run meets them. */
  private readonly strays = new Set<string>();

  constructor(private readonly options: ControllerOptions) {
    const { name, clock, metrics } = options;
    this.name = name;
    this.workers = options.workers ?? WORKERS;
    this.deadlineMs = options.deadlineMs ?? RUN_DEADLINE_MS;
    this.random = options.random ?? Math.random;
    this.logger = options.logger.child({ controller: name });
    this.queue = new WorkQueue({
      name,
      clock,
      ...(metrics === undefined ? {} : { metrics: metrics.queue }),
    });
    this.metrics = (metrics?.controller ?? noControllerMetrics)(name, this.workers);
  }

  /** Asks for a run of `key`. Before `run`, keys only gather. */
  add(key: string): void {
    this.queue.add(key);
  }

  /** Asks for a run of `key` in `ms`; of several such requests the earliest counts. */
  addAfter(key: string, ms: number): void {
    this.queue.addAfter(key, ms);
  }

  /** Works until the signal aborts; runs under way are then aborted too and given `ABORT_GRACE_MS`. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = () => this.queue.shutDown();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    this.logger.info({ workers: this.workers }, "controller starts");
    const workers = Array.from({ length: this.workers }, () => this.work(signal));
    await Promise.all([...workers, this.resync(signal)]);
    this.logger.info({}, "controller stopped");
  }

  /** Takes no further key, waits for the runs under way. Resolves to false when some still run after `deadlineMs`. */
  drain(deadlineMs: number): Promise<boolean> {
    return this.queue.drain(deadlineMs);
  }

  /** A liveness check: what is wrong, or nothing. */
  check(): string | undefined {
    if (this.strays.size === 0) return undefined;
    return `${this.strays.size} runs ignore their deadline, first ${[...this.strays][0]}`;
  }

  private async resync(signal: AbortSignal): Promise<void> {
    const periodMs = this.options.resyncMs ?? RESYNC_MS;
    this.addAll(0);
    while (await pause(this.options.clock, jittered(periodMs, RESYNC_JITTER, this.random), signal)) {
      this.addAll(RESYNC_JITTER * periodMs);
    }
  }

  /** Asks for a run of every key, spread at random over `spreadMs`. */
  private addAll(spreadMs: number): void {
    try {
      for (const key of this.options.keys()) this.queue.addAfter(key, this.random() * spreadMs);
    } catch (error) {
      this.logger.error({ error }, "resync failed; the next one follows");
    }
  }

  private async work(signal: AbortSignal): Promise<void> {
    for (let key = await this.queue.get(); key !== undefined; key = await this.queue.get()) {
      await this.runOnce(key, signal);
    }
  }

  private async runOnce(key: string, parent: AbortSignal): Promise<void> {
    const { clock } = this.options;
    const scope = new Scope({
      clock,
      parent,
      deadlineMs: this.deadlineMs,
      graceMs: ABORT_GRACE_MS,
      onDeadline: () => new Error(`the run of "${key}" took longer than its ${this.deadlineMs / SECOND_MS} s`),
    });
    const startedAt = clock.monotonic();
    this.metrics.started();
    const finished = this.attempt(key, scope.signal).then((result) => {
      scope.dispose();
      this.strays.delete(key);
      this.finish(key, result, { seconds: (clock.monotonic() - startedAt) / SECOND_MS, aborted: parent.aborted });
    });
    const inTime = await Promise.race([finished.then(() => true), scope.givenUp.then(() => false)]);
    if (inTime) return;
    this.strays.add(key);
    this.logger.error({ key, graceMs: ABORT_GRACE_MS }, "run did not end after its abort; its key waits until it does");
  }

  /** Never rejects. */
  private async attempt(key: string, signal: AbortSignal): Promise<Result> {
    try {
      return await this.options.reconcile(key, { signal, logger: this.logger.child({ key }) });
    } catch (error) {
      if (!signal.aborted) this.metrics.threw();
      return failed(signal.aborted ? signal.reason : error);
    }
  }

  private finish(key: string, result: Result, run: { readonly seconds: number; readonly aborted: boolean }): void {
    // The end of an aborted run says nothing about the resource.
    const aborted = run.aborted && result.kind === "error";
    if ("error" in result && !aborted) this.report(key, result);
    try {
      this.metrics.finished(run.seconds, settle(this.queue, key, result));
    } catch (error) {
      this.logger.error({ key, error }, "cannot requeue the key; the next resync does");
    } finally {
      this.queue.done(key);
    }
  }

  private report(key: string, result: Extract<Result, { error: unknown }>): void {
    this.logger.error({ key, error: result.error, retries: this.queue.retries(key) }, "run failed");
  }
}

export type Result =
  /** The observed state is the desired state, as far as this run can tell. */
  | { readonly kind: "done" }
  /** All went well, and time alone will ask for another run. */
  | { readonly kind: "requeueAfter"; readonly afterMs: number }
  /** Try again, with backoff. */
  | { readonly kind: "error"; readonly error: unknown };

export const done: Result = { kind: "done" };

/** @param afterMs ms until the next run, at the latest; events may bring it sooner. */
export function requeueAfter(afterMs: number): Result {
  return { kind: "requeueAfter", afterMs };
}

export function failed(error: unknown): Result {
  return { kind: "error", error };
}

/** Updates the queue by the result of the run of a key. Returns the label of the metrics. */
export function settle(queue: WorkQueue, key: string, result: Result): ReconcileLabel {
  switch (result.kind) {
    case "done":
      queue.forget(key);
      return "success";
    case "requeueAfter":
      queue.forget(key);
      queue.addAfter(key, Math.max(result.afterMs, LEAST_WAIT_MS));
      return "requeue_after";
    case "error":
      queue.addRateLimited(key);
      return "error";
  }
}

interface ScopeOptions {
  readonly clock: Clock;
  readonly parent: AbortSignal;
  readonly deadlineMs: number;
  /** ms between the abort and the end of the wait for the aborted work. */
  readonly graceMs: number;
  /** The reason of the abort at the deadline. */
  readonly onDeadline: () => Error;
}

export class Scope {
  private readonly controller = new AbortController();
  private readonly deadline: Timer;
  private grace: Timer | undefined;
  private giveUp: () => void = () => undefined;
  /** Resolves `graceMs` after the abort; never, if disposed of before. */
  readonly givenUp: Promise<void>;

  constructor(private readonly options: ScopeOptions) {
    this.givenUp = new Promise((resolve) => {
      this.giveUp = resolve;
    });
    this.deadline = options.clock.setTimer(options.deadlineMs, () => this.abort(options.onDeadline()));
    options.parent.addEventListener("abort", this.parentAborted, { once: true });
    if (options.parent.aborted) this.parentAborted();
  }

  /** Aborts with the parent or at the deadline. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Leaves neither timer nor listener. */
  dispose(): void {
    this.deadline.cancel();
    this.grace?.cancel();
    this.options.parent.removeEventListener("abort", this.parentAborted);
  }

  private readonly parentAborted = () => this.abort(this.options.parent.reason);

  private abort(reason: unknown): void {
    if (this.controller.signal.aborted) return;
    this.deadline.cancel();
    this.grace = this.options.clock.setTimer(this.options.graceMs, this.giveUp);
    this.controller.abort(reason);
  }
}
