/** The environment variables of each Job. Pure. */

import type { RoutedPort } from "cdk8s-flipop/api";
import type { ProviderId } from "../providers/types.js";
import type { JobVariables } from "./job.js";

export interface JobNode {
  readonly name: string;
  readonly providerID: ProviderId;
}

export interface AssignInput {
  readonly namespace: string;
  readonly name: string;
  /** Absent: one is to be created and reported. */
  readonly ip?: string;
  readonly node: JobNode;
  readonly previous?: JobNode;
  /** Of the elected node; empty: unknown. */
  readonly region: string;
}

export function assignVariables({ namespace, name, ip = "", node, previous, region }: AssignInput): JobVariables {
  return {
    ROUTED_IP: ip,
    ROUTED_IP_NAME: name,
    ROUTED_IP_NAMESPACE: namespace,
    NODE_NAME: node.name,
    NODE_PROVIDER_ID: node.providerID,
    PREVIOUS_NODE_NAME: previous?.name ?? "",
    PREVIOUS_NODE_PROVIDER_ID: previous?.providerID ?? "",
    REGION: region,
  };
}

/** What one RoutedIP of the class needs of the firewall. */
export interface FirewallNeed {
  readonly ports: readonly Pick<RoutedPort, "protocol" | "port">[];
  readonly nodes: readonly JobNode[];
}

/** Sorted, so that the same needs give the same text. */
export interface FirewallRuleOrder {
  readonly protocol: "tcp" | "udp";
  readonly port: number;
  readonly nodes: readonly JobNode[];
}

/** The full set of a class: each port with all nodes that need it. */
export function firewallOrders(needs: readonly FirewallNeed[]): readonly FirewallRuleOrder[] {
  const orders = new Map<string, FirewallRuleOrder>();
  for (const { ports, nodes } of needs) {
    for (const { protocol, port } of ports) {
      const known = orders.get(`${protocol} ${port}`)?.nodes ?? [];
      const order = {
        protocol: protocol === "UDP" ? ("udp" as const) : ("tcp" as const),
        port,
        nodes: union(known, nodes),
      };
      orders.set(`${protocol} ${port}`, order);
    }
  }
  return [...orders.values()]
    .filter(({ nodes }) => nodes.length > 0)
    .sort((a, b) => a.port - b.port || compare(a.protocol, b.protocol));
}

export function firewallVariables(orders: readonly FirewallRuleOrder[]): JobVariables {
  return { FIREWALL_RULES: JSON.stringify(orders) };
}

function union(a: readonly JobNode[], b: readonly JobNode[]): readonly JobNode[] {
  const all = new Map([...a, ...b].map((node) => [node.providerID, node]));
  return [...all.values()].sort((one, other) => compare(one.providerID, other.providerID));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
