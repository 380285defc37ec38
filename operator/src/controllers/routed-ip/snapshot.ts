/** All that a decision about one RoutedIP reads: values of one moment. Most of it is what a pool's decision reads. */

import type { AddressSnapshot } from "../../addresses/address-set.js";
import type { PortsFound } from "../../routing/ports.js";
import type { ResolvedIssuerClass } from "../../routing/resolved-class.js";
import type { RoutedIP } from "../../routing/resource.js";
import type { TaintView } from "../../routing/taint-registry.js";
import type { FirewallSnapshot } from "./firewall/firewall.js";

/** `set` is of the same RoutedIP. */
export interface Snapshot extends AddressSnapshot {
  readonly routed: RoutedIP;
  /** Absent: no class handles it (see `problem`), or Jobs do. */
  readonly resolvedClass?: ResolvedIssuerClass;
  /** Whether something answers for the Service on a node, terminating or not. */
  readonly servesAt: (node: string) => boolean;
  readonly ports: PortsFound;
  /** Absent: the class names no firewall, and named none before. */
  readonly firewall?: FirewallSnapshot;
  /** Those that were named before, with traces of ours: they go once the present one is in step. */
  readonly previousFirewallStates?: readonly FirewallSnapshot[];
  readonly taints: TaintView;
}
