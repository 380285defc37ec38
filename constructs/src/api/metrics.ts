/** A metric of the operator. The Go operator's names and labels stay unchanged, because dashboards use them. */
export interface MetricFacts {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
}

const POOL = ["namespace", "name", "provider", "dns"] as const;
const ADDRESS = ["namespace", "name", "ip", "provider", "dns"] as const;
const CALL = ["provider", "call", "kind", "namespace", "name"] as const;

/** Metrics by name. The label `dns` is the full record name, empty without DNS. */
export const METRICS = {
  flipop_floatingippoolcontroller_node_status: {
    type: "gauge",
    help: "Nodes that match a pool, by status: available (waiting for an address) or assigned.",
    labels: [...POOL, "status"],
  },
  flipop_floatingippoolcontroller_ip_assignment_errors: {
    type: "counter",
    help: "Failed assignments of an address to a node.",
    labels: ADDRESS,
  },
  flipop_floatingippoolcontroller_ip_assignments: {
    type: "counter",
    help: "Completed assignments of an address to a node.",
    labels: ADDRESS,
  },
  flipop_floatingippoolcontroller_ip_node: {
    type: "gauge",
    help: "1 for the node that holds an address; during a move, for the target node.",
    labels: [...ADDRESS, "provider_id", "node"],
  },
  flipop_floatingippoolcontroller_ip_state: {
    type: "gauge",
    help: "1 for the state of an address, 0 for the others: active, in-progress, error, no-match, unassigned or disabled.",
    labels: [...ADDRESS, "state"],
  },
  flipop_floatingippoolcontroller_unfulfilled_ips: {
    type: "gauge",
    help: "Desired addresses that the pool has not acquired: desired minus acquired, whether or not these are on a node.",
    labels: POOL,
  },
  flipop_floatingippoolcontroller_inactive_ips: {
    type: "gauge",
    help: "Desired addresses that are not active: the pool has not acquired them, or no matching node holds them.",
    labels: POOL,
  },
  flipop_nodednsrecordset_records: {
    type: "gauge",
    help: "Addresses that a NodeDNSRecordSet publishes.",
    labels: POOL,
  },
  flipop_routedipcontroller_ip_assignment_errors: {
    type: "counter",
    help: "Failed assignments of a routed address to a node.",
    labels: ADDRESS,
  },
  flipop_routedipcontroller_ip_assignments: {
    type: "counter",
    help: "Completed assignments of a routed address to a node.",
    labels: ADDRESS,
  },
  flipop_routedipcontroller_ip_node: {
    type: "gauge",
    help: "1 for the node that holds a routed address; during a move, for the target node.",
    labels: [...ADDRESS, "provider_id", "node"],
  },
  flipop_routedipcontroller_ip_state: {
    type: "gauge",
    help: "1 for the state of a routed address, 0 for the others: active, in-progress, error, no-match, unassigned or disabled.",
    labels: [...ADDRESS, "state"],
  },
  flipop_resource_condition: {
    type: "gauge",
    help: "Conditions of a resource: 1 is True, 0 is False, -1 is Unknown.",
    labels: ["kind", "namespace", "name", "type"],
  },
  flipop_left_behind_total: {
    type: "counter",
    help: "Addresses, record sets and rules that the clean-up of deleted resources gave up.",
    labels: ["kind", "namespace"],
  },
  flipop_providers_calls_total: {
    type: "counter",
    help: "Calls to a provider by outcome: success or error. kind, namespace and name are the resource that needed the call, empty if several share it.",
    labels: ["provider", "call", "outcome", "kind", "namespace", "name"],
  },
  flipop_providers_call_duration_seconds: {
    type: "histogram",
    help: "Duration of calls to a provider in seconds.",
    labels: CALL,
  },
  flipop_provider_call_wait_seconds: {
    type: "histogram",
    help: "Time in seconds that calls wait for the account's limits before the operator sends them, by work class: assignment (moves of addresses), records (other changes) or check (reads).",
    labels: ["provider", "class"],
  },
} as const satisfies Readonly<Record<string, MetricFacts>>;

/** Name of one of flipop's metrics. */
export type MetricName = keyof typeof METRICS;
