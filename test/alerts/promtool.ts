/** Runs `promtool test rules` on the alerts that the construct writes. */

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Chart, Testing } from "cdk8s";
import { Credentials, FlipopOperator } from "cdk8s-flipop";
import { findOrBuildPromtool } from "../../tools/promtool/promtool-binary.js";
import type { InputSeries } from "./series.js";

const run = promisify(execFile);

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Groups {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

interface Manifest {
  readonly kind: string;
  readonly spec?: Groups;
  readonly data?: Readonly<Record<string, string>>;
}

const OBJECTS = synthesised();

/** The PrometheusRule's spec: a file of rules. */
export const RULES: Groups = OBJECTS.find(({ kind }) => kind === "PrometheusRule")?.spec ?? { groups: [] };

export const ALERTS: readonly Rule[] = RULES.groups.flatMap(({ rules }) => rules);

/** All expressions of the dashboard's panels that draw numbers. */
export function drawnExpressions(): readonly string[] {
  const [text = "{}"] = OBJECTS.flatMap(({ kind, data }) => (kind === "ConfigMap" ? [data?.["flipop.json"]] : []));
  const { panels = [] } = JSON.parse(text) as { panels?: { type: string; targets?: { expr: string }[] }[] };
  const drawn = panels.filter(({ type }) => type === "stat" || type === "timeseries");
  return drawn.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

function synthesised(): readonly Manifest[] {
  const chart = new Chart(Testing.app(), "test");
  const credentials = Credentials.fromSecretName("flipop");
  new FlipopOperator(chart, "flipop", { digitalOcean: credentials, alertRules: true, dashboard: true });
  return Testing.synth(chart) as Manifest[];
}

/** One group of `tests` in the file that promtool reads. */
export interface RuleTest {
  readonly name?: string;
  readonly interval: string;
  readonly input_series: readonly InputSeries[];
  readonly alert_rule_test?: readonly object[];
  readonly promql_expr_test?: readonly object[];
}

/** Rejects with promtool's report if a test fails. */
export async function promtool(tests: readonly RuleTest[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "flipop-alerts-"));
  try {
    // YAML contains JSON.
    await writeFile(join(folder, "rules.yaml"), JSON.stringify(RULES));
    const file = { evaluation_interval: "30s", rule_files: ["rules.yaml"], tests };
    await writeFile(join(folder, "test.yaml"), JSON.stringify(file));
    const report = await run(await findOrBuildPromtool(), ["test", "rules", join(folder, "test.yaml")]).catch(
      ({ stdout = "", stderr = "" }: { readonly stdout?: string; readonly stderr?: string }) => {
        throw new Error(`promtool test rules failed:\n${stdout}${stderr}`);
      },
    );
    if (!report.stdout.includes("SUCCESS")) throw new Error(`promtool tested nothing:\n${report.stdout}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}
