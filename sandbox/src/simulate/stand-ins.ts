/** What a simulation adds to an app: the pods, Services and Secrets that another app defines. */

import { type Match, parseLabelSelector, selectorMatches } from "cdk8s-flipop/api";
import type { AppObjects, Service, Workload } from "./app-objects.js";
import { labelsFor } from "./labels.js";

/** An object that the app does not define. */
export interface StandIn {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** Pods for each match and each Service without pods of the app, and the Secrets of the issuers. */
export function standIns(objects: AppObjects, token: string): readonly StandIn[] {
  const { pools, nodeRecords, routedIps, issuers, services, workloads } = objects;
  const missing = routedIps
    .map(({ metadata, spec: { serviceRef } }) => ({
      name: serviceRef.serviceName,
      namespace: serviceRef.namespace ?? metadata.namespace,
    }))
    .filter((ref) => !services.some(({ metadata }) => isSame(metadata, ref)));
  const secrets = issuers.flatMap(({ metadata: { namespace }, spec: { credentialsSecretRef: ref } }) =>
    ref === undefined ? [] : [secret({ name: ref.name, namespace, key: ref.key ?? DEFAULT_KEY, token })],
  );
  return [
    ...[...pools, ...nodeRecords].flatMap(({ metadata, spec: { match = {} } }) => {
      const pods = podsOf(match, workloads);
      return pods === undefined ? [] : [daemonSet(`pods-of-${metadata.name}`, pods.namespace, pods.labels)];
    }),
    ...services
      .filter((one) => lacksPods(one, workloads))
      .map((one) => {
        const { name, namespace } = one.metadata;
        return deployment(`pods-of-${name}`, namespace, one.spec?.selector ?? {});
      }),
    ...missing.flatMap(({ name, namespace }) => [
      service(name, namespace),
      deployment(name, namespace, appLabel(name)),
    ]),
    ...secrets,
  ];
}

const DEFAULT_KEY = "DIGITALOCEAN_ACCESS_TOKEN";

interface Pods {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The pods that a match needs, unless the app has some. */
function podsOf({ podLabel = "", podNamespace }: Match, workloads: readonly Workload[]): Pods | undefined {
  if (podLabel === "" && podNamespace === undefined) return undefined;
  const parsed = parseLabelSelector(podLabel);
  const fits = ({ metadata, spec }: Workload): boolean =>
    (podNamespace === undefined || metadata.namespace === podNamespace) &&
    parsed.ok &&
    selectorMatches(parsed.requirements, spec.template.metadata?.labels ?? {});
  if (workloads.some(fits)) return undefined;
  return { namespace: podNamespace ?? "default", labels: labelsFor(podLabel) };
}

function lacksPods({ metadata, spec }: Service, workloads: readonly Workload[]): boolean {
  const selector = Object.entries(spec?.selector ?? {});
  if (selector.length === 0) return false;
  return !workloads.some(
    (workload) =>
      workload.metadata.namespace === metadata.namespace &&
      selector.every(([key, value]) => workload.spec.template.metadata?.labels?.[key] === value),
  );
}

function isSame(one: { name: string; namespace: string }, other: { name: string; namespace: string }): boolean {
  return one.name === other.name && one.namespace === other.namespace;
}

function appLabel(name: string): Readonly<Record<string, string>> {
  return { "simulated-app": name };
}

function daemonSet(name: string, namespace: string, labels: Readonly<Record<string, string>>): StandIn {
  const ports = [{ containerPort: 80 }];
  return { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name, namespace }, spec: podSpec(labels, ports) };
}

/** Pods behind a Service. The host ports make the firewall open them. */
function deployment(name: string, namespace: string, labels: Readonly<Record<string, string>>): StandIn {
  const ports = [{ containerPort: 80, hostPort: 80 }];
  const spec = { replicas: 2, ...podSpec(labels, ports) };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace }, spec };
}

function podSpec(labels: Readonly<Record<string, string>>, ports: readonly object[]): object {
  // A workload needs a label to select its pods by.
  const own = Object.keys(labels).length > 0 ? labels : { simulated: "true" };
  const container = { name: "main", image: "registry.example/simulated:1", ports };
  return { selector: { matchLabels: own }, template: { metadata: { labels: own }, spec: { containers: [container] } } };
}

function service(name: string, namespace: string): StandIn {
  const spec = { selector: appLabel(name), ports: [{ port: 80 }] };
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace }, spec };
}

interface SecretFacts extends Record<"name" | "namespace" | "key" | "token", string> {}

function secret({ name, namespace, key, token }: SecretFacts): StandIn {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData: { [key]: token } };
}
