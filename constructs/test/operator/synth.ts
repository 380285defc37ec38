import { Chart, type ChartProps, Testing } from "cdk8s";
import { FlipopOperator, type FlipopOperatorProps } from "../../src";

/** A synthesised Kubernetes object. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels: Record<string, string> };
  readonly [field: string]: unknown;
}

/** All objects of an operator with these props. Like a synthesis, it throws if the props are invalid. */
export function synthOperator(props: FlipopOperatorProps = {}, chartProps: ChartProps = {}): readonly Manifest[] {
  const chart = new Chart(Testing.app(), "test", chartProps);
  new FlipopOperator(chart, "operator", props);
  return Testing.synth(chart) as readonly Manifest[];
}

/** An operator that is not synthesised yet, and its chart. */
export function makeOperator(props: FlipopOperatorProps = {}): { chart: Chart; operator: FlipopOperator } {
  const chart = Testing.chart();
  return { chart, operator: new FlipopOperator(chart, "operator", props) };
}

/** The object of a kind and name. */
export function find(objects: readonly Manifest[], kind: string, name: string): Manifest {
  const found = objects.filter((object) => object.kind === kind && object.metadata.name === name);
  if (found.length !== 1) throw new Error(`${found.length} objects are ${kind} ${name}: ${titles(objects).join(", ")}`);
  return found[0] as Manifest;
}

/** Kind, namespace and name of each object. */
export function titles(objects: readonly Manifest[]): readonly string[] {
  return objects.map(({ kind, metadata: { name, namespace } }) => [kind, namespace, name].filter(Boolean).join(" "));
}

/** The part of a container that tests read. */
export interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly Readonly<Record<string, unknown>>[];
  readonly resources: unknown;
  readonly securityContext: unknown;
  readonly [field: string]: unknown;
}

/** The part of a pod's spec that tests read. */
export interface PodSpec {
  readonly containers: readonly [Container];
  readonly nodeSelector: unknown;
  readonly [field: string]: unknown;
}

/** The pods' spec in the Deployment. */
export function podSpec(objects: readonly Manifest[]): PodSpec {
  const [deployment] = objects.filter(({ kind }) => kind === "Deployment");
  if (!deployment) throw new Error(`no Deployment among ${titles(objects).join(", ")}`);
  return (deployment["spec"] as { template: { spec: PodSpec } }).template.spec;
}

/** The operator's container in the Deployment. */
export function container(objects: readonly Manifest[]): Container {
  return podSpec(objects).containers[0];
}

/** The lines of the error of a synthesis with these props, without its heading. */
export function problemsOf(props: FlipopOperatorProps): readonly string[] {
  try {
    synthOperator(props);
    return [];
  } catch (error) {
    const [, ...lines] = (error as Error).message.split("\n");
    return lines.map((line) => line.trim());
  }
}
