/** Where a RoutedIP is served and what must be open there, from pods and Services. Pure; the checks rest on it. */

import type { RoutedIPIssuerSpec, RoutedIPSpec, RoutedIPStatus } from "cdk8s-flipop/api";
import type { PoolView } from "./facts.js";
import { isServing, type NodeObject, type PodObject } from "./serving-nodes.js";

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly deletionTimestamp?: string };
}

export interface RoutedObject extends Named {
  readonly spec: RoutedIPSpec;
  readonly status?: RoutedIPStatus;
}

export interface IssuerObject extends Named {
  readonly spec: RoutedIPIssuerSpec;
}

export interface ServiceObject extends Named {
  readonly spec: {
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly {
      readonly port: number;
      readonly targetPort?: number | string;
      readonly protocol?: string;
    }[];
  };
}

export interface RoutedCluster {
  readonly routed: readonly RoutedObject[];
  readonly issuers: readonly IssuerObject[];
  readonly services: readonly ServiceObject[];
  readonly nodes: readonly NodeObject[];
  readonly pods: readonly PodObject[];
}

/** A move, once nothing protects the holder any more, takes less, ms. */
const MOVE_MS = 12_000;

export function routedViews(cluster: RoutedCluster): readonly PoolView[] {
  return cluster.routed.map((routed) => viewOf(routed, cluster));
}

function viewOf(routed: RoutedObject, cluster: RoutedCluster): PoolView {
  const { metadata, spec, status } = routed;
  const leaves = metadata.deletionTimestamp !== undefined;
  const ip = spec.routedIP ?? status?.routedIP;
  const pods = podsBehind(routed, cluster);
  const answering = pods.filter(isServing);
  const places = (nodes: readonly NodeObject[], among: readonly PodObject[]) => {
    const hosts = new Set(among.map((pod) => pod.spec.nodeName));
    return new Set(nodes.map((node) => node.metadata.name).filter((name) => hosts.has(name)));
  };
  const well = cluster.nodes.filter(isServing);
  const lasting = answering.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const firewall = firewallOf(routed, cluster, pods);
  return {
    pool: `RoutedIP ${metadata.namespace}/${metadata.name}`,
    ips: ip === undefined || leaves ? [] : [ip],
    entitled: spec.routedIP === undefined ? 1 : 0,
    serving: places(well, answering),
    eligible: places(
      well.filter((node) => node.metadata.deletionTimestamp === undefined && node.spec.unschedulable !== true),
      lasting,
    ),
    noticeMs: (spec.gracePeriodSeconds ?? 0) * 1000 + MOVE_MS,
    ...(firewall === undefined || leaves ? {} : { firewall }),
  };
}

function podsBehind({ metadata, spec }: RoutedObject, { services, pods }: RoutedCluster): readonly PodObject[] {
  const { serviceName, namespace = metadata.namespace } = spec.serviceRef;
  const service = services.find((one) => one.metadata.name === serviceName && one.metadata.namespace === namespace);
  const selector = Object.entries(service?.spec.selector ?? {});
  if (selector.length === 0) return [];
  return pods.filter(
    (pod) =>
      pod.metadata.namespace === namespace && selector.every(([key, value]) => pod.metadata.labels?.[key] === value),
  );
}

/** The issuer's firewall, with a rule for each hostPort behind a port of the Service. */
function firewallOf(
  { metadata, spec }: RoutedObject,
  { issuers, services }: RoutedCluster,
  pods: readonly PodObject[],
): PoolView["firewall"] {
  const issuer = issuers.find(
    (one) => one.metadata.name === spec.issuerRef?.name && one.metadata.namespace === metadata.namespace,
  );
  const name = issuer?.spec.routedIPFirewallName;
  if (name === undefined) return undefined;
  const { serviceName, namespace = metadata.namespace } = spec.serviceRef;
  const service = services.find((one) => one.metadata.name === serviceName && one.metadata.namespace === namespace);
  const targets = new Set((service?.spec.ports ?? []).map(({ port, targetPort = port }) => targetPort));
  // A pod that waits for a node opens no port anywhere.
  const placed = pods.filter((pod) => pod.spec.nodeName !== undefined);
  const ports = placed.flatMap((pod) => (pod.spec.containers ?? []).flatMap((container) => container.ports ?? []));
  const rules = ports.flatMap(({ name: called, containerPort, hostPort, protocol = "TCP" }) =>
    hostPort !== undefined && (targets.has(containerPort) || targets.has(called ?? ""))
      ? [`${protocol.toLowerCase()} ${hostPort}`]
      : [],
  );
  return { name, rules: [...new Set(rules)].sort() };
}
