import type { CustomResourceDefinition } from "cdk8s-flipop/api";
import type { Source } from "./variants.js";

const KEEP = { "helm.sh/resource-policy": "keep" };

/**
 * The template of a CustomResourceDefinition. Helm never changes the files of a chart's folder crds/, so an upgrade would
 * keep the old schema.
 */
export function definitionSource(crd: CustomResourceDefinition): Source & { readonly when: string } {
  const id = `crds/${crd.metadata.name}`;
  const probe = { documents: new Map([[id, crd]]), when: "$.Values.crds.keep" };
  const document = { ...crd, metadata: { ...crd.metadata, annotations: KEEP } };
  return { id, document, probes: [probe], when: "$.Values.crds.enabled" };
}
