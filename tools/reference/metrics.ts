import { FLIPOP_METRICS, RUNTIME_METRICS } from "../../operator/src/metrics/definitions.js";
import type { MetricDefinition } from "../../operator/src/metrics/registry.js";
import { code, codes, generatedFrom, table } from "./markdown.js";

type Row = Pick<MetricDefinition, "name" | "type" | "labels" | "help">;

/** Names of the Go operator's metrics. */
const GO_METRICS = /^flipop_(floatingippoolcontroller|nodednsrecordset|providers)_/;

/** The page on metrics. */
export function metricsPage(): string {
  const isGo = ({ name }: Row) => GO_METRICS.test(name);
  return [
    "# Metrics",
    "",
    generatedFrom("constructs/src/api/metrics.ts and operator/src/metrics"),
    "",
    "The operator serves `/metrics` at `--metrics-bind-addr`, in the Prometheus format.",
    "",
    "## Addresses, records and providers",
    "",
    "Names and labels equal the Go operator's, so its dashboards work. There are two exceptions: the histogram has no label of a resource, and `flipop_floatingippoolcontroller_inactive_ips` is new. The label `dns` is the full record name, empty without DNS.",
    "",
    ...metricTable(FLIPOP_METRICS.filter(isGo)),
    "",
    "The Go operator does not have these:",
    "",
    ...metricTable(FLIPOP_METRICS.filter((metric) => !isGo(metric))),
    "",
    "## The machinery",
    "",
    "These metrics have the names that client-go and controller-runtime use, except those that begin with `flipop_`. The Node.js process has more (`process_`, `nodejs_`).",
    "",
    ...metricTable(RUNTIME_METRICS),
    "",
  ].join("\n");
}

function metricTable(rows: readonly Row[]): readonly string[] {
  return table(
    ["metric", "type", "labels", "meaning"],
    rows.map(({ name, type, labels, help }) => [code(name), type, codes(labels), help]),
  );
}
