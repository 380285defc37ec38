/** Work queues, under client-go's names (k8s.io/component-base/metrics/prometheus/workqueue). */

import { counter, gauge, histogram } from "./definition.js";
import type { MetricsRegistry } from "./registry.js";

/** 1 us to 1,000 s by powers of ten. */
const QUEUE_BUCKETS = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000];

const NAME = ["name"] as const;

export const WORKQUEUE = {
  depth: gauge("workqueue_depth", NAME, "Keys that wait in the work queue."),
  adds: counter("workqueue_adds_total", NAME, "Keys added to the work queue; adds of a waiting key do not count."),
  waited: histogram(
    "workqueue_queue_duration_seconds",
    NAME,
    "How long in seconds a key waits in the work queue before it is taken.",
    QUEUE_BUCKETS,
  ),
  worked: histogram(
    "workqueue_work_duration_seconds",
    NAME,
    "How long in seconds the processing of a key takes.",
    QUEUE_BUCKETS,
  ),
  unfinished: gauge(
    "workqueue_unfinished_work_seconds",
    NAME,
    "Seconds of work under way that work_duration has not seen yet, over all keys. A steady rise means stuck runs.",
  ),
  longest: gauge(
    "workqueue_longest_running_processor_seconds",
    NAME,
    "For how many seconds the oldest run under way has been running.",
  ),
  retries: counter("workqueue_retries_total", NAME, "Keys added again with backoff after a failed run."),
} as const;

/** The metrics of one queue. Times in seconds. */
export interface QueueMetrics {
  depth(keys: number): void;
  added(): void;
  waited(seconds: number): void;
  worked(seconds: number): void;
  retried(): void;
}

/** Ages in seconds of the runs under way; asked at each scrape. */
export type RunningAges = () => readonly number[];

/** Makes the hooks of one queue. A name is used by one queue at a time. */
export type QueueMetricsFactory = (name: string, ages: RunningAges) => QueueMetrics;

export const noQueueMetrics: QueueMetricsFactory = () => ({
  depth: () => undefined,
  added: () => undefined,
  waited: () => undefined,
  worked: () => undefined,
  retried: () => undefined,
});

export function queueMetrics(registry: MetricsRegistry): QueueMetricsFactory {
  const queues = new Map<string, RunningAges>();
  const depth = registry.gauge(WORKQUEUE.depth);
  const adds = registry.counter(WORKQUEUE.adds);
  const waited = registry.histogram(WORKQUEUE.waited);
  const worked = registry.histogram(WORKQUEUE.worked);
  registry.gauge(WORKQUEUE.unfinished, (series) => {
    for (const [name, ages] of queues) series.set({ name }, sum(ages()));
  });
  registry.gauge(WORKQUEUE.longest, (series) => {
    for (const [name, ages] of queues) series.set({ name }, Math.max(0, ...ages()));
  });
  const retries = registry.counter(WORKQUEUE.retries);
  return (name, ages) => {
    queues.set(name, ages);
    depth.set({ name }, 0);
    adds.inc({ name }, 0);
    retries.inc({ name }, 0);
    waited.zero({ name });
    worked.zero({ name });
    return {
      depth: (keys) => depth.set({ name }, keys),
      added: () => adds.inc({ name }),
      waited: (seconds) => waited.observe({ name }, seconds),
      worked: (seconds) => worked.observe({ name }, seconds),
      retried: () => retries.inc({ name }),
    };
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
