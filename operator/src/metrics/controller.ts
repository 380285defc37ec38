/** Controllers, under controller-runtime's names (sigs.k8s.io/controller-runtime/pkg/internal/controller/metrics). */

import { counter, gauge, histogram } from "./definition.js";
import type { MetricsRegistry } from "./registry.js";

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
    "Runs that ended in an error that no retry can heal: 0, for every error is tried again.",
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

const LABELS: readonly ReconcileLabel[] = ["success", "requeue_after", "error"];

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
    for (const result of LABELS) total.inc({ controller, result }, 0);
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
