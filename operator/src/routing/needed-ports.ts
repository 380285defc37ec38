/** Step: find ports. From a Service's ports to those that have to be open on its nodes. */

import { type FirewallRule, type IpFamily, type PortNumbers, parsePortRange, type RoutedPort } from "cdk8s-flipop/api";
import type { HostPort, SlimPod } from "../kube/cache/slim-objects.js";
import { keyOf } from "../kube/objects.js";
import { podOwners } from "../match/pod-owner.js";
import type { Problem } from "../messages/message.js";
import { serviceMessages } from "../messages/services.js";
import type { FirewallRuleFacts } from "../providers/firewall-types.js";
import { omitUndefined } from "../values.js";
import { closedText, portText, type ServiceFacts, type ServicePort } from "./service.js";

/** What is read of a pod behind the Service. */
export type PortPod = Pick<
  SlimPod,
  "name" | "namespace" | "labels" | "hostPorts" | "hostNetwork" | "nodeName" | "ready" | "deletionTimestamp"
>;

type OpenPort = Pick<RoutedPort, "port" | "protocol">;

export interface PortsFound {
  /** Sorted. */
  readonly ports: readonly RoutedPort[];
  /** Who may come; empty: everybody. */
  readonly sourceRanges: readonly string[];
  /** See `ServiceFacts`. */
  readonly sourceAnnotations: readonly string[];
  readonly problem?: Problem;
  /** Those of pods that do not serve now, where no pod does. */
  readonly later?: readonly RoutedPort[];
  /** Ports that the class or the issuer does not allow; they are not in `ports`. */
  readonly refused?: Problem;
  /** What pods open by hostPorts, and the Service does not list. Absent: nothing. */
  readonly unlisted?: readonly OpenPort[];
  /** What the Service lists and is reached at by other numbers only. Absent: nothing. */
  readonly missed?: readonly OpenPort[];
  /** Ports at which clients may expect the Service, which does not answer there. */
  readonly remark?: Problem;
}

/** Nothing is known of the Service. */
export const NO_PORTS: PortsFound = Object.freeze({ ports: [], sourceRanges: [], sourceAnnotations: [] });

/** A firewall lets nothing through for a Service of which no port is open on the node. */
export function lackOfPorts({ ports, problem }: PortsFound): Problem | undefined {
  return ports.length === 0 ? problem : undefined;
}

/** Where the address is or goes, and the ports that were open before. */
export interface PortPlace {
  /** Names of the nodes that hold the address, or will hold it. */
  readonly nodes: readonly string[];
  readonly last?: readonly RoutedPort[] | undefined;
}

/**
 * A pod opens its hostPorts only while it is Ready and on one of the nodes. Without such a pod, as between the old and
 * the new one of a node, hostPorts stay as they were: a rule that is closed and opened again would be an outage.
 * @param pods behind the Service, on any node and ready or not.
 */
export function portsOf(
  service: ServiceFacts,
  pods: readonly PortPod[],
  { nodes, last = [] }: PortPlace = { nodes: [] },
): PortsFound {
  const opening = pods.filter((pod) => isServing(pod) && pod.nodeName !== undefined && nodes.includes(pod.nodeName));
  const isOpen = opening.length > 0;
  const { ports, missed } = portsBy(service, opening, isOpen ? [] : last);
  // What is wrong with the pods shows before any of them is Ready.
  const { ports: later, problem, remark } = portsBy(service, isOpen ? opening : pods, [], podOwners(pods));
  const { sourceRanges, sourceAnnotations } = service;
  const unlisted = unlistedPorts(opening, ports);
  const others = {
    ...(unlisted.length > 0 && { unlisted }),
    ...(missed.length > 0 && remark === undefined && { missed }),
    ...(!isOpen && later.length > 0 && { later }),
  };
  return { ports, sourceRanges, sourceAnnotations, ...others, ...omitUndefined({ problem, remark }) };
}

/** With hostNetwork, the ports of a pod's spec are only a word to people. */
function unlistedPorts(pods: readonly PortPod[], ports: readonly OpenPort[]): readonly OpenPort[] {
  const open = pods.flatMap(({ hostPorts = [], hostNetwork }) => (hostNetwork === true ? [] : hostPorts));
  const reached = open.flatMap(({ protocol, hostPort: port, loopback }) =>
    loopback === undefined && isRoutable(protocol) ? [{ protocol, port }] : [],
  );
  const unlisted = new Map(reached.map((port) => [keyOfPort(port), port]));
  for (const port of ports) unlisted.delete(keyOfPort(port));
  return [...unlisted.values()].sort((a, b) => a.port - b.port);
}

