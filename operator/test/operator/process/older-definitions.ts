/** CRDs of a release that did not know the intent of a creation yet, and those of this one. */

import { customResourceDefinitions } from "cdk8s-flipop/api";
import type { Emulator } from "flipop-sandbox/kubernetes";

export function definitionsWithoutIntent(): readonly object[] {
  const text = JSON.stringify(customResourceDefinitions(), (key, value: unknown) =>
    key === "pendingCreation" ? undefined : value,
  );
  return JSON.parse(text) as readonly object[];
}

/** Installs the CRDs of this release. */
export function redefine(kubernetes: Emulator): void {
  for (const { metadata, spec } of customResourceDefinitions()) {
    const ref = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name: metadata.name };
    kubernetes.change(ref, (object) => ({ ...object, spec: structuredClone(spec) }) as typeof object);
  }
}
