/** What a run gathers of one RoutedIP: the snapshot that its decision reads, of one moment, and what its actions work with. */

import type { IpFamily, RetainedAddress } from "cdk8s-flipop/api";
import type { AddressAccount } from "../../addresses/accounts/address-account.js";
import type { AddressSnapshot } from "../../addresses/address-set.js";
import type { ProbesSnapshot } from "../../health/probes-for-controllers.js";
import type { Problem } from "../../messages/message.js";
import type { FirewallProvider } from "../../providers/firewall-types.js";
import type { ProviderId } from "../../providers/types.js";
import type { PublishingSnapshot } from "../../publishing/published-addresses.js";
import type { DnsService, DnsView } from "../../records/dns-service.js";
import type { SharedFirewall } from "../../routing/firewalls/shared-firewall.js";
import type { PortsFound } from "../../routing/needed-ports.js";
import type { RoutedIP } from "../../routing/read-resources.js";
import type { ResolvedIssuerClass } from "../../routing/resolved-class.js";
import type { TaintView } from "../../routing/taint-registry.js";
import type { FirewallSnapshot } from "./firewall/snapshot.js";
import type { JobSnapshot } from "./jobs/snapshot.js";

/** `set` is of the same RoutedIP. */
export interface Snapshot extends AddressSnapshot, ProbesSnapshot, PublishingSnapshot {
  readonly routed: RoutedIP;
  /** Absent: its spec is in force. Else `routed` is what the operator serves in its place. */
  readonly former?: Former;
  /** Absent: no class handles it (see `problem`), or Jobs do. */
  readonly resolvedClass?: ResolvedIssuerClass;
  /** What is wrong with the credentials of the issuer: the last good ones go on. */
  readonly credentials?: Problem;
  /** Whether something answers for the Service on a node that is up, terminating or not. */
  readonly servesAt: (node: string) => boolean;
  /** The node counts though nothing there is ready: the author of the Service wants that. @default none does */
  readonly unreadyOn?: (node: string) => boolean;
  /** See `WorkloadSource.podlessOn`. */
  readonly podlessOn?: (node: string) => string | undefined;
  /** The ports to open while the address is on these nodes, or moves between them. */
  readonly portsOn: (nodes: readonly string[]) => PortsFound;
  /** Absent: the class names no firewall, and named none before. */
  readonly firewall?: FirewallSnapshot;
  /** Those that were named before, with traces of ours: they go once the present one is in step. */
  readonly previousFirewallStates?: readonly FirewallSnapshot[];
  readonly taints: TaintView;
  /** Addresses that the account has, that no resource has, and that the RoutedIP could name. Absent: none is known. */
  readonly usable?: () => readonly RetainedAddress[];
}

/** What the operator serves in place of the address that the spec names. */
export interface Former {
  /** As if its spec still were as it was. */
  readonly routed: RoutedIP;
  /** Why the operator cannot use the new address. Absent: it is still to be read. */
  readonly problem?: Problem;
  /** The problem is another owner. */
  readonly isConflict: boolean;
}

/** What calls about the records go by. */
export interface FoundRecords {
  readonly dnsService: DnsService;
  /** Absent: the RoutedIP has no record set, and had none. */
  readonly dns: DnsView | undefined;
}

/** What the plan reads, and what its actions work with. */
export type Gathered = IssuedGathered | JobsGathered;

/** Of a RoutedIP whose class works by Jobs. */
export interface JobsGathered extends FoundRecords {
  readonly by: "jobs";
  readonly snapshot: JobSnapshot;
  /** When the API server is asked again for a Job that it refused, ms since the epoch. */
  readonly retryAt?: number;
}

/** Of a RoutedIP that the operator serves with an issuer's account. */
export interface IssuedGathered extends FoundRecords {
  readonly by: "issuer";
  readonly snapshot: Snapshot;
  /** A move that this process has asked for. */
  readonly move?: Move;
  /** When a running action may be checked again, by its id; ms since the epoch. */
  readonly poll?: { readonly id: string; readonly at: number };
  readonly family: IpFamily;
  readonly account: AddressAccount | undefined;
  readonly firewall: SharedFirewall | undefined;
  readonly firewalls: FirewallProvider | undefined;
}

export interface Move {
  readonly ip: string;
  readonly node: { readonly name: string; readonly machine: ProviderId };
}
