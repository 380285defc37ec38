import { Chart, Testing } from "cdk8s";
import { FlipopOperator, type FlipopOperatorProps } from "cdk8s-flipop";

// A helm that was built from its module assumes an old release for an unknown cluster.
export const KUBE_VERSION = ["--kube-version", "1.35"];

/** An object as the construct and the chart write it. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
}

/** The objects of a construct. */
export function synth(props: FlipopOperatorProps): readonly Manifest[] {
  const chart = new Chart(Testing.app(), "flipop");
  new FlipopOperator(chart, "operator", props);
  return Testing.synth(chart) as readonly Manifest[];
}

/** The objects in an order that depends on neither source. */
export function sorted(objects: readonly Manifest[]): readonly Manifest[] {
  const key = ({ kind, metadata: { name, namespace = "" } }: Manifest): string => `${kind} ${namespace} ${name}`;
  return [...objects].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The objects of a construct that the chart has too: Helm creates the operator's namespace. */
export function ofChart(objects: readonly Manifest[], namespace: string): readonly Manifest[] {
  return objects.filter(({ kind, metadata }) => kind !== "Namespace" || metadata.name !== namespace);
}

/** A rendered object without what only the chart has. */
export function asConstruct(object: Manifest): Manifest {
  const { "app.kubernetes.io/managed-by": _manager, "helm.sh/chart": _chart, ...labels } = object.metadata.labels;
  const { labels: _labels, ...metadata } = object.metadata;
  if (object.kind === "CustomResourceDefinition") return { ...object, metadata: { name: metadata.name } as never };
  const plain = { ...object, metadata: { ...metadata, labels } };
  return JSON.parse(JSON.stringify(plain).replace(',"imagePullPolicy":"IfNotPresent"', "")) as Manifest;
}
