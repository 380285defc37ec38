import type { MetricName } from "../api/metrics";
import type { Panel, Row } from "./dashboard-layout";
import { flipopBuckets, flipopMetric, runtimeMetric } from "./metric-queries";
import type { OperatorSettings } from "./settings";

const RESOURCE = "{{namespace}}/{{name}}";
/** The namespaces that are chosen at the top of the dashboard. */
const CHOSEN = 'namespace=~"$namespace"';

/** Everything on the dashboard, most important first. */
export function dashboardRows(settings: OperatorSettings): readonly Row[] {
  return [
    { title: "At a glance", panels: glance(settings) },
    { title: "Addresses", panels: addresses() },
    { title: "Where they are", panels: [holders(POOLS), assignments(POOLS), records()] },
    { title: "RoutedIPs", panels: [routedStates(), holders(ROUTED), assignments(ROUTED)] },
    { title: "What is wrong", panels: trouble() },
    { title: "Providers", panels: providers() },
    { title: "Operator", panels: operator(settings) },
  ];
}

function glance(settings: OperatorSettings): readonly Panel[] {
  const active = chosen("flipop_floatingippoolcontroller_ip_state", 'state="active"');
  const missing = chosen("flipop_floatingippoolcontroller_unfulfilled_ips");
  const errors = `increase(${chosen("flipop_floatingippoolcontroller_ip_assignment_errors")}[1h])`;
  return [
    stat("Active addresses", "Addresses that are on a node that matches.", `sum(${active})`),
    stat("Missing addresses", "Desired addresses that the pool has not acquired. Should be 0.", `sum(${missing})`),
    stat("Failed assignments", "In the last hour. Should be 0.", `sum(${errors})`),
    stat("Leaders", "Pods that hold the Lease. Should be 1.", `sum(${runtimeMetric("leader", settings)})`),
  ];
}

function addresses(): readonly Panel[] {
  const state = chosen("flipop_floatingippoolcontroller_ip_state");
  const nodes = chosen("flipop_floatingippoolcontroller_node_status");
  const missing = chosen("flipop_floatingippoolcontroller_unfulfilled_ips");
  const inactive = chosen("flipop_floatingippoolcontroller_inactive_ips");
  return [
    graph("Addresses by state", "Lasting error or in-progress needs a look.", [
      { expr: `sum by (state) (${state})`, legend: "{{state}}" },
    ]),
    graph("Nodes by status", "available: matches, and waits for an address.", [
      { expr: `sum by (namespace, name, status) (${nodes})`, legend: `${RESOURCE} {{status}}` },
    ]),
    graph(
      "Missing and inactive addresses by pool",
      "Desired addresses not acquired yet, and those on no matching node.",
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
  return graph("Assignments", "Per 5 minutes. Many without node changes: addresses flap.", [
    { expr: `sum by (namespace, name) (increase(${moved}[5m]))`, legend: `${RESOURCE} done` },
    { expr: `sum by (namespace, name) (increase(${failed}[5m]))`, legend: `${RESOURCE} failed` },
  ]);
}

function records(): Panel {
  const count = chosen("flipop_nodednsrecordset_records");
  return graph("Records of NodeDNSRecordSets", "How many addresses each record set holds.", [
    { expr: `sum by (namespace, name) (${count})`, legend: RESOURCE },
  ]);
}

function routedStates(): Panel {
  const state = chosen("flipop_routedipcontroller_ip_state");
  return graph("RoutedIPs by state", "Lasting error, no-match or in-progress needs a look.", [
    { expr: `sum by (state) (${state})`, legend: "{{state}}" },
  ]);
}

function trouble(): readonly Panel[] {
  const ready = chosen("flipop_resource_condition", 'type="Ready"');
  const conflict = chosen("flipop_resource_condition", 'type="Conflict"');
  const left = chosen("flipop_left_behind_total");
  const expr = `max by (kind, namespace, name, type) (${ready} == 0 or ${conflict} == 1)`;
  const description = "Resources that are not Ready, or in Conflict. Their conditions say why.";
  return [
    { title: "Resources to look at", description, type: "table", unit: "short", curves: [{ expr, legend: "" }] },
    graph("Left behind", "Addresses, record sets and rules that a clean-up gave up on. Somebody pays for them.", [
      { expr: `sum by (kind, namespace) (${left})`, legend: "{{kind}} {{namespace}}" },
    ]),
  ];
}

/** Not limited to the chosen namespaces: a read that is shared by resources belongs to none. */
function providers(): readonly Panel[] {
  const calls = flipopMetric("flipop_providers_calls_total");
  const failed = flipopMetric("flipop_providers_calls_total", { outcome: "error" });
  const buckets = flipopBuckets("flipop_providers_call_duration_seconds");
  const quantile = (q: number): string => `histogram_quantile(${q}, sum by (provider, le) (rate(${buckets}[5m])))`;
  return [
    graph(
      "Calls",
      "Calls in a second.",
      [{ expr: `sum by (provider, call, outcome) (rate(${calls}[5m]))`, legend: "{{provider}} {{call}} {{outcome}}" }],
      "ops",
    ),
    graph(
      "Share of failed calls",
      "Lasting failures: an outage, a rate limit or a refused token.",
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
      "Half and 99 of 100 calls are faster than this.",
      [
        { expr: quantile(0.5), legend: "{{provider}} p50" },
        { expr: quantile(0.99), legend: "{{provider}} p99" },
      ],
      "s",
    ),
    waitBeforeCalls(),
  ];
}

function waitBeforeCalls(): Panel {
  const waits = flipopBuckets("flipop_provider_call_wait_seconds");
  return graph(
    "Wait before calls",
    "99 of 100 calls of a work class wait shorter than this for the account's limits. Moves of addresses go first.",
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
    graph("Failed runs", "Per 5 minutes. The log says why.", [
      { expr: `sum by (controller) (increase(${errors}[5m]))`, legend: "{{controller}}" },
    ]),
    graph(
      "Duration of runs",
      "99 of 100 runs are faster than this.",
      [
        {
          expr: `histogram_quantile(0.99, sum by (controller, le) (rate(${buckets}[5m])))`,
          legend: "{{controller}}",
        },
      ],
      "s",
    ),
    graph("Waiting keys", "Should fall back to 0 after each burst.", [
      { expr: `sum by (name) (${runtimeMetric("queueDepth", settings)})`, legend: "{{name}}" },
    ]),
  ];
}

function chosen(metric: MetricName, ...matchers: readonly string[]): string {
  return `${metric}{${[CHOSEN, ...matchers].join(",")}}`;
}

function stat(title: string, description: string, expr: string): Panel {
  return { title, description, type: "stat", unit: "short", curves: [{ expr, legend: "" }] };
}

function graph(title: string, description: string, curves: Panel["curves"], unit: Panel["unit"] = "short"): Panel {
  return { title, description, type: "timeseries", unit, curves };
}
