/** Each alert on series written by hand: when it fires, when it does not, and its text. */

import { expect } from "chai";
import { describe, it } from "mocha";
import { ALERTS, drawnExpressions, promtool, type Rule, type RuleTest } from "./promtool.js";

const TIMEOUT_MS = 20 * 60_000;
const POOL = 'namespace="ingress",name="web",provider="digitalocean",dns="www.example.com"';
const POD = 'namespace="flipop",name="floating-ip-pool-controller-leader-election",pod="flipop-7d4b9c-';
const LEADER = "leader_election_master_status";
const STATE = "flipop_floatingippoolcontroller_ip_state";
const ROUTED = "flipop_routedipcontroller_ip_state";
const INACTIVE = "flipop_floatingippoolcontroller_inactive_ips";
const WEB = { namespace: "ingress", name: "web" };
const GATEWAY = { namespace: "voice", name: "gateway" };

/** Also during and after the changes of the series below. */
const SILENT_AT = ["5m", "6m", "7m30s", "10m", "11m", "13m", "16m", "30m"];

type Series = readonly [series: string, values: string];

interface Case {
  readonly alert: string;
  readonly fires: readonly Series[];
  /** Labels of the alert that fires, beside its severity. */
  readonly labels: Readonly<Record<string, string>>;
  /** What `{{ $value }}` becomes. */
  readonly value?: string;
  /** Series that look alike and do not fire it. */
  readonly silent: readonly (readonly Series[])[];
}

const problem = (kind: string, { namespace, name }: typeof WEB, type: string, reason: string): Series => [
  `flipop_resource_problem{kind="${kind}",namespace="${namespace}",name="${name}",type="${type}",reason="${reason}"}`,
  "1x120",
];
const calls = (outcome: string, values: string): Series => [
  `flipop_providers_calls_total{provider="digitalocean",call="List",outcome="${outcome}"}`,
  values,
];
const NOT_ASKED = ["ProviderUnavailable", "RateLimited", "Unauthorized"];

