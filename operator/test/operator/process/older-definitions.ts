/** CRDs of a release that did not know the intent of a creation yet, and those of this one. */

import { customResourceDefinitions } from "cdk8s-flipop/api";
import type { Emulator } from "flipop-sandbox/kubernetes";

export function definitionsWithoutIntent(): readonly object[] {
  return definitionsWithout("pendingCreation");
}

/** @param field whose schema is absent, so that the API server drops it */
export function definitionsWithout(field: string): readonly object[] {
  const text = JSON.stringify(customResourceDefinitions(), (key, value: unknown) =>
    key === field ? undefined : value,
  );
  return JSON.parse(text) as readonly object[];
}

/** Those of a build that did not write the policy of a record set into statuses; specs have it. */
export function definitionsWithoutStoredPolicy(): readonly object[] {
  return customResourceDefinitions().map((definition) => withoutStoredPolicy(structuredClone(definition)));
}

function withoutStoredPolicy(definition: object): object {
  for (const { schema } of (definition as Versioned).spec.versions)
    delete schema.openAPIV3Schema.properties["status"]?.properties?.["dns"]?.properties?.["deletionPolicy"];
  return definition;
}

interface Schema {
  readonly properties?: Record<string, Schema>;
}

interface Versioned {
  readonly spec: {
    readonly versions: readonly {
      readonly schema: { readonly openAPIV3Schema: { readonly properties: Record<string, Schema> } };
    }[];
  };
}

/** Those of the Go operator: of the status of a pool they keep little. */
export function definitionsOfGoOperator(): readonly object[] {
  return customResourceDefinitions().map((definition) => withoutStatusFields(structuredClone(definition)));
}

/** Our kinds, with specs that take anything. @param fields of the status. @default anything */
export function loosened(fields?: object): readonly object[] {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const status = fields === undefined ? anything : { type: "object", properties: fields };
  const openAPIV3Schema = { type: "object", properties: { spec: anything, status } };
  const version = { name: "v1alpha1", served: true, storage: true, subresources: { status: {} } };
  return customResourceDefinitions().map(({ spec, ...definition }) => ({
    ...definition,
    spec: { ...spec, versions: [{ ...version, schema: { openAPIV3Schema } }] },
  }));
}

/** Installs the CRDs of this release. */
export function redefine(kubernetes: Emulator): void {
  for (const { metadata, spec } of customResourceDefinitions()) {
    const ref = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name: metadata.name };
    kubernetes.change(ref, (object) => ({ ...object, spec: structuredClone(spec) }) as typeof object);
  }
}

function withoutStatusFields(definition: object): object {
  const { spec } = definition as {
    spec: { versions: { schema: { openAPIV3Schema: { properties: Record<string, { properties?: object }> } } }[] };
  };
  for (const { schema } of spec.versions) {
    const { status } = schema.openAPIV3Schema.properties;
    const known = status?.properties as Record<string, { additionalProperties?: { properties: object } }> | undefined;
    if (status === undefined || known?.["ips"] === undefined) continue;
    const entry = known["ips"].additionalProperties;
    if (entry !== undefined) entry.properties = pick(entry.properties, ["state", "nodeName", "providerID", "error"]);
    status.properties = pick(known, ["ips", "nodeErrors", "assignableNodes", "error"]);
  }
  return definition;
}

function pick(fields: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}
