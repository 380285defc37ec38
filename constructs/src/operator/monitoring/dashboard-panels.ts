import type { MetricName } from "../../api/metrics";
import type { OperatorSettings } from "../props-with-defaults";
import type { Panel, Row } from "./dashboard-layout";
import { flipopBuckets, flipopMetric, runtimeMetric } from "./metric-names";

const RESOURCE = "{{namespace}}/{{name}}";
/** Selects the namespaces from the variable at the top of the dashboard. */
const CHOSEN = 'namespace=~"$namespace"';

/** All rows of the dashboard, the most important first. */
export function dashboardRows(settings: OperatorSettings): readonly Row[] {
  return [
    { title: "Overview", panels: glance(settings) },
    { title: "Addresses", panels: addresses() },
    { title: "Nodes and records", panels: [holders(POOLS), assignments(POOLS), records()] },
    { title: "RoutedIPs", panels: [routedStates(), holders(ROUTED), assignments(ROUTED)] },
    { title: "Problems", panels: trouble() },
    { title: "Providers", panels: providers() },
    { title: "Operator", panels: operator(settings) },
  ];
}

function glance(settings: OperatorSettings): readonly Panel[] {
  const active = chosen("flipop_floatingippoolcontroller_ip_state", 'state="active"');
  const missing = chosen("flipop_floatingippoolcontroller_unfulfilled_ips");
  const errors = `increase(${chosen("flipop_floatingippoolcontroller_ip_assignment_errors")}[1h])`;
  return [
    stat("Active addresses", "Addresses on a matching node.", `sum(${active})`),
    stat("Missing addresses", "Desired addresses that the pool has not acquired. Should be 0.", `sum(${missing})`),
    stat("Failed assignments", "Failed assignments in the last hour. Should be 0.", `sum(${errors})`),
    stat("Leaders", "Pods that hold the Lease. Should be 1.", `sum(${runtimeMetric("leader", settings)})`),
    builds(),
  ];
}

function builds(): Panel {
  const expr = `count by (version, commit, node_version) (${flipopMetric("flipop_build_info")})`;
  const description = "The versions of the operator's pods. Two lines during an update.";
  return { title: "Versions", description, type: "table", unit: "short", curves: [{ expr, legend: "" }] };
}

function addresses(): readonly Panel[] {
  const state = chosen("flipop_floatingippoolcontroller_ip_state");
  const nodes = chosen("flipop_floatingippoolcontroller_node_status");
  const missing = chosen("flipop_floatingippoolcontroller_unfulfilled_ips");
  const inactive = chosen("flipop_floatingippoolcontroller_inactive_ips");
  return [
    graph("Addresses by state", "Check addresses that stay in state error or in-progress.", [
      { expr: `sum by (state) (${state})`, legend: "{{state}}" },
    ]),
    graph("Nodes by status", "An available node matches and waits for an address.", [
      { expr: `sum by (namespace, name, status) (${nodes})`, legend: `${RESOURCE} {{status}}` },
    ]),
    graph(
      "Missing and inactive addresses by pool",
      "Missing: the pool has not acquired the address. Inactive: the address is on no matching node.",
      [
        { expr: `sum by (namespace, name) (${missing})`, legend: `${RESOURCE} missing` },
        { expr: `sum by (namespace, name) (${inactive})`, legend: `${RESOURCE} inactive` },
      ],
    ),
  ];
}

/** The metrics of one controller of addresses. */
interface AddressMetrics {
  readonly node: MetricName;
  readonly moved: MetricName;
  readonly failed: MetricName;
}

const POOLS: AddressMetrics = {
  node: "flipop_floatingippoolcontroller_ip_node",
  moved: "flipop_floatingippoolcontroller_ip_assignments",
  failed: "flipop_floatingippoolcontroller_ip_assignment_errors",
};

const ROUTED: AddressMetrics = {
  node: "flipop_routedipcontroller_ip_node",
  moved: "flipop_routedipcontroller_ip_assignments",
  failed: "flipop_routedipcontroller_ip_assignment_errors",
};

function holders({ node }: AddressMetrics): Panel {
  const expr = `max by (namespace, name, ip, node) (${chosen(node)}) > 0`;
  const description = "The node that holds each address.";
  return { title: "Addresses and nodes", description, type: "table", unit: "short", curves: [{ expr, legend: "" }] };
}

function assignments(metrics: AddressMetrics): Panel {
  const moved = chosen(metrics.moved);
  const failed = chosen(metrics.failed);
  return graph(
    "Assignments",
    "Assignments per 5 minutes. Many assignments without node changes mean that addresses flap.",
    [
      { expr: `sum by (namespace, name) (increase(${moved}[5m]))`, legend: `${RESOURCE} done` },
      { expr: `sum by (namespace, name) (increase(${failed}[5m]))`, legend: `${RESOURCE} failed` },
    ],
  );
}

function records(): Panel {
  const count = chosen("flipop_nodednsrecordset_records");
  return graph("Records of NodeDNSRecordSets", "Number of addresses in each record set.", [
    { expr: `sum by (namespace, name) (${count})`, legend: RESOURCE },
  ]);
}

function routedStates(): Panel {
  const state = chosen("flipop_routedipcontroller_ip_state");
  return graph("RoutedIPs by state", "Check addresses that stay in state error, no-match or in-progress.", [
    { expr: `sum by (state) (${state})`, legend: "{{state}}" },
  ]);
}