const CASES: readonly Case[] = [
  {
    alert: "FlipopNoAddressActive",
    fires: [
      [`${INACTIVE}{${POOL}}`, "3x120"],
      [`${STATE}{${POOL},ip="192.0.2.1",state="active"}`, "0x120"],
    ],
    labels: WEB,
    value: "3",
    silent: [
      [
        [`${INACTIVE}{${POOL}}`, "2x120"],
        [`${STATE}{${POOL},ip="192.0.2.1",state="active"}`, "1x120"],
      ],
      [[`${INACTIVE}{${POOL}}`, "0x120"]],
      // A move.
      [
        [`${INACTIVE}{${POOL}}`, "0x10 1x2 0x108"],
        [`${STATE}{${POOL},ip="192.0.2.1",state="active"}`, "1x10 0x2 1x108"],
      ],
      // A restart: the new pod has no series of the pool yet.
      [
        [`${INACTIVE}{${POOL},pod="a"}`, "0x20 stale"],
        [`${STATE}{${POOL},ip="192.0.2.1",state="active",pod="a"}`, "1x20 stale"],
      ],
    ],
  },
  {
    alert: "FlipopFewerAddressesThanDesired",
    fires: [
      [`${INACTIVE}{${POOL}}`, "2x120"],
      [`${STATE}{${POOL},ip="192.0.2.1",state="active"}`, "1x120"],
    ],
    labels: WEB,
    value: "2",
    silent: [
      [
        [`${INACTIVE}{${POOL}}`, "0x120"],
        [`${STATE}{${POOL},ip="192.0.2.1",state="active"}`, "1x120"],
      ],
    ],
  },
  {
    alert: "FlipopAssignmentErrors",
    fires: [[`flipop_floatingippoolcontroller_ip_assignment_errors{${POOL},ip="192.0.2.1"}`, "0+1x120"]],
    labels: WEB,
    value: "30",
    silent: [[[`flipop_floatingippoolcontroller_ip_assignment_errors{${POOL},ip="192.0.2.1"}`, "5x120"]]],
  },
  {
    alert: "FlipopAddressInError",
    fires: [[`${STATE}{${POOL},ip="192.0.2.1",state="error"}`, "1x120"]],
    labels: { ...WEB, ip: "192.0.2.1" },
    silent: [[[`${STATE}{${POOL},ip="192.0.2.1",state="no-match"}`, "1x120"]]],
  },
  {
    alert: "FlipopNameNotInPlace",
    fires: [problem("NodeDNSRecordSet", WEB, "DNSReady", "ZoneNotFound")],
    labels: { kind: "NodeDNSRecordSet", ...WEB },
    silent: NOT_ASKED.map((reason) => [problem("NodeDNSRecordSet", WEB, "DNSReady", reason)]),
  },
  {
    alert: "FlipopConflict",
    fires: [problem("FloatingIPPool", WEB, "Conflict", "ClaimedByOther")],
    labels: { kind: "FloatingIPPool", ...WEB },
    silent: [[problem("FloatingIPPool", WEB, "Fulfilled", "ClaimedByOther")]],
  },
  {
    alert: "FlipopRoutedIPWithoutNode",
    fires: [
      problem("RoutedIP", GATEWAY, "Assigned", "NoCandidate"),
      [`${ROUTED}{namespace="voice",name="gateway",ip="192.0.2.9",state="active"}`, "0x120"],
    ],
    labels: GATEWAY,
    silent: [
      // After a restart in an outage: the status has the node, the account cannot be read.
      [
        problem("RoutedIP", GATEWAY, "Assigned", "ProviderUnavailable"),
        [`${ROUTED}{namespace="voice",name="gateway",ip="192.0.2.9",state="active"}`, "1x120"],
      ],
    ],
  },
  {
    alert: "FlipopRoutedIPWithoutFirewall",
    fires: [problem("RoutedIP", GATEWAY, "FirewallReady", "FirewallFull")],
    labels: GATEWAY,
    silent: NOT_ASKED.map((reason) => [problem("RoutedIP", GATEWAY, "FirewallReady", reason)]),
  },
  {
    alert: "FlipopProviderUnreachable",
    fires: [problem("FloatingIPPool", WEB, "ProviderReachable", "ProviderUnavailable")],
    labels: { kind: "FloatingIPPool", ...WEB },
    silent: [[problem("FloatingIPPool", WEB, "Fulfilled", "NoCandidate")]],
  },
  {
    alert: "FlipopCredentialsRefused",
    fires: [problem("RoutedIPIssuer", GATEWAY, "Ready", "Unauthorized")],
    labels: { kind: "RoutedIPIssuer", ...GATEWAY },
    silent: [[problem("RoutedIPIssuer", GATEWAY, "Ready", "SecretNotFound")]],
  },
  {
    alert: "FlipopCleanupAbandoned",
    fires: [['flipop_cleanup_abandoned_total{kind="FloatingIPPool",namespace="ingress",name="web"}', "0x40 2x80"]],
    labels: { kind: "FloatingIPPool", ...WEB },
    silent: [[['flipop_cleanup_abandoned_total{kind="FloatingIPPool",namespace="ingress",name="web"}', "0x120"]]],
  },
  {
    alert: "FlipopProviderErrors",
    fires: [calls("error", "0+1x120"), calls("success", "0+1x120")],
    labels: { provider: "digitalocean" },
    value: "50%",
    silent: [
      [calls("error", "0x120"), calls("success", "0+1x120")],
      [calls("error", "0x120"), calls("success", "0x120")],
    ],
  },
  {
    alert: "FlipopBudgetUsedUp",
    fires: [['flipop_provider_limit_wait_seconds{provider="digitalocean"}', "600x120"]],
    labels: { provider: "digitalocean" },
    value: "10m 0s",
    silent: [[['flipop_provider_limit_wait_seconds{provider="digitalocean"}', "0 60 0x118"]]],
  },
  {
    alert: "FlipopNoLeader",
    fires: [
      [`${LEADER}{${POD}a"}`, "0x120"],
      [`${LEADER}{${POD}b"}`, "0x120"],
    ],
    labels: {},
    silent: [
      [
        [`${LEADER}{${POD}a"}`, "0x120"],
        [`${LEADER}{${POD}b"}`, "1x120"],
      ],
      // FlipopNoMetrics reports it.
      [],
    ],
  },
  {
    alert: "FlipopTwoLeaders",
    fires: [
      [`${LEADER}{${POD}a"}`, "1x120"],
      [`${LEADER}{${POD}b"}`, "1x120"],
    ],
    labels: {},
    value: "2",
    silent: [
      // A killed pod, whose series ends, and the next one.
      [
        [`${LEADER}{${POD}a"}`, "1x20 stale"],
        [`${LEADER}{${POD}b"}`, "0x21 1x98"],
      ],
    ],
  },
  {
    alert: "FlipopNoMetrics",
    fires: [],
    labels: { namespace: "flipop", name: "floating-ip-pool-controller-leader-election" },
    silent: [[[`${LEADER}{${POD}a"}`, "0x120"]]],
  },
  {
    alert: "FlipopMassFailure",
    fires: [
      [`flipop_mass_failure{zone="",namespace="flipop",pod="flipop-7d4b9c-a"}`, "0x120"],
      [`flipop_mass_failure{zone="nyc3",namespace="flipop",pod="flipop-7d4b9c-a"}`, "1x120"],
    ],
    labels: { zone: "nyc3" },
    silent: [[[`flipop_mass_failure{zone="",namespace="flipop",pod="flipop-7d4b9c-a"}`, "0x120"]]],
  },
  {
    alert: "FlipopStopped",
    fires: [[`flipop_stopped{namespace="flipop",pod="flipop-7d4b9c-a"}`, "1x120"]],
    labels: {},
    silent: [[[`flipop_stopped{namespace="flipop",pod="flipop-7d4b9c-a"}`, "0x120"]]],
  },
  {
    alert: "FlipopStaleCache",
    fires: [
      [`flipop_cache_stale_seconds{resource="pods",namespace="flipop",pod="flipop-7d4b9c-a"}`, "0x120"],
      [`flipop_cache_stale_seconds{resource="nodes",namespace="flipop",pod="flipop-7d4b9c-a"}`, "60+60x120"],
    ],
    labels: { resource: "nodes" },
    value: "1h 1m 0s",
    silent: [[[`flipop_cache_stale_seconds{resource="nodes",namespace="flipop",pod="flipop-7d4b9c-a"}`, "0x120"]]],
  },
  {
    alert: "FlipopReconcileErrors",
    fires: [
      [
        'controller_runtime_reconcile_errors_total{controller="routed-ip",namespace="flipop",pod="flipop-7d4b9c-a"}',
        "0+1x120",
      ],
    ],
    labels: { controller: "routed-ip" },
    value: "30",
    silent: [
      [
        [
          'controller_runtime_reconcile_errors_total{controller="routed-ip",namespace="other",pod="flipop-7d4b9c-a"}',
          "0+1x120",
        ],
      ],
    ],
  },
];

