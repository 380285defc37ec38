/** The Service that an address follows: whether it can be followed, and by whom. */

import { Annotation, type RoutedIPSpec } from "cdk8s-flipop/api";
import { type Cached, keyOf, type ObjectMeta, type Transform } from "../kube/objects.js";
import type { Problem } from "../reconcile/conditions/problem.js";

export interface ServicePort {
  readonly name?: string;
  /** `TCP`, `UDP` or `SCTP`. */
  readonly protocol: string;
  readonly port: number;
  /** Number or name of a container's port; `port` where the Service says nothing. */
  readonly targetPort: number | string;
  /** Absent: the Service has none. */
  readonly nodePort?: number;
}

/** The cached form of a Service: what decisions read. */
export interface ServiceFacts extends Cached {
  readonly namespace: string;
  readonly type: string;
  readonly headless: boolean;
  /** Absent: somebody else makes its endpoints. */
  readonly selector?: Readonly<Record<string, string>>;
  readonly ports: readonly ServicePort[];
  /** `spec.loadBalancerSourceRanges`; empty: everybody. */
  readonly sourceRanges: readonly string[];
  /** Namespaces whose RoutedIPs may follow it, beside its own. */
  readonly allows: readonly string[];
}

export const slimServices: Transform<ServiceFacts> = (raw) => {
  const { metadata, spec = {} } = raw as { readonly metadata: ObjectMeta; readonly spec?: RawServiceSpec };
  const { selector = {}, ports = [] } = spec;
  return Object.freeze({
    uid: metadata.uid,
    name: metadata.name,
    namespace: metadata.namespace ?? "",
    type: spec.type ?? "ClusterIP",
    headless: spec.clusterIP === "None",
    ...(Object.keys(selector).length === 0 ? {} : { selector: Object.freeze({ ...selector }) }),
    ports: Object.freeze(ports.map(portOf)),
    sourceRanges: Object.freeze([...(spec.loadBalancerSourceRanges ?? [])].sort()),
    allows: listOf(metadata.annotations?.[Annotation.allowRoutedIpFrom]),
  });
};

/** `namespace/name` of the Service that a RoutedIP follows. */
export function serviceKeyOf(metadata: Pick<ObjectMeta, "namespace">, { serviceRef }: RoutedIPSpec): string {
  return `${serviceRef.namespace ?? metadata.namespace ?? ""}/${serviceRef.serviceName}`;
}

export interface ServiceQuestion {
  readonly key: string;
  /** Of the RoutedIP. */
  readonly namespace: string;
  readonly service: ServiceFacts | undefined;
}

/** Why the Service can't be followed; `undefined`: it can. */
export function serviceProblem({ key, namespace, service }: ServiceQuestion): Problem | undefined {
  // Whoever may not use a Service of another namespace does not learn either whether it exists.
  const own = key.startsWith(`${namespace}/`);
  if (!own && service?.allows.includes(namespace) !== true)
    return { reason: "NamespaceNotAllowed", message: ask(key, namespace) };
  if (service === undefined)
    return { reason: "ServiceNotFound", message: `Service ${key} does not exist: create it, or correct serviceRef` };
  const unsuitable = unsuitability(service);
  if (unsuitable === undefined) return undefined;
  return { reason: "ServiceUnsuitable", message: `Service ${keyOf(service)} ${unsuitable}` };
}

function ask(key: string, namespace: string): string {
  return `Service ${key} does not exist, or does not allow RoutedIPs of namespace ${namespace}: set its annotation ${Annotation.allowRoutedIpFrom} to "${namespace}"`;
}

function unsuitability({ type, headless, selector, ports }: ServiceFacts): string | undefined {
  if (type === "ExternalName")
    return "is an ExternalName: it has no pods here; use a ClusterIP Service with a selector";
  if (headless) return "is headless (clusterIP None): use a ClusterIP Service with a selector";
  if (selector === undefined) return "has no selector: give it one";
  return ports.length === 0 ? "has no ports: give it those of its pods" : undefined;
}

interface RawServiceSpec {
  readonly type?: string;
  readonly clusterIP?: string;
  readonly selector?: Readonly<Record<string, string>>;
  readonly ports?: readonly (Pick<ServicePort, "name" | "port" | "nodePort"> & Partial<ServicePort>)[];
  readonly loadBalancerSourceRanges?: readonly string[];
}

function portOf({ name, protocol = "TCP", port, targetPort, nodePort }: NonNullable<RawServiceSpec["ports"]>[number]) {
  return Object.freeze({
    ...(name ? { name } : {}),
    protocol,
    port,
    targetPort: targetPort || port,
    ...(nodePort ? { nodePort } : {}),
  });
}

function listOf(text = ""): readonly string[] {
  return Object.freeze(
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  );
}
