/**
 * The operator's subject matter. Names, labels and help are those of the type model.
 */

import { METRICS, type MetricName } from "cdk8s-flipop/api";
import { counter, gauge, histogram, type MetricDefinition } from "./definition.js";
import { type Counter, type Gauge, type Histogram, type MetricsRegistry, removeSeries } from "./registry.js";

type Labels<N extends MetricName> = (typeof METRICS)[N]["labels"][number];

const FLIPOP = {
  nodeStatus: gaugeOf("flipop_floatingippoolcontroller_node_status"),
  assignmentErrors: counterOf("flipop_floatingippoolcontroller_ip_assignment_errors"),
  assignments: counterOf("flipop_floatingippoolcontroller_ip_assignments"),
  node: gaugeOf("flipop_floatingippoolcontroller_ip_node"),
  state: gaugeOf("flipop_floatingippoolcontroller_ip_state"),
  unfulfilled: gaugeOf("flipop_floatingippoolcontroller_unfulfilled_ips"),
  inactive: gaugeOf("flipop_floatingippoolcontroller_inactive_ips"),
  records: gaugeOf("flipop_nodednsrecordset_records"),
  condition: gaugeOf("flipop_resource_condition"),
  abandonedItems: counterOf("flipop_left_behind_total"),
  routedAssignmentErrors: counterOf("flipop_routedipcontroller_ip_assignment_errors"),
  routedAssignments: counterOf("flipop_routedipcontroller_ip_assignments"),
  routedNode: gaugeOf("flipop_routedipcontroller_ip_node"),
  routedState: gaugeOf("flipop_routedipcontroller_ip_state"),
  calls: counterOf("flipop_providers_calls_total"),
  callSeconds: histogramOf("flipop_providers_call_duration_seconds"),
  callWaitSeconds: histogramOf("flipop_provider_call_wait_seconds"),
} as const;

/** Everything here, for the reference page. */
export const FLIPOP_METRICS: readonly MetricDefinition[] = Object.values(FLIPOP);

type Pool = Labels<"flipop_floatingippoolcontroller_unfulfilled_ips">;
type Address = Labels<"flipop_floatingippoolcontroller_ip_assignments">;
type Call = Labels<"flipop_providers_call_duration_seconds">;

export interface FlipopMetrics {
  readonly nodeStatus: Gauge<Pool | "status">;
  readonly assignmentErrors: Counter<Address>;
  readonly assignments: Counter<Address>;
  readonly node: Gauge<Address | "provider_id" | "node">;
  readonly state: Gauge<Address | "state">;
  readonly unfulfilled: Gauge<Pool>;
  readonly inactive: Gauge<Pool>;
  readonly records: Gauge<Pool>;
  readonly condition: Gauge<"kind" | "namespace" | "name" | "type">;
  readonly abandonedItems: Counter<"kind" | "namespace">;
  readonly routedAssignmentErrors: Counter<Address>;
  readonly routedAssignments: Counter<Address>;
  readonly routedNode: Gauge<Address | "provider_id" | "node">;
  readonly routedState: Gauge<Address | "state">;
  readonly calls: Counter<Call | "outcome">;
  readonly callSeconds: Histogram<Call>;
  readonly callWaitSeconds: Histogram<"provider" | "class">;
}

export function flipopMetrics(registry: MetricsRegistry): FlipopMetrics {
  return {
    nodeStatus: registry.gauge(FLIPOP.nodeStatus),
    assignmentErrors: registry.counter(FLIPOP.assignmentErrors),
    assignments: registry.counter(FLIPOP.assignments),
    node: registry.gauge(FLIPOP.node),
    state: registry.gauge(FLIPOP.state),
    unfulfilled: registry.gauge(FLIPOP.unfulfilled),
    inactive: registry.gauge(FLIPOP.inactive),
    records: registry.gauge(FLIPOP.records),
    condition: registry.gauge(FLIPOP.condition),
    abandonedItems: registry.counter(FLIPOP.abandonedItems),
    routedAssignmentErrors: registry.counter(FLIPOP.routedAssignmentErrors),
    routedAssignments: registry.counter(FLIPOP.routedAssignments),
    routedNode: registry.gauge(FLIPOP.routedNode),
    routedState: registry.gauge(FLIPOP.routedState),
    calls: registry.counter(FLIPOP.calls),
    callSeconds: registry.histogram(FLIPOP.callSeconds),
    callWaitSeconds: registry.histogram(FLIPOP.callWaitSeconds),
  };
}

/** A deleted pool leaves no series of its own behind. Provider calls stay: they are the account's history. */
export async function forgetPool(metrics: FlipopMetrics, namespace: string, name: string): Promise<void> {
  await removeSeries(metrics.assignments, { namespace, name });
  await removeSeries(metrics.assignmentErrors, { namespace, name });
}

function counterOf<N extends MetricName>(name: N) {
  return counter<Labels<N>>(name, METRICS[name].labels, METRICS[name].help);
}

function gaugeOf<N extends MetricName>(name: N) {
  return gauge<Labels<N>>(name, METRICS[name].labels, METRICS[name].help);
}

function histogramOf<N extends MetricName>(name: N) {
  return histogram<Labels<N>>(name, METRICS[name].labels, METRICS[name].help);
}

/** A deleted RoutedIP leaves no series of its own behind; its gauges go with its last look. */
export async function forgetRouted(metrics: FlipopMetrics, namespace: string, name: string): Promise<void> {
  await removeSeries(metrics.routedAssignments, { namespace, name });
  await removeSeries(metrics.routedAssignmentErrors, { namespace, name });
}