function trouble(): readonly Panel[] {
  const left = chosen("flipop_cleanup_abandoned_total");
  const expr = `max by (kind, namespace, name, type, reason) (${chosen("flipop_resource_problem")})`;
  const description = "Resources with a bad condition. The condition's message shows the cause and the remedy.";
  const unknown = `sum by (kind, type) (${chosen("flipop_resource_condition")} == bool -1)`;
  return [
    { title: "Resources with problems", description, type: "table", unit: "short", curves: [{ expr, legend: "" }] },
    graph(
      "Left behind",
      "Addresses, record sets and rules that a cleanup gave up. The account may still pay for them.",
      [{ expr: `sum by (kind, namespace, name) (${left})`, legend: `{{kind}} ${RESOURCE}` }],
    ),
    graph("Unknown conditions", "Conditions that the operator cannot judge, as in an outage of the provider.", [
      { expr: unknown, legend: "{{kind}} {{type}}" },
    ]),
  ];
}

/** Not limited to the selected namespaces: a read that several resources share has no namespace. */
function providers(): readonly Panel[] {
  const calls = flipopMetric("flipop_providers_calls_total");
  const failed = flipopMetric("flipop_providers_calls_total", { outcome: "error" });
  const buckets = flipopBuckets("flipop_providers_call_duration_seconds");
  const quantile = (q: number): string => `histogram_quantile(${q}, sum by (provider, le) (rate(${buckets}[5m])))`;
  return [
    graph(
      "Calls",
      "Calls per second.",
      [{ expr: `sum by (provider, call, outcome) (rate(${calls}[5m]))`, legend: "{{provider}} {{call}} {{outcome}}" }],
      "ops",
    ),
    graph(
      "Share of failed calls",
      "Possible causes of persistent failures are an outage, a rate limit or a rejected token.",
      [
        {
          expr: `sum by (provider) (rate(${failed}[5m])) / sum by (provider) (rate(${calls}[5m]))`,
          legend: "{{provider}}",
        },
      ],
      "percentunit",
    ),
    graph(
      "Duration of calls",
      "50 % and 99 % of the calls are faster than this.",
      [
        { expr: quantile(0.5), legend: "{{provider}} p50" },
        { expr: quantile(0.99), legend: "{{provider}} p99" },
      ],
      "s",
    ),
    waitBeforeCalls(),
    budget(),
  ];
}

function budget(): Panel {
  return graph(
    "Budget of calls",
    "Seconds until the account's limits allow the next call. Should be 0.",
    [
      {
        expr: `max by (provider) (${flipopMetric("flipop_provider_limit_wait_seconds")})`,
        legend: "{{provider}}",
      },
    ],
    "s",
  );
}

function waitBeforeCalls(): Panel {
  const waits = flipopBuckets("flipop_provider_call_wait_seconds");
  return graph(
    "Wait before calls",
    "99 % of the calls of a work class wait less than this for the account's limits. Moves of addresses have priority.",
    [
      {
        expr: `histogram_quantile(0.99, sum by (provider, class, le) (rate(${waits}[5m])))`,
        legend: "{{provider}} {{class}}",
      },
    ],
    "s",
  );
}

function operator(settings: OperatorSettings): readonly Panel[] {
  const errors = runtimeMetric("reconcileErrors", settings);
  const buckets = runtimeMetric("reconcileSeconds", settings, "_bucket");
  return [
    graph("Failed runs", "Failed runs per 5 minutes. The log shows the reason.", [
      { expr: `sum by (controller) (increase(${errors}[5m]))`, legend: "{{controller}}" },
    ]),
    graph(
      "Duration of runs",
      "99 % of the runs are faster than this.",
      [
        {
          expr: `histogram_quantile(0.99, sum by (controller, le) (rate(${buckets}[5m])))`,
          legend: "{{controller}}",
        },
      ],
      "s",
    ),
    graph("Waiting keys", "Should return to 0 after each burst.", [
      { expr: `sum by (name) (${runtimeMetric("queueDepth", settings)})`, legend: "{{name}}" },
    ]),
    graph("Stopped", "1 while a person has stopped the operator with flipop stop.", [
      { expr: `max(${flipopMetric("flipop_stopped")})`, legend: "stopped" },
    ]),
    graph("Probes", "Probes of nodes a second, by result. Skipped probes count neither as successes nor as failures.", [
      { expr: `sum by (result) (rate(${flipopMetric("flipop_health_probes_total")}[5m]))`, legend: "{{result}}" },
    ]),
    graph("Mass failure", "1 while no address moves off failed holders, because most of them failed at once.", [
      { expr: `max by (zone) (${flipopMetric("flipop_mass_failure")})`, legend: "{{zone}}" },
    ]),
    graph("Stale caches", "Seconds since the operator last knew all objects of a kind. 0 while it follows them.", [
      { expr: `max by (resource) (${flipopMetric("flipop_cache_stale_seconds")})`, legend: "{{resource}}" },
    ]),
    graph("Addresses without resource", "Those of the accounts that no resource lists: flipop orphans names them.", [
      { expr: `max by (holder) (${flipopMetric("flipop_unlisted_addresses")})`, legend: "{{holder}}" },
    ]),
  ];
}

function chosen(metric: MetricName, ...matchers: readonly string[]): string {
  return `${metric}{${[CHOSEN, ...matchers].join(",")}}`;
}

function stat(title: string, description: string, expr: string): Panel {
  return { title, description, type: "stat", unit: "short", curves: [{ expr: orZero(expr), legend: "" }] };
}

function graph(title: string, description: string, curves: Panel["curves"], unit: Panel["unit"] = "short"): Panel {
  const shown = curves.map(({ expr, legend }) => ({ expr: orZero(expr), legend }));
  return { title, description, type: "timeseries", unit, curves: shown };
}

/** A share or a quantile of nothing is not a number: the comparison drops it. */
function orZero(expr: string): string {
  return `(${expr} >= 0) or on () vector(0)`;
}
