/** All that a decision about one RoutedIP reads: values of one moment. Most of it is what a pool's decision reads. */

import type { RoutedIPSpec, RoutedIPStatus } from "cdk8s-flipop/api";
import type { AddressSnapshot } from "../../addresses/address-set.js";
import type { Taint } from "../../kube/cache/slim.js";
import type { ObjectMeta } from "../../kube/objects.js";
import type { FirewallSnapshot } from "./firewall.js";
import type { PortsFound } from "./ports.js";
import type { ResolvedIssuerClass } from "./resolved-class.js";

export interface RoutedIP {
  readonly metadata: ObjectMeta;
  readonly spec: RoutedIPSpec;
  readonly status: RoutedIPStatus;
}

/** A node that bears taints of ours. */
export interface TaintedNode {
  readonly name: string;
  /** Those under our prefix. */
  readonly taints: readonly Taint[];
  /** Of these and others: what other RoutedIPs need there. */
  readonly needed: readonly Taint[];
}

export interface TaintView {
  /** All nodes that bear any, those that other RoutedIPs hold included. */
  readonly nodes: readonly TaintedNode[];
  /** What other RoutedIPs need on a node. */
  neededOn(node: string): readonly Taint[];
}

/** `set` is of the same RoutedIP. */
export interface Snapshot extends AddressSnapshot {
  readonly routed: RoutedIP;
  /** Absent: nobody handles it (see `problem`), or Jobs do. */
  readonly resolvedClass?: ResolvedIssuerClass;
  /** Whether something answers for the Service on a node, terminating or not. */
  readonly servesAt: (node: string) => boolean;
  readonly ports: PortsFound;
  /** Absent: nobody wants a firewall to be touched, now or formerly. */
  readonly firewall?: FirewallSnapshot;
  /** Those that were named before, with traces of ours: they go once the present one is in step. */
  readonly previousFirewallStates?: readonly FirewallSnapshot[];
  readonly taints: TaintView;
}