/** @param workloads of all pods of the Service */
function portsBy(
  service: ServiceFacts,
  pods: readonly PortPod[],
  before: readonly RoutedPort[],
  workloads: readonly string[] = [],
) {
  const all = service.ports.map((servicePort) => ({ servicePort, open: openPorts(servicePort, pods, before) }));
  const found = new Map<string, Found>();
  const clashes = all.flatMap(({ servicePort, open }) => open.flatMap((each) => enter(found, servicePort, each) ?? []));
  const external = externalPorts(service);
  for (const each of external) if (!found.has(keyOfPort(each))) found.set(keyOfPort(each), each);
  const isClosed = ({ servicePort, open }: (typeof all)[number]) =>
    open.length === 0 && !external.some((each) => each.servicePort === servicePort);
  const closed = all.filter(isClosed).map(({ servicePort }) => servicePort);
  const unreached = closed.length > 0 && pods.length > 0 ? [unreachable(service, closed, { pods, workloads })] : [];
  const ports = [...found.values()]
    .map(portStatus)
    .sort((a, b) => a.port - b.port || (a.protocol < b.protocol ? -1 : 1));
  const missed = all.flatMap(({ servicePort: { port }, open: [first] }) =>
    first === undefined || found.has(keyOfPort({ ...first, port })) ? [] : [{ protocol: first.protocol, port }],
  );
  return { ports, missed, problem: [...clashes, ...unreached][0], remark: translatedProblem(service, found) };
}

/** At the node, no packet has the destination that the Service lists. */
function translatedProblem(service: ServiceFacts, found: ReadonlyMap<string, Found>): Problem | undefined {
  const { translated, ports } = service;
  // A port that is open only for other external addresses answers only if these are the destination.
  const isMissed = (port: ServicePort) => (found.get(keyOfPort(port))?.origin ?? "ExternalIP") === "ExternalIP";
  const missed = ports.filter((port) => isRoutable(port.protocol) && isMissed(port));
  if (translated === undefined || missed.length === 0) return undefined;
  return serviceMessages.externalTranslated({ key: keyOf(service), ports: missed.map(portText), ...translated });
}

/**
 * A pod that serves on a node and opens no port of the Service there, though others of its pods open one. `undefined`: the
 * Service is reached at the node, or at none.
 * @param here the pods of the Service on the node.
 * @param all its pods, also those that do not serve now.
 */
export function portlessPod<P extends PortPod>(
  service: ServiceFacts,
  here: readonly P[],
  all: Iterable<P>,
): P | undefined {
  const [first, ...others] = here.filter(isServing);
  return first !== undefined && isClosed(service, [first, ...others], all) ? first : undefined;
}

/** Whether pods are there, and none of them opens a port of the Service, though others of its pods open one. */
export function isClosed(service: ServiceFacts, here: readonly PortPod[], all: Iterable<PortPod>): boolean {
  return here.length > 0 && !here.some((pod) => opensPort(service, pod)) && opensSomewhere(service, all);
}

/** Whether the Service is reached at the nodes of some of its pods alone: those that open a port of it while they are Ready. */
export function opensSomewhere(service: ServiceFacts, pods: Iterable<PortPod>): boolean {
  if (isOpenEverywhere(service)) return false;
  for (const pod of pods) if (pod.deletionTimestamp === undefined && opensPort(service, pod)) return true;
  return false;
}

/** By NodePorts or external addresses, whatever runs on a node. */
function isOpenEverywhere({ ports, externalIPs }: ServiceFacts): boolean {
  return externalIPs.length > 0 || ports.some(({ nodePort }) => nodePort !== undefined);
}

function opensPort({ ports }: ServiceFacts, pod: PortPod): boolean {
  return ports.some((port) => isRoutable(port.protocol) && hostPortsFor(port, pod).length > 0);
}

/** The rules that the ports need; those in the cluster's NodePort range need none. */
export function rulesOf(
  ports: readonly RoutedPort[],
  { nodePortRange, sourceRanges }: { readonly nodePortRange: string; readonly sourceRanges: readonly string[] },
): readonly FirewallRuleFacts[] {
  const sources = sourceRanges.length === 0 ? Object.values(EVERYBODY) : [...sourceRanges].sort();
  return ports
    .filter((port) => needsRule(port, nodePortRange))
    .map(({ protocol, port }) => ({ protocol: PROTOCOLS[protocol], ports: `${port}`, sources, otherSources: false }));
}

/** Whether a rule of a firewall opens the port, for some source. */
export function ruleOpens({ protocol, ports }: FirewallRuleFacts, port: OpenPort): boolean {
  const [from = 0, to = from] = ports.split("-").map(Number);
  return PROTOCOLS[port.protocol] === protocol && (ports === "all" || isInside(port.port, { from, to }));
}

/** Whether a port is outside of the cluster's NodePort range, which is open already. */
export function needsRule({ port }: Pick<RoutedPort, "port">, nodePortRange: string): boolean {
  const range = parsePortRange(nodePortRange);
  return range === undefined || !isInside(port, range);
}

