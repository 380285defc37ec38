/**
 * Controllers, work queues and leader election, under the names of controller-runtime
 * (sigs.k8s.io/controller-runtime/pkg/internal/controller/metrics) and client-go
 * (k8s.io/component-base/metrics/prometheus/workqueue, .../clientgo/leaderelection).
 */

import { counter, gauge, histogram, type MetricsRegistry } from "./registry.js";

/** Seconds; the 40 buckets of controller-runtime. */
const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

const CONTROLLER = ["controller"] as const;

export const CONTROLLER_RUNTIME = {
  total: counter(
    "controller_runtime_reconcile_total",
    ["controller", "result"] as const,
    "Runs of a controller by result: success, requeue_after or error.",
  ),
  time: histogram(
    "controller_runtime_reconcile_time_seconds",
    CONTROLLER,
    "Length of one run in seconds.",
    RECONCILE_BUCKETS,
  ),
  errors: counter("controller_runtime_reconcile_errors_total", CONTROLLER, "Runs that ended in an error of any kind."),
  terminal: counter(
    "controller_runtime_terminal_reconcile_errors_total",
    CONTROLLER,
    "Runs that ended in an error that no retry can cure; always 0, because the operator retries every error.",
  ),
  panics: counter("controller_runtime_reconcile_panics_total", CONTROLLER, "Runs that threw instead of returning."),
  active: gauge("controller_runtime_active_workers", CONTROLLER, "Workers with a run under way."),
  workers: gauge("controller_runtime_max_concurrent_reconciles", CONTROLLER, "Workers of a controller."),
} as const;

/** The values of the label `result`; `requeue` of controller-runtime has no counterpart here. */
export type ReconcileLabel = "success" | "requeue_after" | "error";

/** The metrics of one controller. */
export interface ControllerMetrics {
  started(): void;
  finished(seconds: number, result: ReconcileLabel): void;
  threw(): void;
}

export type ControllerMetricsFactory = (controller: string, workers: number) => ControllerMetrics;

export const noControllerMetrics: ControllerMetricsFactory = () => ({
  started: () => undefined,
  finished: () => undefined,
  threw: () => undefined,
});

const RESULTS: readonly ReconcileLabel[] = ["success", "requeue_after", "error"];

export function controllerMetrics(registry: MetricsRegistry): ControllerMetricsFactory {
  const total = registry.counter(CONTROLLER_RUNTIME.total);
  const time = registry.histogram(CONTROLLER_RUNTIME.time);
  const errors = registry.counter(CONTROLLER_RUNTIME.errors);
  const terminal = registry.counter(CONTROLLER_RUNTIME.terminal);
  const panics = registry.counter(CONTROLLER_RUNTIME.panics);
  const active = registry.gauge(CONTROLLER_RUNTIME.active);
  const max = registry.gauge(CONTROLLER_RUNTIME.workers);
  return (controller, workers) => {
    // A rate over a series that appears with its first error misses that error.
    for (const result of RESULTS) total.inc({ controller, result }, 0);
    for (const metric of [errors, terminal, panics]) metric.inc({ controller }, 0);
    active.set({ controller }, 0);
    max.set({ controller }, workers);
    return {
      started: () => active.inc({ controller }),
      finished: (seconds, result) => {
        active.dec({ controller });
        time.observe({ controller }, seconds);
        total.inc({ controller, result });
        if (result === "error") errors.inc({ controller });
      },
      threw: () => panics.inc({ controller }),
    };
  };
}

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
type RunningAges = () => readonly number[];

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

const LEASE_NAME = ["name"] as const;

export const LEADER_ELECTION = {
  master: gauge(
    "leader_election_master_status",
    LEASE_NAME,
    "1 where this process holds the lease of that name, else 0.",
  ),
  slowpath: counter(
    "leader_election_slowpath_total",
    LEASE_NAME,
    "Renewals that had to read the lease first, because the write from memory failed.",
  ),
} as const;

export interface LeaderMetrics {
  leading(yes: boolean): void;
  slowPath(): void;
}

export const noLeaderMetrics: LeaderMetrics = { leading: () => undefined, slowPath: () => undefined };

/** @param name of the lease. */
export function leaderMetrics(registry: MetricsRegistry, name: string): LeaderMetrics {
  const master = registry.gauge(LEADER_ELECTION.master);
  const slowpath = registry.counter(LEADER_ELECTION.slowpath);
  master.set({ name }, 0);
  slowpath.inc({ name }, 0);
  return {
    leading: (yes) => master.set({ name }, yes ? 1 : 0),
    slowPath: () => slowpath.inc({ name }),
  };
}
