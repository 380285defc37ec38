import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import { type FlipopOperatorProps, MetricsScrape } from "../../../src";
import { METRICS } from "../../../src/api";
import { find, type Manifest, synthOperator } from "../synth";

const SELECTOR = { matchLabels: { "app.kubernetes.io/name": "flipop", "app.kubernetes.io/instance": "flipop" } };

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[];
  }[];
}

function rules(props: FlipopOperatorProps = {}): readonly Rule[] {
  const objects = synthOperator({ ...props, alertRules: true });
  const { groups } = find(objects, "PrometheusRule", props.name ?? "flipop")["spec"] as { groups: { rules: Rule[] }[] };
  return groups.flatMap((group) => group.rules);
}

function dashboard(props: FlipopOperatorProps = {}): Dashboard {
  const configMap = find(
    synthOperator({ ...props, dashboard: true }),
    "ConfigMap",
    `${props.name ?? "flipop"}-dashboard`,
  );
  const { "flipop.json": text } = configMap["data"] as { "flipop.json": string };
  return JSON.parse(text) as Dashboard;
}

/** Metrics of an expression, without the suffixes of histograms. */
function metricsIn(expr: string): readonly string[] {
  const names = expr.match(/\b(flipop|leader_election|controller_runtime|workqueue)_[a-z_]+/g) ?? [];
  return names.map((name) => name.replace(/_bucket$/, ""));
}

/** Labels that an expression of a flipop metric has in braces or in its grouping. */
function labelsIn(expr: string): readonly string[] {
  const selected = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(
    ([, inside = ""]) => inside.match(/[a-z_]+(?=!?=)/g) ?? [],
  );
  const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, inside = ""]) => inside.split(/, */));
  return [...selected, ...grouped].filter((label) => label !== "le");
}

function balanced(expr: string): boolean {
  let open = 0;
  for (const character of expr) {
    if (character === "(") open += 1;
    if (character === ")") open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
}

/** Checks for every expression, in alerts and in the dashboard. */
function expectSane(expr: string): void {
  expect(balanced(expr), expr).to.equal(true);
  const metrics = metricsIn(expr);
  expect(metrics, expr).not.to.have.length(0);
  const own = metrics.filter((name) => name.startsWith("flipop_"));
  expect(known, expr).to.include.keys(...own, "flipop_stopped");
  for (const [, name = "", selector = ""] of expr.matchAll(/\b(flipop_[a-z_]+)\{([^}]*)\}/g)) {
    expect(known[name]?.labels, expr).to.include.members(selector.match(/[a-z_]+(?=!?=)/g) ?? []);
  }
  // An expression about two metrics joins them by labels that both have.
  const all = own.flatMap((name) => [...(known[name]?.labels ?? [])]);
  if (own.length > 0) expect(all, expr).to.include.members([...new Set(labelsIn(expr))]);
}

const known: Readonly<Record<string, { readonly labels: readonly string[] }>> = METRICS;

describe("scraping", () => {
  const spec = (objects: readonly Manifest[], kind: string): unknown => find(objects, kind, "flipop")["spec"];

  it("has no object by default", () => {
    const kinds = synthOperator().map(({ kind }) => kind);
    expect(kinds).not.to.include.members(["ServiceMonitor"]);
    expect(kinds).not.to.include.members(["PodMonitor"]);
  });

  it("by a ServiceMonitor uses the metrics port of the Service, whose labels it selects", () => {
    const objects = synthOperator({ scrape: MetricsScrape.SERVICE_MONITOR });
    expect(spec(objects, "ServiceMonitor")).to.deep.equal({
      selector: SELECTOR,
      endpoints: [{ port: "metrics", honorLabels: true }],
    });
    expect(find(objects, "Service", "flipop-metrics").metadata.labels).to.include(SELECTOR.matchLabels);
    expect(objects.some(({ kind }) => kind === "PodMonitor")).to.equal(false);
  });

  it("by a PodMonitor uses the metrics port of the pods", () => {
    const objects = synthOperator({ scrape: MetricsScrape.POD_MONITOR });
    expect(spec(objects, "PodMonitor")).to.deep.equal({
      selector: SELECTOR,
      podMetricsEndpoints: [{ port: "metrics", honorLabels: true }],
    });
    expect(objects.some(({ kind }) => kind === "ServiceMonitor")).to.equal(false);
  });

  it("objects, alerts and dashboard have the additional labels", () => {
    const monitoringLabels = { release: "prometheus" };
    const props = { scrape: MetricsScrape.SERVICE_MONITOR, alertRules: true, dashboard: true, monitoringLabels };
    const objects = synthOperator(props);
    for (const kind of ["ServiceMonitor", "PrometheusRule", "ConfigMap"]) {
      const [found] = objects.filter((object) => object.kind === kind);
      expect(found?.metadata.labels, kind).to.include(monitoringLabels);
    }
    expect(find(objects, "Deployment", "flipop").metadata.labels).not.to.include(monitoringLabels);
  });

  it("reaches each pod: the Service does not balance", () => {
    expect(find(synthOperator(), "Service", "flipop-metrics")["spec"]).to.deep.equal({
      clusterIP: "None",
      selector: SELECTOR.matchLabels,
      ports: [{ name: "metrics", port: 8080, targetPort: "metrics", protocol: "TCP" }],
    });
  });
});