/** A recorded rule, as firewalls compare them. */
export function ruleFacts({ protocol, ports, sources }: FirewallRule): FirewallRuleFacts {
  return { protocol, ports, sources, otherSources: false };
}

export const EVERYBODY: Readonly<Record<IpFamily, string>> = { IPv4: "0.0.0.0/0", IPv6: "::/0" };
const PROTOCOLS = { TCP: "tcp", UDP: "udp" } as const;

function isServing({ ready, deletionTimestamp }: PortPod): boolean {
  return ready && deletionTimestamp === undefined;
}

interface Open {
  readonly protocol: RoutedPort["protocol"];
  readonly port: number;
  readonly origin: RoutedPort["origin"];
}

interface Found extends Open {
  readonly servicePort: ServicePort;
}

/** They lead to another address of the node than the other ports, so they clash with none of them. */
function externalPorts({ ports, externalIPs }: ServiceFacts): readonly Found[] {
  if (externalIPs.length === 0) return [];
  return ports.flatMap((servicePort) => {
    const { protocol, port } = servicePort;
    return isRoutable(protocol) ? [{ protocol, port, origin: "ExternalIP" as const, servicePort }] : [];
  });
}

function isRoutable(protocol: string): protocol is RoutedPort["protocol"] {
  return protocol === "TCP" || protocol === "UDP";
}

function openPorts(servicePort: ServicePort, pods: readonly PortPod[], before: readonly RoutedPort[]): readonly Open[] {
  const { nodePort, protocol, name } = servicePort;
  if (!isRoutable(protocol)) return [];
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
  const open = hostPorts
    .filter((port) => port.loopback === undefined && isTarget(port))
    .map(({ hostPort }) => hostPort);
  if (open.length > 0 || hostNetwork !== true || typeof targetPort === "string") return open;
  return [targetPort];
}

/** One port of a node can lead to one port of the Service only. */
function enter(found: Map<string, Found>, servicePort: ServicePort, open: Open): Problem | undefined {
  const key = keyOfPort(open);
  const known = found.get(key);
  if (known === undefined) {
    found.set(key, { ...open, servicePort });
    return undefined;
  }
  if (known.servicePort.targetPort === servicePort.targetPort) return undefined;
  return serviceMessages.portsClash({ ports: [portText(known.servicePort), portText(servicePort)], nodePort: key });
}

function keyOfPort({ protocol, port }: Pick<ServicePort, "protocol" | "port">): string {
  return `${protocol} ${port}`;
}

interface ServingPods {
  readonly pods: readonly PortPod[];
  readonly workloads: readonly string[];
}

function unreachable(service: ServiceFacts, closed: readonly ServicePort[], { pods, workloads }: ServingPods): Problem {
  const key = keyOf(service);
  const foreign = closed.filter(({ protocol }) => !isRoutable(protocol));
  if (foreign.length > 0) return serviceMessages.portsNotRoutable({ key, ports: foreign.map(portText) });
  const translated = translatedProblem(service, new Map());
  if (translated !== undefined) return translated;
  const offered = new Map(pods.flatMap(({ hostPorts = [] }) => hostPorts.map((port) => [JSON.stringify(port), port])));
  // In one order, so that the text stays the same from look to look.
  const hostPorts = [...offered.values()].sort((a, b) => a.hostPort - b.hostPort || a.containerPort - b.containerPort);
  const [mistaken] = closed.flatMap((port) => ofOtherProtocol(port, service.ports, hostPorts) ?? []);
  if (mistaken !== undefined) return serviceMessages.portOfOtherProtocol({ key, ...mistaken });
  const withoutNodePorts = service.type === "LoadBalancer";
  return serviceMessages.portsClosed({ key, ports: closed.map(closedText), hostPorts, withoutNodePorts, workloads });
}

/** Its targetPort means a port that the pods open for the other protocol only. */
function ofOtherProtocol(servicePort: ServicePort, ports: readonly ServicePort[], hostPorts: readonly HostPort[]) {
  const { targetPort, protocol, port } = servicePort;
  const isTarget = (each: HostPort) => each.name === targetPort || each.containerPort === targetPort;
  const hostPort = hostPorts.find(
    (each) => each.loopback === undefined && each.protocol !== protocol && isRoutable(each.protocol) && isTarget(each),
  );
  if (hostPort === undefined) return undefined;
  const hasBoth = ports.some((own) => own.port === port && own.protocol === hostPort.protocol);
  return { port: portText(servicePort), targetPort, protocol, hostPort, hasBoth };
}

function portStatus({ protocol, port, origin, servicePort: { name } }: Found): RoutedPort {
  return { protocol, port, origin, ...(name === undefined ? {} : { name }) };
}

function isInside(port: number, { from, to }: PortNumbers): boolean {
  return port >= from && port <= to;
}
