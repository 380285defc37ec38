import type { METRICS, MetricName } from "../../api/metrics";
import { LEASE_NAME } from "../../api/names";
import type { OperatorSettings } from "../props-with-defaults";

/** Runtime metrics, with the same names as in every controller (client-go, controller-runtime). */
export const RUNTIME_METRICS = {
  leader: "leader_election_master_status",
  reconcileErrors: "controller_runtime_reconcile_errors_total",
  reconcileSeconds: "controller_runtime_reconcile_time_seconds",
  queueDepth: "workqueue_depth",
} as const;

/** A flipop metric with a selector, such as `flipop_providers_calls_total{outcome="error"}`. */
export function flipopMetric(name: MetricName, selector: Readonly<Record<string, string>> = {}): string {
  return withSelector(name, matchers(selector));
}

/** The buckets of a flipop histogram. */
export function flipopBuckets(name: HistogramName): string {
  return `${name}_bucket`;
}

/** A runtime metric of this operator's pods only: other controllers have metrics with the same name. */
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