const RUNBOOK = resolve(__dirname, "../../../../docs/runbooks/alerts.md");
const SECTIONS = [...readFileSync(RUNBOOK, "utf8").matchAll(/^## (\w+)$/gm)].map(([, title = ""]) =>
  title.toLowerCase(),
);

describe("the alerts", () => {
  it("are complete", () => {
    expect(rules().map(({ alert, labels }) => `${labels.severity} ${alert}`)).to.deep.equal([
      "critical FlipopNoAddressActive",
      "warning FlipopFewerAddressesThanDesired",
      "warning FlipopAssignmentErrors",
      "warning FlipopAddressInError",
      "warning FlipopNameNotInPlace",
      "warning FlipopConflict",
      "critical FlipopRoutedIPWithoutNode",
      "warning FlipopRoutedIPWithoutFirewall",
      "warning FlipopProviderUnreachable",
      "critical FlipopCredentialsRefused",
      "warning FlipopCleanupAbandoned",
      "warning FlipopProviderErrors",
      "warning FlipopBudgetUsedUp",
      "critical FlipopNoLeader",
      "critical FlipopTwoLeaders",
      "critical FlipopNoMetrics",
      "critical FlipopMassFailure",
      "warning FlipopStopped",
      "critical FlipopStaleCache",
      "warning FlipopReconcileErrors",
    ]);
  });

  for (const { alert, expr, annotations, ...rule } of rules()) {
    it(`${alert} uses only existing metrics and labels`, () => expectSane(expr));

    it(`${alert} waits before it fires, and names the problem and the place to look`, () => {
      expect(rule.for).to.match(/^\d+m$/);
      expect(annotations.summary).to.match(/\.$/);
      expect(annotations.description).to.match(/kubectl|log/);
    });

    it(`${alert} names the resource and has a section in the runbook`, () => {
      expect(annotations.summary).to.match(/\$labels\.(name|provider|controller) \}\}|flipop\/flipop/);
      expect(annotations.runbook_url).to.match(/\/docs\/runbooks\/alerts\.md#/);
      const [, section = ""] = annotations.runbook_url.split("#");
      expect(SECTIONS).to.include(section);
    });

    it(`${alert} shows only labels that its expression keeps`, () => {
      const shown = [...JSON.stringify(annotations).matchAll(/\$labels\.([a-z_]+)/g)].map(([, label]) => label);
      expect(labelsIn(expr)).to.include.members(shown);
    });
  }

  it("about runtime metrics cover only this operator's pods", () => {
    const [noLeader] = rules({ name: "canary", namespace: "edge" }).filter(({ alert }) => alert === "FlipopNoLeader");
    expect(noLeader?.expr).to.equal(
      'sum(leader_election_master_status{namespace="edge",name="floating-ip-pool-controller-leader-election",pod=~"canary-[a-z0-9]+-[a-z0-9]+"}) == 0',
    );
  });
});

describe("the dashboard", () => {
  it("is found by Grafana's sidecar", () => {
    const { metadata } = find(synthOperator({ dashboard: true }), "ConfigMap", "flipop-dashboard");
    expect(metadata.labels).to.include({ grafana_dashboard: "1" });
  });

  it("has a unique id for each operator", () => {
    expect(dashboard().uid).to.equal("flipop");
    expect(dashboard({ name: "canary", namespace: "edge" })).to.include({
      uid: "canary-edge",
      title: "flipop: edge/canary",
    });
    expect(dashboard({ name: "n".repeat(50) }).uid).to.have.length(40);
  });

  it("shows every flipop metric", () => {
    const shown = dashboard().panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr)));
    expect(shown).to.include.members(Object.keys(METRICS));
  });

  it("shows zeros in place of No data", () => {
    const drawn = dashboard().panels.filter(({ type }) => type === "stat" || type === "timeseries");
    expect(drawn).not.to.have.length(0);
    for (const { targets = [] } of drawn)
      for (const { expr } of targets) expect(expr).to.match(/ or on \(\) vector\(0\)$/);
    expect(JSON.stringify(dashboard()).match(/"noValue":"0"/g)).to.have.length(
      dashboard().panels.filter(({ type }) => type !== "row").length,
    );
  });

  it("uses only existing metrics and labels", () => {
    for (const { targets = [] } of dashboard().panels) for (const { expr } of targets) expectSane(expr);
  });

  it("names each line by labels that its expression keeps", () => {
    for (const { expr, legendFormat } of dashboard().panels.flatMap(({ targets = [] }) => targets)) {
      const shown = [...legendFormat.matchAll(/\{\{([a-z_]+)\}\}/g)].map(([, label]) => label);
      expect(labelsIn(expr), expr).to.include.members(shown);
    }
  });

  it("uses no variable that it does not define", () => {
    const { templating, panels } = dashboard();
    const used = [...JSON.stringify(panels).matchAll(/\$([a-z]+)/g)].map(([, name]) => name);
    expect(new Set(used)).to.deep.equal(new Set(templating.list.map(({ name }) => name)));
  });

  it("has panels with unique ids that neither overlap nor leave the grid", () => {
    const { panels } = dashboard();
    expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).to.equal(cells.length);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).to.be.at.most(24);
  });
});
