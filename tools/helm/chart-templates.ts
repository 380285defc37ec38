import { customResourceDefinitions, PACKAGES } from "cdk8s-flipop/api";
import { type Deployment, testPod } from "./chart-only-parts.js";
import { toTree } from "./compare-variants.js";
import { conditionOf } from "./condition.js";
import { definitionSource } from "./crd-template.js";
import { NAMESPACE_LISTS } from "./sentinels.js";
import { conditional, templateLines } from "./template-lines.js";
import { alternatives, DEPLOYMENT, type Probe, type Source, sources } from "./variants.js";

/** The templates of the chart by file name. */
export function templates(): ReadonlyMap<string, string> {
  const always = sources();
  const tests = always.filter(({ id }) => id === DEPLOYMENT).map(testSource);
  const others = [...alternatives(), ...customResourceDefinitions().map(definitionSource)];
  return new Map([
    ...[...always, ...tests].map((source) => [`${source.id}.yaml`, template(source)] as const),
    ...others.map((source) => [`${source.id}.yaml`, template(source, source.when)] as const),
  ]);
}

/** The pod of `helm test` has the conditions of the Deployment from which it is derived. */
function testSource({ id, document, probes }: Source): Source {
  const own = "tests/doctor";
  const ofProbe = ({ documents, ...probe }: Probe): Probe => {
    const deployment = documents.get(id) as Deployment;
    return { ...probe, documents: new Map([[own, testPod(deployment)]]) };
  };
  return { id: own, document: testPod(document as Deployment), probes: probes.map(ofProbe) };
}

function template({ id, document, probes }: Source, when?: string): string {
  const lackedBy = probes.filter(({ documents }) => !documents.has(id));
  const counterparts = probes.filter((probe) => !lackedBy.includes(probe));
  const others = counterparts.map((probe) => ({ probe, value: withHelmLabels(probe.documents.get(id)) }));
  const tree = toTree(withHelmLabels(document), { counterparts: others, lackedBy });
  const loop = namespaceLoop(document);
  const lines = repeated(loop, templateLines(tree, "", loop));
  return `${conditional(when ?? conditionOf(lackedBy), "", lines).join("\n")}\n`;
}

/** A document in a namespace of a list, or the Namespace itself, is repeated for each entry of the list. */
function repeated(loop: string | undefined, lines: readonly string[]): readonly string[] {
  if (loop === undefined) return lines;
  const list: string = Object.entries(NAMESPACE_LISTS).find(([sentinel]) => sentinel === loop)?.[1] ?? "";
  // If the list is empty, issuers are in the operator's own namespace.
  const namespaces = loop === "helm-issuers" ? `(default (list $.Release.Namespace) ${list})` : list;
  return [`{{- range $namespace := uniq (${namespaces} | default list) }}`, "---", ...lines, "{{- end }}"];
}

function namespaceLoop(document: unknown): string | undefined {
  const { kind, metadata } = document as { kind: string; metadata: { name: string; namespace?: string } };
  const about = kind === "Namespace" ? metadata.name : metadata.namespace;
  return about !== undefined && about in NAMESPACE_LISTS ? about : undefined;
}

/** Helm's own labels, with which users find the objects of a chart. */
function withHelmLabels(document: unknown): unknown {
  const { metadata, ...rest } = document as { metadata: { labels: object } };
  const labels = {
    ...metadata.labels,
    "app.kubernetes.io/managed-by": "Helm",
    "helm.sh/chart": `flipop-${PACKAGES.version}`,
  };
  return { ...orderedHead(rest), metadata: { ...metadata, labels }, ...rest };
}

/** Readers expect these two fields first. */
function orderedHead(document: object): object {
  const { apiVersion, kind } = document as { apiVersion: string; kind: string };
  return { apiVersion, kind };
}
