/** Services: what a RoutedIP needs of them, and what they lack. */

import { Annotation, MAX_ROUTED_PORTS, MAX_RULE_SOURCES } from "cdk8s-flipop/api";
import type { HostPort } from "../kube/cache/slim-objects.js";
import { listed, listedClauses, omitUndefined } from "../values.js";
import { note, problem, topic } from "./message.js";
import { authorOf } from "./nodes/refused-nodes.js";

interface Service {
  /** `namespace/name` */
  readonly key: string;
}

interface ServedAddress extends Service {
  readonly ip: string;
  readonly node: string;
}

interface ClosedPorts extends Service {
  readonly ports: readonly string[];
  readonly hostPorts: readonly HostPort[];
  /** It has type LoadBalancer, and no NodePorts all the same. */
  readonly withoutNodePorts?: boolean;
  /** Of all pods that the Service selects. */
  readonly workloads?: readonly string[];
}

interface TranslatedAddresses extends Service {
  readonly ports: readonly string[];
  /** In `externalIPs` of the Service. */
  readonly ips: readonly string[];
  /** The destination of packets to them at the node. */
  readonly to: string;
  /** Other `externalIPs` of the Service, which may be that destination. @default none */
  readonly others?: readonly string[];
}

interface OtherProtocol extends Service {
  readonly port: string;
  readonly targetPort: number | string;
  readonly protocol: string;
  readonly hostPort: HostPort;
  /** The Service has the port for both protocols. */
  readonly hasBoth: boolean;
}

/** Whoever writes no protocol gets TCP, so the side with TCP is the likely mistake. */
function protocolRemedy({ port, protocol, hostPort, hasBoth }: OtherProtocol): string {
  const ofPods = `containerPort ${hostPort.containerPort}`;
  const added = `${ofPods}, hostPort ${hostPort.hostPort} and protocol: ${protocol}`;
  if (hasBoth) return `add a container port to its pods, with ${added}, or remove ${port} from the Service`;
  const places = [`${port} of the Service`, `${ofPods} of its pods`];
  const [udp, tcp] = protocol === "TCP" ? places : places.reverse();
  return `set protocol: UDP at ${udp} (without protocol, a port is TCP), or protocol: TCP at ${tcp}`;
}

function hostPortText({ name, protocol, containerPort, hostPort, loopback }: HostPort): string {
  const port = `containerPort ${containerPort}, ${placeText({ protocol, hostPort, ...omitUndefined({ loopback }) })}`;
  return name === undefined ? port : `${name}: ${port}`;
}

function placeText({ protocol, hostPort, loopback }: Pick<HostPort, "protocol" | "hostPort" | "loopback">): string {
  const where = loopback === undefined ? "" : ` on hostIP ${loopback} only, which no other machine reaches`;
  return `hostPort ${hostPort}${protocol === "TCP" ? "" : ` (${protocol})`}${where}`;
}

/** What pods do that no other machine reaches. @param local open for their node alone */
export function openPortText(local: HostPort | undefined): string {
  return local === undefined ? "have no hostPort" : `open ${placeText(local)}`;
}

const SERVICE: Service = { key: "web/shop" };
const USE_CLUSTER_IP = "use a ClusterIP Service with a selector";

const notOpen = (key: string, ports: string) =>
  `Service ${key}: on the node of the address, its pods do not open ${ports}`;

