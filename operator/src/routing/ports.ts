/** Step: find ports. From a Service's ports to those that have to be open on its nodes. */

import { type FirewallRule, type PortNumbers, parsePortRange, type RoutedPort } from "cdk8s-flipop/api";
import type { HostPort, SlimPod } from "../kube/cache/slim.js";
import type { FirewallRuleFacts } from "../providers/types.js";
import type { Problem } from "../reconcile/conditions/problem.js";
import type { ServiceFacts, ServicePort } from "./service.js";

/** What is read of a pod behind the Service. */
export type PortPod = Pick<SlimPod, "hostPorts" | "hostNetwork">;

export interface PortsFound {
  /** Sorted. */
  readonly ports: readonly RoutedPort[];
  /** Who may come; empty: everybody. */
  readonly sourceRanges: readonly string[];
  readonly problem?: Problem;
}

/** Nothing is known of the Service. */
export const NO_PORTS: PortsFound = Object.freeze({ ports: [], sourceRanges: [] });

/**
 * @param pods behind the Service, ready or not: a rule should be there before its pod is.
 * @param last what was found before. Without any pod, as between the old and the new one of a node, hostPorts stay as
 * they were: a rule that is closed and opened again would be an outage.
 */
export function portsOf(service: ServiceFacts, pods: readonly PortPod[], last: readonly RoutedPort[] = []): PortsFound {
  const before = pods.length === 0 ? last : [];
  const all = service.ports.map((servicePort) => ({ servicePort, open: openPorts(servicePort, pods, before) }));
  const found = new Map<string, Found>();
  const clashes = all.flatMap(({ servicePort, open }) => open.flatMap((each) => enter(found, servicePort, each) ?? []));
  const closed = all.filter(({ open }) => open.length === 0).map(({ servicePort }) => portText(servicePort));
  const unreached = closed.length > 0 && pods.length > 0 ? [unreachable(service, closed)] : [];
  const ports = [...found.values()]
    .map(portStatus)
    .sort((a, b) => a.port - b.port || (a.protocol < b.protocol ? -1 : 1));
  const [problem] = [...clashes, ...unreached];
  return { ports, sourceRanges: service.sourceRanges, ...(problem === undefined ? {} : { problem }) };
}

/** The rules that the ports need; those in the cluster's NodePort range need none. */
export function rulesOf(
  ports: readonly RoutedPort[],
  { nodePortRange, sourceRanges }: { readonly nodePortRange: string; readonly sourceRanges: readonly string[] },
): readonly FirewallRuleFacts[] {
  const range = parsePortRange(nodePortRange);
  const sources = sourceRanges.length === 0 ? EVERYBODY : [...sourceRanges].sort();
  return ports
    .filter(({ port }) => range === undefined || !isInside(port, range))
    .map(({ protocol, port }) => ({ protocol: PROTOCOLS[protocol], ports: `${port}`, sources, otherSources: false }));
}

/** A recorded rule, as firewalls compare them. */
export function ruleFacts({ protocol, ports, sources }: FirewallRule): FirewallRuleFacts {
  return { protocol, ports, sources, otherSources: false };
}

/** Both families. */
const EVERYBODY: readonly string[] = ["0.0.0.0/0", "::/0"];
const PROTOCOLS = { TCP: "tcp", UDP: "udp" } as const;

interface Open {
  readonly protocol: RoutedPort["protocol"];
  readonly port: number;
  readonly origin: RoutedPort["origin"];
}

interface Found extends Open {
  readonly servicePort: ServicePort;
}

function openPorts(servicePort: ServicePort, pods: readonly PortPod[], before: readonly RoutedPort[]): readonly Open[] {
  const { nodePort, protocol, name } = servicePort;
  if (protocol !== "TCP" && protocol !== "UDP") return [];
  const open = new Map<number, Open>();
  if (nodePort !== undefined) open.set(nodePort, { protocol, port: nodePort, origin: "NodePort" });
  const kept = before.filter((port) => port.origin === "HostPort" && port.protocol === protocol && port.name === name);
  for (const port of [...pods.flatMap((pod) => hostPortsFor(servicePort, pod)), ...kept.map((each) => each.port)]) {
    if (!open.has(port)) open.set(port, { protocol, port, origin: "HostPort" });
  }
  return [...open.values()];
}

function hostPortsFor(
  { targetPort, protocol }: ServicePort,
  { hostPorts = [], hostNetwork }: PortPod,
): readonly number[] {
  const isTarget = (port: HostPort) =>
    port.protocol === protocol && (port.name === targetPort || port.containerPort === targetPort);
  const open = hostPorts.filter(isTarget).map(({ hostPort }) => hostPort);
  if (open.length > 0 || hostNetwork !== true || typeof targetPort === "string") return open;
  return [targetPort];
}

/** One port of a node can lead to one port of the Service only. */
function enter(found: Map<string, Found>, servicePort: ServicePort, open: Open): Problem | undefined {
  const key = `${open.protocol} ${open.port}`;
  const known = found.get(key);
  if (known === undefined) {
    found.set(key, { ...open, servicePort });
    return undefined;
  }
  if (known.servicePort.targetPort === servicePort.targetPort) return undefined;
  const both = `${portText(known.servicePort)} and ${portText(servicePort)}`;
  return { reason: "PortClash", message: `${both} both need ${key} of the node: give one of them another hostPort` };
}

function unreachable({ namespace, name }: ServiceFacts, unreached: readonly string[]): Problem {
  const message = `Service ${namespace}/${name}: ${unreached.join(", ")} is open on no node; use type NodePort, or give its pods a hostPort (TCP or UDP)`;
  return { reason: "ServiceUnsuitable", message };
}

function portStatus({ protocol, port, origin, servicePort: { name } }: Found): RoutedPort {
  return { protocol, port, origin, ...(name === undefined ? {} : { name }) };
}

function portText({ name, port, protocol }: ServicePort): string {
  return name === undefined ? `port ${port}/${protocol}` : `port ${name} (${port}/${protocol})`;
}

function isInside(port: number, { from, to }: PortNumbers): boolean {
  return port >= from && port <= to;
}