function testOf(series: readonly Series[], rule: Rule, alerts: readonly object[]): RuleTest {
  const times = alerts.length === 0 ? SILENT_AT : ["30m"];
  return {
    name: rule.alert,
    interval: "30s",
    input_series: series.map(([name, values]) => ({ series: name, values })),
    alert_rule_test: times.map((eval_time) => ({ eval_time, alertname: rule.alert, exp_alerts: alerts })),
  };
}

function fired({ labels: { severity }, annotations }: Rule, { labels, value = "" }: Case): object {
  const text = Object.entries(annotations).map(([name, written]) => [name, rendered(written, labels, value)]);
  return { exp_labels: { severity, ...labels }, exp_annotations: Object.fromEntries(text) };
}

function rendered(text: string, labels: Readonly<Record<string, string>>, value: string): string {
  return text
    .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => labels[name] ?? "")
    .replaceAll(/\{\{ \$value(?: \| \w+)? \}\}/g, value);
}

describe("the alerts, by promtool", function () {
  this.timeout(TIMEOUT_MS);

  it("are all tested", () => {
    expect(CASES.map(({ alert }) => alert)).to.have.members(ALERTS.map(({ alert }) => alert));
  });

  for (const made of CASES) {
    const rule = ALERTS.find(({ alert }) => alert === made.alert);
    if (rule === undefined) continue;
    it(`${made.alert} fires, with a text that names the resource`, () =>
      promtool([testOf(made.fires, rule, [fired(rule, made)])]));

    it(`${made.alert} does not fire for what looks alike`, () =>
      promtool(made.silent.map((series) => testOf(series, rule, []))));
  }

  it("leave no panel of the dashboard without a number before the first sample", async () => {
    const zero = [{ labels: "{}", value: 0 }];
    const tests = drawnExpressions().map((expr) => {
      return { expr: expr.replaceAll("$namespace", ".*"), eval_time: "5m", exp_samples: zero };
    });
    expect(tests).not.to.have.length(0);
    await promtool([{ interval: "1m", input_series: [], promql_expr_test: tests }]);
  });
});
