import { App, Chart, type ChartProps, Testing } from "cdk8s";
import type { IConstruct } from "constructs";

/** A synthesised object. */
export interface Synthesised {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** An empty chart `test` in a new app. */
export function newChart(props: ChartProps = {}): Chart {
  return new Chart(new App(), "test", props);
}

/** The objects of a chart, in their order. */
export function synth(chart: Chart): readonly Synthesised[] {
  return Testing.synth(chart) as Synthesised[];
}

/** The only object of a kind in a chart. */
export function only(chart: Chart, kind: string): Synthesised {
  const found = synth(chart).filter((object) => object.kind === kind);
  const [object] = found;
  if (!object || found.length > 1) throw new Error(`${found.length} objects of kind ${kind}, expected one`);
  return object;
}

/** The lines of the synthesis error, each with the construct path in brackets; empty if there is no error. */
export function refusals(chart: Chart): readonly string[] {
  try {
    synth(chart);
    return [];
  } catch (error) {
    const [, ...lines] = (error as Error).message.split("\n  ");
    if (lines.length === 0) throw error;
    return lines;
  }
}

/** The warnings of a synthesis, each with the construct path in brackets. */
export function warnings(chart: Chart): readonly string[] {
  synth(chart);
  const constructs: readonly IConstruct[] = chart.node.root.node.findAll();
  return constructs.flatMap(({ node }) =>
    node.metadata.filter(({ type }) => type === "flipop:warning").map(({ data }) => `[${node.path}] ${data}`),
  );
}
