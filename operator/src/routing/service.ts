/** Services, as RoutedIPs need them: whom a Service allows, and its ports. */

import { Annotation, canonicalIp, familyOf, isIp, type RoutedIPSpec } from "cdk8s-flipop/api";
import { type Cached, keyOf, type ObjectMeta, type Transform } from "../kube/objects.js";
import type { Problem } from "../messages/message.js";
import { serviceMessages } from "../messages/services.js";
import type { AddressCapabilities } from "../providers/types.js";
import { compareText, omitUndefined } from "../values.js";

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

export function portText({ name, port, protocol }: ServicePort): string {
  return name === undefined ? `port ${port}/${protocol}` : `port ${name} (${port}/${protocol})`;
}

export function closedText(port: ServicePort): string {
  return `${portText(port)}, targetPort ${port.targetPort}`;
}

/** The cached form of a Service: what decisions read. */
export interface ServiceFacts extends Cached {
  readonly namespace: string;
  readonly type: string;
  readonly headless: boolean;
  /** Absent: somebody else makes its endpoints. */
  readonly selector?: Readonly<Record<string, string>>;
  readonly ports: readonly ServicePort[];
  /** Each node forwards packets to these addresses on the ports of the Service themselves. Canonical. */
  readonly externalIPs: readonly string[];
  /** Others of `spec.externalIPs`: packets to them arrive under another destination. Absent: none. */
  readonly translated?: Translated;
  /** `spec.loadBalancerSourceRanges`; empty: everybody. */
  readonly sourceRanges: readonly string[];
  /** Annotations that limit the clients of a cloud's load balancer, and that the operator does not read; sorted. */
  readonly sourceAnnotations: readonly string[];
  /** Absent: the cloud's controller serves it. */
  readonly loadBalancerClass?: string;
  /** Addresses and host names of `status.loadBalancer`, sorted. */
  readonly ingress: readonly string[];
  /** Namespaces whose RoutedIPs may follow it, beside its own. */
  readonly allows: readonly string[];
}

/** Addresses of a provider, and the destination of packets to them at the node, for people. */
export interface Translated {
  readonly ips: readonly string[];
  readonly to: string;
  /** The Service's other external addresses, one of which may be that destination. */
  readonly others: readonly string[];
}

export const slimServices: Transform<ServiceFacts> = (raw) => {
  const { metadata, spec = {}, status } = raw as RawService;
  const { selector = {}, ports = [], loadBalancerClass } = spec;
  return Object.freeze({
    uid: metadata.uid,
    name: metadata.name,
    namespace: metadata.namespace ?? "",
    type: spec.type ?? "ClusterIP",
    headless: spec.clusterIP === "None",
    ...(Object.keys(selector).length === 0 ? {} : { selector: Object.freeze({ ...selector }) }),
    ports: Object.freeze(ports.map(portOf)),
    externalIPs: externalOf(spec),
    sourceRanges: Object.freeze([...(spec.loadBalancerSourceRanges ?? [])].sort()),
    sourceAnnotations: sourceAnnotationsOf(metadata),
    ...omitUndefined({ loadBalancerClass }),
    ingress: ingressOf(status),
    allows: listOf(metadata.annotations?.[Annotation.allowRoutedIpFrom]),
  });
};

/** The Service as packets reach it. @param isProviders whether a canonical address is one of the provider */
export function asReached(
  service: ServiceFacts,
  { translates }: Pick<AddressCapabilities, "translates"> = {},
  isProviders: (ip: string) => boolean,
): ServiceFacts {
  if (translates === undefined || service.externalIPs.length === 0) return service;
  const { families, to } = translates;
  const ips = service.externalIPs.filter((ip) => isProviders(ip) && families.includes(familyOf(ip)));
  if (ips.length === 0) return service;
  const others = service.externalIPs.filter((ip) => !ips.includes(ip));
  return { ...service, externalIPs: others, translated: { ips, to, others } };
}

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
  if (!own && service?.allows.includes(namespace) !== true) return serviceMessages.notAllowed({ key, namespace });
  return service === undefined ? serviceMessages.missing({ key }) : unsuitability(service);
}

function unsuitability(service: ServiceFacts): Problem | undefined {
  const { type, headless, selector, ports } = service;
  const key = keyOf(service);
  if (type === "ExternalName") return serviceMessages.isExternalName({ key });
  if (headless) return serviceMessages.isHeadless({ key });
  if (selector === undefined) return serviceMessages.hasNoSelector({ key });
  return ports.length === 0 ? serviceMessages.hasNoPorts({ key }) : undefined;
}

const LIMITS_SOURCES = /^service\.beta\.kubernetes\.io\/(do-)?load-?balancer-(source-ranges|allow-rules|deny-rules)$/;
const NO_ANNOTATIONS: readonly string[] = Object.freeze([]);

function sourceAnnotationsOf({ annotations = {} }: ObjectMeta): readonly string[] {
  const found = Object.keys(annotations).filter((key) => LIMITS_SOURCES.test(key));
  return found.length === 0 ? NO_ANNOTATIONS : Object.freeze(found.sort(compareText));
}

interface RawService {
  readonly metadata: ObjectMeta;
  readonly spec?: RawServiceSpec;
  readonly status?: RawServiceStatus;
}

const NO_ADDRESSES: readonly string[] = Object.freeze([]);

function externalOf({ externalIPs = [] }: RawServiceSpec): readonly string[] {
  if (externalIPs.length === 0) return NO_ADDRESSES;
  return Object.freeze(externalIPs.map((ip) => (isIp(ip) ? canonicalIp(ip) : ip)));
}

interface RawServiceStatus {
  readonly loadBalancer?: {
    readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] | null;
  } | null;
}

function ingressOf({ loadBalancer }: RawServiceStatus = {}): readonly string[] {
  const ingress = loadBalancer?.ingress ?? [];
  if (ingress.length === 0) return NO_ADDRESSES;
  return Object.freeze(ingress.map(({ ip, hostname }) => ip || hostname || "").sort(compareText));
}

interface RawServiceSpec {
  readonly type?: string;
  readonly clusterIP?: string;
  readonly selector?: Readonly<Record<string, string>>;
  readonly ports?: readonly (Pick<ServicePort, "name" | "port" | "nodePort"> & Partial<ServicePort>)[];
  readonly externalIPs?: readonly string[];
  readonly loadBalancerSourceRanges?: readonly string[];
  readonly loadBalancerClass?: string;
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
