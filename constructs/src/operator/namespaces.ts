import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { AppIndex } from "../private/app/app-index";
import { warn } from "../private/app/emit-warning";
import type { Draft } from "../private/refusal-collector";
import { clusterObject } from "./cluster-object";
import type { OperatorSettings } from "./props-with-defaults";

/** Pod Security: every pod in the namespace must have the operator's restrictions. */
const RESTRICTED = {
  "pod-security.kubernetes.io/enforce": "restricted",
  "pod-security.kubernetes.io/audit": "restricted",
  "pod-security.kubernetes.io/warn": "restricted",
};

/** The Namespace of the operator; undefined for a namespace of Kubernetes. */
export function operatorNamespace(scope: Construct, settings: OperatorSettings): ApiObject | undefined {
  const { namespace } = settings;
  return isOfKubernetes(namespace) ? undefined : restrictedNamespace(scope, "namespace", settings, namespace);
}

/** The Namespaces in which Jobs of classes run, except those that already exist; none without feature jobs. */
export function jobNamespaces(scope: Construct, settings: OperatorSettings): ApiObject[] {
  // The operator's own namespace is refused with a reason of its own.
  const others = settings.jobNamespaces.filter((name) => !isOfKubernetes(name) && name !== settings.namespace);
  const names = [...new Set(others)];
  const missing = names.filter((name) => scope.node.tryFindChild(`job-namespace-${name}`) === undefined);
  return missing.map((name) => restrictedNamespace(scope, `job-namespace-${name}`, settings, name));
}

/** Refuses to create namespaces of Kubernetes: Pod Security labels would stop the other pods there. */
export function checkCreatedNamespaces({ namespace, jobNamespaces: ofJobs }: OperatorSettings, draft: Draft): void {
  const created = [["namespace", namespace], ...ofJobs.map((name, index) => [`jobNamespaces[${index}]`, name])];
  for (const [prop = "", name = ""] of created) {
    if (!isOfKubernetes(name)) continue;
    const labels = "this construct would create it with Pod Security labels, which stop other pods there";
    const fix = "use another namespace, or set createNamespaces to false";
    draft.at(prop).refuse(`"${name}" belongs to Kubernetes, and ${labels}: ${fix}`);
  }
}

/** Warns about namespaces that neither the app nor Kubernetes creates. */
export function warnOfMissingNamespaces(scope: Construct, settings: OperatorSettings, index: AppIndex): void {
  for (const name of new Set([settings.namespace, ...settings.jobNamespaces])) {
    if (isOfKubernetes(name) || index.coreObject("Namespace", { name }, scope)) continue;
    const reason = "because createNamespaces is false";
    warn(scope, `namespace "${name}" must exist when you apply the manifest, ${reason}`);
  }
}

function isOfKubernetes(namespace: string): boolean {
  return namespace === "default" || namespace.startsWith("kube-");
}

function restrictedNamespace(scope: Construct, id: string, { labels }: OperatorSettings, name: string): ApiObject {
  return clusterObject(scope, id, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: { ...labels, ...RESTRICTED } },
  });
}
