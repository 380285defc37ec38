import { Annotation } from "./names";

/** A metric of the operator. The Go operator's names and labels stay unchanged, because dashboards use them. */
export interface MetricFacts {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
}

const POOL = ["namespace", "name", "provider", "dns"] as const;
const ADDRESS = ["namespace", "name", "ip", "provider", "dns"] as const;

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
  flipop_resource_problem: {
    type: "gauge",
    help: "1 for each condition that has its bad value, with its reason. Conditions that end soon by themselves do not count, such as a cool-off.",
    labels: ["kind", "namespace", "name", "type", "reason"],
  },
  flipop_build_info: {
    type: "gauge",
    help: "Always 1. The labels are the version and the commit of the operator, and the version of Node.js.",
    labels: ["version", "commit", "node_version"],
  },
  flipop_stopped: {
    type: "gauge",
    help: `1 while annotation ${Annotation.stop} on the Lease stops the operator, else 0.`,
    labels: [],
  },
  flipop_health_probes_total: {
    type: "counter",
    help: "Probes of nodes by result: success, failure, or skipped (no room for another probe, or the operator itself was too slow).",
    labels: ["result"],
  },
  flipop_cache_stale_seconds: {
    type: "gauge",
    help: "Seconds since the operator last knew all objects of a kind, by plural name of the kind (such as nodes). 0 while the kind is fresh: a watch follows it, or a list succeeded within the last minute.",
    labels: ["resource"],
  },
  flipop_mass_failure: {
    type: "gauge",
    help: "1 while no address leaves failed nodes of a zone, because most of them failed at once. zone is empty for the whole cluster, whose series is 0 otherwise; a zone has a series only while it is 1.",
    labels: ["zone"],
  },
  flipop_unlisted_addresses: {
    type: "gauge",
    help: "Addresses of the accounts that no watched resource lists or created, by holder: node (of this cluster), other (another machine) or none (unassigned, which providers bill). Addresses of other clusters of the account count, too.",
    labels: ["holder"],
  },
  flipop_cleanup_abandoned_total: {
    type: "counter",
    help: "Addresses, record sets and rules that the cleanup of a deleted resource gave up.",
    labels: ["kind", "namespace", "name"],
  },
  flipop_providers_calls_total: {
    type: "counter",
    help: "Calls to a provider by outcome: success or error. kind, namespace and name are the resource that needed the call, empty if several share it.",
    labels: ["provider", "call", "outcome", "kind", "namespace", "name"],
  },
  flipop_providers_call_duration_seconds: {
    type: "histogram",
    help: "Duration of calls to a provider in seconds.",
    labels: ["provider", "call"],
  },
  flipop_provider_limit_wait_seconds: {
    type: "gauge",
    help: "Time in seconds for which the account's rate limits hold back the next move of an address, with the token that waits longest. 0: a call may be sent now.",
    labels: ["provider"],
  },
  flipop_provider_call_wait_seconds: {
    type: "histogram",
    help: "Time in seconds that calls wait for the account's limits before the operator sends them, by work class: assignment (moves of addresses), records (other changes) or check (reads).",
    labels: ["provider", "class"],
  },
} as const satisfies Readonly<Record<string, MetricFacts>>;

/** Name of one of flipop's metrics. */
export type MetricName = keyof typeof METRICS;