export const serviceMessages = topic("services", {
  unanswered: note({
    reason: "NotObserved",
    text: ({ ip, node, key }: ServedAddress) =>
      `${ip} is on ${node}, where the operator knows no endpoint of Service ${key} that answers now`,
    example: { ip: "203.0.113.7", node: "node-3", key: "web/ingress" },
  }),
  onUnready: note({
    reason: "Observed",
    text: ({ ip, node, key }: ServedAddress) =>
      `${ip} is on ${node}, where no pod is ready: the node counts because Service ${key} has publishNotReadyAddresses: true`,
    example: { ip: "203.0.113.7", node: "node-3", key: "web/ingress" },
  }),
  notAllowed: problem({
    reason: "NamespaceNotAllowed",
    by: "other",
    text: ({ key, namespace }: Service & { readonly namespace: string }) =>
      `Service ${key} does not exist, or does not allow RoutedIPs of namespace ${namespace}`,
    remedy: ({ namespace }) =>
      `correct serviceRef, or have the author of the Service set its annotation ${Annotation.allowRoutedIpFrom} to "${namespace}"`,
    example: { ...SERVICE, namespace: "ingress" },
  }),
  missing: problem({
    reason: "ServiceNotFound",
    by: "author",
    text: ({ key }: Service) => `Service ${key} does not exist`,
    remedy: "create it, or correct serviceRef",
    example: SERVICE,
  }),
  isExternalName: problem({
    reason: "ServiceUnsuitable",
    by: "author",
    text: ({ key }: Service) => `Service ${key} is an ExternalName, which has no pods here`,
    remedy: USE_CLUSTER_IP,
    example: SERVICE,
  }),
  isHeadless: problem({
    reason: "ServiceUnsuitable",
    by: "author",
    text: ({ key }: Service) => `Service ${key} is headless (clusterIP None)`,
    remedy: USE_CLUSTER_IP,
    example: SERVICE,
  }),
  hasNoSelector: problem({
    reason: "ServiceUnsuitable",
    by: "author",
    text: ({ key }: Service) => `Service ${key} has no selector`,
    remedy: "give it a selector",
    example: SERVICE,
  }),
  hasNoPorts: problem({
    reason: "ServiceUnsuitable",
    by: "author",
    text: ({ key }: Service) => `Service ${key} has no ports`,
    remedy: "give it the ports of its pods",
    example: SERVICE,
  }),
  portsClash: problem({
    reason: "PortClash",
    by: "author",
    text: ({ ports, nodePort }: { readonly ports: readonly [string, string]; readonly nodePort: string }) =>
      `${ports.join(" and ")} both need ${nodePort} of the node`,
    remedy: "give one of them another hostPort",
    example: { ports: ["port http (80/TCP)", "port https (443/TCP)"], nodePort: "TCP 8080" },
  }),
  tooManyPorts: problem({
    reason: "ServiceUnsuitable",
    by: "author",
    text: ({ key, ports, sources }: Service & { readonly ports: number; readonly sources: number }) => {
      const over = [
        ...(ports > MAX_ROUTED_PORTS ? [`${ports} open ports, of which the operator serves ${MAX_ROUTED_PORTS}`] : []),
        ...(sources > MAX_RULE_SOURCES
          ? [`${sources} loadBalancerSourceRanges, of which the operator lets in ${MAX_RULE_SOURCES}`]
          : []),
      ];
      return `Service ${key} has ${over.join(" and ")}`;
    },
    remedy: "split it into several Services, each with a RoutedIP",
    example: { ...SERVICE, ports: MAX_ROUTED_PORTS + 1, sources: 0 },
  }),
  portsNotRoutable: problem({
    reason: "ServiceUnsuitable",
    by: "author",
    text: ({ key, ports }: Service & { readonly ports: readonly string[] }) =>
      `Service ${key}: the operator opens TCP and UDP ports only, so it cannot serve ${listed(ports)}`,
    remedy: "use TCP or UDP, or leave the port out of the Service",
    example: { ...SERVICE, ports: ["port m3ua (2905/SCTP)"] },
  }),
  externalTranslated: problem({
    reason: "ServiceUnsuitable",
    by: "other",
    text: ({ key, ports, ips, to, others = [] }: TranslatedAddresses) => {
      const where =
        others.length === 0 ? "" : `, unless its other externalIPs (${listed(others)}) are that destination`;
      return `Service ${key} does not answer at ${listed(ports)} of ${listed(ips)}, which its externalIPs list: such packets arrive at the node under another destination (${to})${where}`;
    },
    remedy: ({ key, ips, to }) =>
      `${authorOf(key)} give its pods hostPorts or use type NodePort, or list ${to} in place of ${listed(ips)} for each node`,
    example: {
      ...{ ...SERVICE, ports: ["port http (80/TCP)"], ips: ["203.0.113.7"] },
      to: "the anchor address of the Droplet",
    },
  }),
  portOfOtherProtocol: problem({
    reason: "ServiceUnsuitable",
    by: "other",
    text: ({ key, port, targetPort, hostPort }: OtherProtocol) =>
      `${notOpen(key, `${port}, targetPort ${targetPort}`)}; they open hostPort ${hostPort.hostPort} for ${hostPort.protocol} only`,
    remedy: (mistake) => `${authorOf(mistake.key)} ${protocolRemedy(mistake)}`,
    example: {
      ...{ ...SERVICE, port: "port game (7777/UDP)", targetPort: "game", protocol: "UDP", hasBoth: false },
      hostPort: { name: "game", protocol: "TCP", containerPort: 7777, hostPort: 7777 },
    },
  }),
  portsClosed: problem({
    reason: "ServiceUnsuitable",
    by: "other",
    text: ({ key, ports, hostPorts, workloads = [] }: ClosedPorts) => {
      const offered = hostPorts.length === 0 ? "no hostPort" : listedClauses(hostPorts.map(hostPortText));
      const selected = workloads.length < 2 ? "" : `; the Service selects pods of ${listed(workloads)}`;
      return `${notOpen(key, listed(ports))}; they have ${offered}${selected}`;
    },
    remedy: ({ key, hostPorts, withoutNodePorts, workloads = [] }) => {
      const match = hostPorts.some(({ loopback }) => loopback !== undefined)
        ? "remove hostIP from this port of its pods"
        : hostPorts.length === 0
          ? "give its pods a hostPort for the containerPort that targetPort means"
          : "set targetPort to a containerPort that has a hostPort, or to its name";
      const nodePorts = withoutNodePorts ? "remove allocateLoadBalancerNodePorts: false" : "use type NodePort";
      const select = workloads.length < 2 ? "" : "select the pods of one of these workloads alone, or ";
      return `${authorOf(key)} ${select}${match}, or ${nodePorts}`;
    },
    example: {
      ...{ ...SERVICE, ports: ["port http (80/TCP), targetPort web"] },
      hostPorts: [{ name: "http", protocol: "TCP", containerPort: 8080, hostPort: 80 }],
    },
  }),
});
