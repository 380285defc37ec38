import type { METRICS, MetricName } from "../api/metrics";
import { LEASE_NAME } from "../api/names";
import type { OperatorSettings } from "./settings";

/** Metrics of the machinery, which has the names that every controller has (client-go, controller-runtime). */
export const RUNTIME_METRICS = {
  leader: "leader_election_master_status",
  reconcileErrors: "controller_runtime_reconcile_errors_total",
  reconcileSeconds: "controller_runtime_reconcile_time_seconds",
  queueDepth: "workqueue_depth",
} as const;

/** A metric of ours with a selector, such as `flipop_providers_calls_total{outcome="error"}`. */
export function flipopMetric(name: MetricName, selector: Readonly<Record<string, string>> = {}): string {
  return withSelector(name, matchers(selector));
}

/** The buckets of a histogram of ours. */
export function flipopBuckets(name: HistogramName): string {
  return `${name}_bucket`;
}

/** A metric of the machinery in this operator's pods only: other controllers have metrics of the same name. */
export function runtimeMetric(
  metric: keyof typeof RUNTIME_METRICS,
  { name, namespace }: OperatorSettings,
  suffix = "",
): string {
  const selector = matchers({ namespace, ...(metric === "leader" ? { name: LEASE_NAME } : {}) });
  const pods = `pod=~"${name}-[a-z0-9]+-[a-z0-9]+"`;
  return withSelector(`${RUNTIME_METRICS[metric]}${suffix}`, [...selector, pods]);
}

type HistogramName = {
  [Name in MetricName]: (typeof METRICS)[Name]["type"] extends "histogram" ? Name : never;
}[MetricName];

function matchers(selector: Readonly<Record<string, string>>): string[] {
  return Object.entries(selector).map(([label, value]) => `${label}="${value}"`);
}

function withSelector(name: string, selector: readonly string[]): string {
  return selector.length === 0 ? name : `${name}{${selector.join(",")}}`;
}
