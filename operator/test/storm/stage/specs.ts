/** Custom resources as a storm writes them, from what it wants of them. */

import { Annotation, API_GROUP, type CreatedAddress, GROUP_VERSION } from "cdk8s-flipop/api";
import { DOMAIN, ZONE } from "../clouds.js";
import type { ResourceKind, ResourceState } from "../history.js";
import type { Template } from "../schedule/steps.js";
import { APP, LABEL } from "./nodes.js";

export const PLURALS: Readonly<Record<ResourceKind, string>> = {
  pool: "floatingippools",
  set: "nodednsrecordsets",
  routed: "routedips",
};
const KINDS: Readonly<Record<ResourceKind, string>> = {
  pool: "FloatingIPPool",
  set: "NodeDNSRecordSet",
  routed: "RoutedIP",
};
export const ISSUER = "storm";
export const REGION = "nyc3";

/** What a template asks for at its start. @param listed addresses that the storm has reserved for it. */
export function initialState(template: Template, listed: readonly string[]): ResourceState {
  const { name, listed: _count, dns, ...wanted } = template;
  const zone = dns?.cloud === "cloudflare" ? ZONE : DOMAIN;
  return {
    ...{ ...wanted, listed, paused: false, endpoints: {} },
    ...(dns !== undefined && { dns: { ...dns, fqdn: `${name}.${zone}` } }),
  };
}

/** What all specs of a round share. */
export interface Surroundings {
  /** Of the workload. */
  readonly namespace: string;
  /** Of the service on each node. */
  readonly port: number;
}

export function manifest(name: string, state: ResourceState, { namespace, port }: Surroundings) {
  const { check } = state;
  const healthCheck = check === undefined ? {} : { healthCheck: { ...check, port } };
  const spec = { ...SPECS[state.kind](name, state, namespace), ...healthCheck };
  const annotations = state.ignoresMassFailure ? { [Annotation.ignoreMassFailure]: "true" } : {};
  return { apiVersion: GROUP_VERSION, kind: KINDS[state.kind], metadata: { name, annotations }, spec };
}

type Spec = (name: string, state: ResourceState, namespace: string) => Readonly<Record<string, unknown>>;

const SPECS: Readonly<Record<ResourceKind, Spec>> = {
  pool: (_name, state, namespace) => ({
    ...{ provider: "digitalocean", region: REGION, reclaimPolicy: state.release ? "Delete" : "Retain" },
    ...{ ipFamily: state.family === "ipv6" ? "IPv6" : "IPv4", paused: state.paused },
    ...{ gracePeriodSeconds: state.graceSeconds, assignmentCoolOffSeconds: state.coolOffSeconds },
    ...(state.desired > 0 && { desiredIPs: state.desired }),
    ...(state.listed.length > 0 && { ips: state.listed }),
    ...{ match: matchOf(state, namespace), ...dnsOf(state) },
  }),
  set: (_name, state, namespace) => ({
    ...{ gracePeriodSeconds: state.graceSeconds, paused: state.paused },
    ...{ match: matchOf(state, namespace), ...dnsOf(state) },
  }),
  routed: (name, state) => ({
    ...{ issuerRef: { name: ISSUER }, serviceRef: { serviceName: name }, paused: state.paused },
    ...{ gracePeriodSeconds: state.graceSeconds, ...dnsOf(state) },
    ...(state.listed[0] !== undefined && { routedIP: state.listed[0] }),
  }),
};

export function matchOf({ groups, needsPod }: ResourceState, namespace: string) {
  const pods = { podNamespace: namespace, podLabel: `app=${APP.app}` };
  return { nodeLabel: `${LABEL} in (${groups.join(",")})`, ...(needsPod && pods) };
}

function dnsOf({ dns }: ResourceState) {
  if (dns === undefined) return {};
  const { cloud, fqdn, deletes } = dns;
  const zone = cloud === "cloudflare" ? ZONE : DOMAIN;
  const deletionPolicy = deletes ? "Delete" : "Retain";
  return { dnsRecordSet: { provider: cloud, zone, recordName: fqdn, ttl: 60, deletionPolicy } };
}

/** Through which RoutedIPs get their addresses: in the operator's own namespace, with the operator's own token. */
export const ISSUER_MANIFEST = {
  apiVersion: GROUP_VERSION,
  kind: "RoutedIPIssuer",
  metadata: { name: ISSUER },
  spec: { provider: "digitalocean", region: REGION, routedIPReclaimPolicy: "Delete" },
};

const CREATED_IPS = `${API_GROUP}/created-ips`;

/** A custom resource of any of the three kinds, as far as the storm reads it. */
export interface AnyResource {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly spec: { readonly ips?: readonly string[]; readonly routedIP?: string };
  readonly status?: AnyStatus;
}

export interface AnyStatus {
  readonly observedGeneration?: number;
  readonly ips?: Readonly<Record<string, AddressEntry>>;
  readonly createdIPs?: readonly CreatedAddress[];
  readonly pendingCreation?: unknown;
  readonly error?: string;
  readonly routedIP?: string;
  readonly created?: boolean;
  readonly state?: string;
  readonly assignedNode?: string;
  readonly providerID?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  }[];
}

export interface AddressEntry {
  readonly state?: string;
  readonly nodeName?: string;
  readonly providerID?: string;
  readonly error?: string;
  readonly reason?: string;
}

/** Addresses that a resource names anywhere. */
export function knownAddresses({ metadata, spec, status }: AnyResource): readonly string[] {
  const copied = metadata.annotations?.[CREATED_IPS]?.split(",").map((ip) => ip.trim()) ?? [];
  const single = [spec.routedIP, status?.routedIP].filter((ip) => ip !== undefined);
  const all = [
    ...(spec.ips ?? []),
    ...Object.keys(status?.ips ?? {}),
    ...copied,
    ...single,
    ...createdAddresses({ status }),
  ];
  return [...new Set(all)].filter((ip) => ip !== "");
}

/** Addresses that the status calls created. */
export function createdAddresses({ status }: { readonly status?: AnyStatus | undefined }): readonly string[] {
  const listed = status?.createdIPs?.map(({ ip }) => ip) ?? [];
  return status?.created === true && status.routedIP !== undefined ? [...listed, status.routedIP] : listed;
}
