import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { clusterObject } from "./cluster-object";
import type { OperatorSettings } from "./settings";

/** Pod Security: every pod in the namespace must have the operator's restrictions. */
const RESTRICTED = {
  "pod-security.kubernetes.io/enforce": "restricted",
  "pod-security.kubernetes.io/audit": "restricted",
  "pod-security.kubernetes.io/warn": "restricted",
};

/** The Namespace of the operator. */
export function operatorNamespace(scope: Construct, settings: OperatorSettings): ApiObject {
  return restrictedNamespace(scope, "namespace", settings, settings.namespace);
}

/** The Namespaces in which Jobs of classes run; none without feature jobs. */
export function jobNamespaces(scope: Construct, settings: OperatorSettings): ApiObject[] {
  const names = new Set(settings.jobNamespaces);
  return [...names].map((name) => restrictedNamespace(scope, `job-namespace-${name}`, settings, name));
}

function restrictedNamespace(scope: Construct, id: string, { labels }: OperatorSettings, name: string): ApiObject {
  return clusterObject(scope, id, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: { ...labels, ...RESTRICTED } },
  });
}
