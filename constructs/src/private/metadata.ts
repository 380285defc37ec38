import type { ApiObjectMetadata } from "cdk8s";
import { KINDS, type KindName } from "../api/kinds/kinds";
import { labelKeyProblem, labelValueProblem } from "../api/labels/label-syntax";
import type { JsonObject } from "../api/schema/schema";
import { checkDnsLabel, checkObjectName } from "./checks/check-text";
import { objectAt } from "./manifest";
import type { Shapes } from "./prop-shapes";
import { PART } from "./prop-types";
import type { Draft } from "./refusal-collector";

/** Facts about an object for the check of its metadata. */
export interface MetadataFacts {
  readonly kind: KindName;
  /** The metadata in the props, before the chart added its own. */
  readonly given: ApiObjectMetadata | undefined;
  /** The metadata in the manifest. */
  readonly metadata: JsonObject;
}

/** Refuses metadata that the API server would reject. */
export function checkMetadata(draft: Draft, { kind, given, metadata }: MetadataFacts): void {
  const { name, namespace, labels, annotations } = metadata;
  checkObjectName(String(name ?? ""), draft.at("metadata.name"));
  if (KINDS[kind].scope === "Cluster") refuseNamespace(given?.namespace, { draft, kind });
  else if (namespace !== undefined) checkDnsLabel(String(namespace), draft.at("metadata.namespace"));
  checkLabels(objectAt(labels), draft);
  for (const key of Object.keys(objectAt(annotations))) {
    const problem = labelKeyProblem(key)?.replace("a label key", "an annotation key");
    if (problem !== undefined) draft.at("metadata.annotations").refuse(problem);
  }
}

function refuseNamespace(given: string | undefined, { draft, kind }: { draft: Draft; kind: KindName }): void {
  if (given === undefined) return;
  draft.at("metadata.namespace").refuse(`"${given}" is set, but a ${kind} has no namespace: remove it`);
}

function checkLabels(labels: Readonly<Record<string, unknown>>, draft: Draft): void {
  for (const [key, value] of Object.entries(labels)) {
    const problem = labelKeyProblem(key) ?? labelValueProblem(String(value));
    if (problem !== undefined) draft.at("metadata.labels").refuse(problem);
  }
}

/** The shape of metadata. It has no more keys: cdk8s would write any others, and the API server would drop them. */
export const METADATA_SHAPES: Shapes = {
  name: { part: PART.text },
  namespace: { part: PART.text },
  labels: { map: true, part: PART.lateText },
  annotations: { map: true, part: PART.lateText },
  finalizers: { list: true },
  ownerReferences: { list: true, part: PART.map },
};
