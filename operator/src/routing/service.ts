/** Services and their endpoints, as RoutedIPs need them: whom a Service allows, its ports, and the nodes with ready endpoints. */

import { Annotation, type RoutedIPSpec } from "cdk8s-flipop/api";
import { type Cached, type KubeObject, keyOf, type ObjectMeta, type Transform } from "../kube/objects.js";
import type { Workload, WorkloadSource } from "../match/workload.js";
import type { Problem } from "../messages/message.js";
import { serviceMessages } from "../messages/services.js";
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

/** The cached form of a Service: what decisions read. */
export interface ServiceFacts extends Cached {
  readonly namespace: string;
  readonly type: string;
  readonly headless: boolean;
  /** Absent: somebody else makes its endpoints. */
  readonly selector?: Readonly<Record<string, string>>;
  readonly ports: readonly ServicePort[];
  /** It has `spec.externalIPs`: each node forwards traffic to these addresses on the ports of the Service themselves. */
  readonly hasExternalIPs: boolean;
  /** `spec.loadBalancerSourceRanges`; empty: everybody. */
  readonly sourceRanges: readonly string[];
  /** Absent: the cloud's controller serves it. */
  readonly loadBalancerClass?: string;
  /** Addresses and host names of `status.loadBalancer`, sorted. */
  readonly ingress: readonly string[];
  /** Namespaces whose RoutedIPs may follow it, beside its own. */
  readonly allows: readonly string[];
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
    hasExternalIPs: (spec.externalIPs ?? []).length > 0,
    sourceRanges: Object.freeze([...(spec.loadBalancerSourceRanges ?? [])].sort()),
    ...omitUndefined({ loadBalancerClass }),
    ingress: ingressOf(status),
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

interface RawService {
  readonly metadata: ObjectMeta;
  readonly spec?: RawServiceSpec;
  readonly status?: RawServiceStatus;
}

interface RawServiceStatus {
  readonly loadBalancer?: {
    readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] | null;
  } | null;
}

const NO_INGRESS: readonly string[] = Object.freeze([]);

function ingressOf({ loadBalancer }: RawServiceStatus = {}): readonly string[] {
  const ingress = loadBalancer?.ingress ?? [];
  if (ingress.length === 0) return NO_INGRESS;
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

export interface EndpointFacts {
  /** Absent: its node is unknown. */
  readonly nodeName?: string;
  readonly ready: boolean;
  /** It answers, though it may be terminating. */
  readonly serving: boolean;
  readonly terminating: boolean;
}

/** The cached form of an EndpointSlice. */
export interface SliceFacts extends Cached {
  readonly namespace: string;
  /** `namespace/name` of its Service; empty: none. */
  readonly service: string;
  readonly endpoints: readonly EndpointFacts[];
}

export const SERVICE_LABEL = "kubernetes.io/service-name";

/** Slices of both families count; those of names (FQDN) say nothing of nodes. */
export const slimSlices: Transform<SliceFacts> = (raw) => {
  const { metadata, addressType, endpoints } = raw as RawSlice;
  const { uid, name, namespace = "", labels = {} } = metadata;
  const service = labels[SERVICE_LABEL];
  const counted = addressType === "FQDN" ? [] : (endpoints ?? []);
  return Object.freeze({
    uid,
    name,
    namespace,
    service: service === undefined ? "" : `${namespace}/${service}`,
    endpoints: Object.freeze(counted.map(endpointOf)),
  });
};

/**
 * The endpoints of one Service as the workload of nodes. A node is as good as its best endpoint: one that is ready. One
 * that only still serves, while it terminates, is no reason to choose a node, and the reason to leave it in time: no
 * grace period is spent on it, or the pod would be gone before the address.
 */
export class EndpointWorkload implements WorkloadSource {
  readonly text: string;

  /**
   * @param slices of the Service, asked for at each look.
   * @param addressOn of a pod there. The addresses of slices are not used: anybody who may write slices sets them.
   */
  constructor(
    private readonly service: string,
    private readonly slices: () => Iterable<SliceFacts>,
    readonly addressOn: (node: string) => string | undefined = () => undefined,
  ) {
    this.text = `an endpoint of Service ${service}`;
  }

  on(node: string): Workload {
    const endpoints = [...this.endpoints()].filter(({ nodeName }) => nodeName === node);
    if (endpoints.some(({ ready }) => ready)) return SERVING;
    if (endpoints.length === 0) return { state: "absent", detail: `it has no endpoint of Service ${this.service}` };
    const leaving = endpoints.every(({ terminating }) => terminating);
    const detail = `its endpoints of Service ${this.service} are ${leaving ? "terminating" : "not ready"}`;
    return { state: "unready", detail, ...(leaving ? { leaving } : {}) };
  }

  /** Whether anything answers there, terminating or not. */
  servesAt(node: string): boolean {
    for (const { nodeName, serving } of this.endpoints()) if (nodeName === node && serving) return true;
    return false;
  }

  nodes(): Iterable<string> {
    const names = new Set<string>();
    for (const { nodeName } of this.endpoints()) if (nodeName !== undefined) names.add(nodeName);
    return names;
  }

  private *endpoints(): Iterable<EndpointFacts> {
    for (const { endpoints } of this.slices()) yield* endpoints;
  }
}

/** Nodes that two states of a slice name: those whose workload may have changed. */
export function nodesOfSlices(...slices: readonly (SliceFacts | undefined)[]): ReadonlySet<string> {
  const names = slices.flatMap((slice) => (slice?.endpoints ?? []).flatMap(({ nodeName }) => nodeName ?? []));
  return new Set(names);
}

const SERVING: Workload = { state: "serving" };

interface RawSlice extends KubeObject {
  readonly addressType?: string;
  readonly endpoints?: readonly RawEndpoint[] | null;
}

interface RawEndpoint {
  readonly nodeName?: string | null;
  readonly conditions?: {
    readonly ready?: boolean | null;
    readonly serving?: boolean | null;
    readonly terminating?: boolean | null;
  };
}

/** Absent conditions: unknown counts as ready, and serving is as ready (discovery/v1). */
function endpointOf({ nodeName, conditions = {} }: RawEndpoint): EndpointFacts {
  const terminating = conditions.terminating ?? false;
  const ready = (conditions.ready ?? true) && !terminating;
  return Object.freeze({
    ...(nodeName ? { nodeName } : {}),
    ready,
    serving: conditions.serving ?? ready,
    terminating,
  });
}
