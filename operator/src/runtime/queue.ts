/**
 * The work queue, with the guarantees of client-go's `util/workqueue`: a key is never processed twice at once, adds of a
 * waiting key coalesce, and a key added while it is processed comes again afterwards.
 */

import { KeyedBackoff, TokenBucket, type TokenBucketOptions } from "../async.js";
import type { Clock, Timer } from "../clock.js";
import { noQueueMetrics, type QueueMetrics, type QueueMetricsFactory } from "../metrics/controller.js";
import { MAX_KEYS, SECOND_MS } from "../timings.js";

export interface WorkQueueOptions {
  /** The label `name` of the queue's metrics. */
  readonly name: string;
  readonly clock: Clock;
  readonly metrics?: QueueMetricsFactory;
}

/** For the retries of all keys together: as client-go. */
const RETRY_BUCKET: TokenBucketOptions = { perSecond: 10, burst: 100 };

type Taker = (key: string | undefined) => void;

export class WorkQueue {
  /** Keys to hand out, in order. Each is in `dirty` and not in `processing`. Values: when they came, monotonic ms. */
  private readonly ready = new Map<string, number>();
  /** Keys that need a run. One in `processing` too waits for `done`. */
  private readonly dirty = new Set<string>();
  /** Keys handed out. Values: when, monotonic ms. */
  private readonly processing = new Map<string, number>();
  private readonly takers = new Set<Taker>();
  private readonly idle = new Set<() => void>();
  private readonly delayed: DelayedKeys;
  private readonly backoff = new KeyedBackoff();
  private readonly bucket: TokenBucket;
  private readonly metrics: QueueMetrics;
  private readonly clock: Clock;
  private stopped = false;

  constructor({ name, clock, metrics = noQueueMetrics }: WorkQueueOptions) {
    this.clock = clock;
    this.delayed = new DelayedKeys(clock, (key) => this.add(key));
    this.bucket = new TokenBucket(RETRY_BUCKET, clock.monotonic());
    this.metrics = metrics(name, () => this.runningSeconds());
  }

  /** Keys that wait for a worker, delayed ones not counted. */
  get length(): number {
    return this.ready.size;
  }

  /** Keys that are due later. */
  get delayedCount(): number {
    return this.delayed.size;
  }

  /** Asks for a run of `key`. Nothing happens if one is asked for already, or after `shutDown`. */
  add(key: string): void {
    if (this.stopped || this.dirty.has(key)) return;
    if (this.dirty.size >= MAX_KEYS) {
      throw new Error(
        `the work queue holds ${MAX_KEYS} keys and refuses "${key}": look for keys that are not resources`,
      );
    }
    this.dirty.add(key);
    this.metrics.added();
    this.metrics.depth(this.dirty.size);
    if (!this.processing.has(key)) this.makeReady(key);
  }

  /** Asks for a run in `ms`; of several such requests the earliest counts. */
  addAfter(key: string, ms: number): void {
    if (this.stopped) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    refuseBeyond(this.delayed.size, key);
    this.delayed.add(key, ms);
  }

  /** Asks for a run after a failed one: the later of the key's own backoff and the bucket of all retries. */
  addRateLimited(key: string): void {
    if (this.stopped) return;
    this.metrics.retried();
    this.addAfter(key, Math.max(this.backoff.next(key), this.bucket.reserve(this.clock.monotonic())));
  }

  /** The key is well again: its backoff starts from the beginning. */
  forget(key: string): void {
    this.backoff.forget(key);
  }

  /** Failures of the key in a row. */
  retries(key: string): number {
    return this.backoff.count(key);
  }

  /** The next key, once there is one; `undefined` after `shutDown`. Each key taken needs one `done`. */
  get(): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.takers.add(resolve);
      this.handOut();
    });
  }

  /** The run of `key` is over; if it was added meanwhile, it is ready again. */
  done(key: string): void {
    const since = this.processing.get(key);
    if (since === undefined) throw new Error(`done("${key}") without get(): the key is not being processed`);
    this.processing.delete(key);
    this.metrics.worked((this.clock.monotonic() - since) / SECOND_MS);
    if (this.dirty.has(key)) this.makeReady(key);
    if (this.processing.size === 0) for (const settle of [...this.idle]) settle();
  }

  /** No key comes in or goes out any more. Runs under way are not touched; waiting keys are the next leader's. */
  shutDown(): void {
    this.stopped = true;
    this.delayed.clear();
    this.ready.clear();
    this.dirty.clear();
    this.metrics.depth(0);
    this.handOut();
  }

  /** Shuts down and waits for the runs under way. Resolves to false when some are still running after `deadlineMs`. */
  async drain(deadlineMs: number): Promise<boolean> {
    this.shutDown();
    if (this.processing.size === 0) return true;
    return new Promise((resolve) => {
      const finish = (drained: boolean) => {
        timer.cancel();
        this.idle.delete(settle);
        resolve(drained);
      };
      const settle = () => finish(true);
      const timer = this.clock.setTimer(deadlineMs, () => finish(false));
      this.idle.add(settle);
    });
  }

  private makeReady(key: string): void {
    this.ready.set(key, this.clock.monotonic());
    this.handOut();
  }

  private handOut(): void {
    for (const take of this.takers) {
      const [next] = this.ready;
      if (next === undefined && !this.stopped) return;
      this.takers.delete(take);
      take(next === undefined ? undefined : this.take(...next));
    }
  }

  private take(key: string, since: number): string {
    const now = this.clock.monotonic();
    this.ready.delete(key);
    this.dirty.delete(key);
    this.processing.set(key, now);
    this.metrics.waited((now - since) / SECOND_MS);
    this.metrics.depth(this.dirty.size);
    return key;
  }

  private runningSeconds(): readonly number[] {
    const now = this.clock.monotonic();
    return [...this.processing.values()].map((since) => (now - since) / SECOND_MS);
  }
}

function refuseBeyond(held: number, key: string): void {
  if (held < MAX_KEYS) return;
  throw new Error(`the work queue holds ${held} keys and refuses "${key}": look for keys that are not resources`);
}

interface Due {
  /** Monotonic ms. */
  readonly at: number;
  readonly timer: Timer;
}

/** Keys due later. A key is held once, at the earliest time that anyone asked for. */
class DelayedKeys {
  private readonly waiting = new Map<string, Due>();

  constructor(
    private readonly clock: Pick<Clock, "monotonic" | "setTimer">,
    private readonly due: (key: string) => void,
  ) {}

  get size(): number {
    return this.waiting.size;
  }

  /** @param ms from now; a later request for a key that is held already changes nothing. */
  add(key: string, ms: number): void {
    const at = this.clock.monotonic() + ms;
    const held = this.waiting.get(key);
    if (held !== undefined && held.at <= at) return;
    held?.timer.cancel();
    const timer = this.clock.setTimer(ms, () => {
      this.waiting.delete(key);
      this.due(key);
    });
    this.waiting.set(key, { at, timer });
  }

  clear(): void {
    for (const { timer } of this.waiting.values()) timer.cancel();
    this.waiting.clear();
  }
}
