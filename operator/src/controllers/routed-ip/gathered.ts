/** What a run gathers of one RoutedIP. */

import type { IpFamily } from "cdk8s-flipop/api";
import type { AddressAccount } from "../../addresses/address-accounts.js";
import type { FirewallProvider, ProviderId } from "../../providers/types.js";
import type { DnsService, DnsView } from "../../records/dns-service.js";
import type { SharedFirewall } from "../../routing/firewall-registry.js";
import type { JobSnapshot } from "./jobs/snapshot.js";
import type { Snapshot } from "./snapshot.js";

/** What the plan reads, and what its actions work with. */
export type Gathered = IssuedGathered | JobsGathered;

/** Of a RoutedIP whose class works by Jobs. */
export interface JobsGathered {
  readonly by: "jobs";
  readonly snapshot: JobSnapshot;
  /** When the API server is asked again for a Job that it refused, ms since the epoch. */
  readonly retryAt?: number;
}

/** Of a RoutedIP that the operator serves with an issuer's account. */
export interface IssuedGathered {
  readonly by: "issuer";
  readonly snapshot: Snapshot;
  /** A move that this process has asked for. */
  readonly move?: Move;
  /** When a running action may be checked again, by its id; ms since the epoch. */
  readonly poll?: { readonly id: string; readonly at: number };
  readonly family: IpFamily;
  readonly account: AddressAccount | undefined;
  readonly dnsService: DnsService;
  readonly dns: DnsView | undefined;
  readonly firewall: SharedFirewall | undefined;
  readonly firewalls: FirewallProvider | undefined;
}

export interface Move {
  readonly ip: string;
  readonly node: { readonly name: string; readonly machine: ProviderId };
}
