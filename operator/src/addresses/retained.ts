/** Addresses of the account that no resource has: those of a resource that is gone, and all of them for the metric. */

import type { DnsRecordSet, DnsStatus } from "cdk8s-flipop/api";
import type { ClaimedAddress } from "../claims/claimant.js";
import type { Claims } from "../claims/claims.js";
import type { Inventories } from "../inventory/inventories.js";
import type { InventoryAddress } from "../inventory/view.js";
import type { NodeDirectory } from "../match/node-directory.js";
import { eventMessages } from "../messages/events.js";
import type { EventMessage } from "../messages/message.js";
import { recordsRetained } from "../records/record-events.js";

interface Known {
  readonly inventories: Inventories;
  readonly claims: Claims;
}

/** A resource that is gone. */
interface Gone {
  readonly addresses: readonly ClaimedAddress[];
  /** The field that takes the addresses. */
  readonly field: "ips" | "routedIP";
  readonly spec: { readonly dnsRecordSet?: DnsRecordSet };
  readonly status: { readonly dns?: DnsStatus };
}

/** What stays of it at the providers. Empty: nothing that no other resource has. */
export function retained(known: Known, { addresses, field, spec, status }: Gone): readonly EventMessage[] {
  return [
    ...retainedAddresses(known, addresses, field),
    ...recordsRetained(status.dns, spec.dnsRecordSet?.deletionPolicy),
  ];
}

function retainedAddresses(
  { inventories, claims }: Known,
  claimed: readonly ClaimedAddress[],
  field: Gone["field"],
): readonly EventMessage[] {
  const left = claimed.filter(({ ip }) => inventories.find(ip) !== undefined && claims.holderOf(ip) === undefined);
  if (left.length === 0) return [];
  const ips = left.map(({ ip }) => ip);
  const held = ips.filter((ip) => inventories.find(ip)?.holder !== undefined);
  return [eventMessages.retained({ ips, held, field })];
}

const HOLDERS = ["node", "other", "none"] as const;

/** How many of them there are, by holder; empty until all resources and accounts have been read. */
export function countUnlisted({ inventories, claims }: Known, nodes: NodeDirectory): ReadonlyMap<string, number> {
  const all = claims.complete ? inventories.addresses() : undefined;
  if (all === undefined) return new Map();
  const counts = new Map<string, number>(HOLDERS.map((holder) => [holder, 0]));
  for (const address of all) {
    if (claims.holderOf(address.ip) !== undefined) continue;
    const holder = holderOf(address, nodes);
    counts.set(holder, (counts.get(holder) ?? 0) + 1);
  }
  return counts;
}

function holderOf({ holder }: InventoryAddress, nodes: NodeDirectory): (typeof HOLDERS)[number] {
  if (holder === undefined) return "none";
  return nodes.ofMachine(holder) === undefined ? "other" : "node";
}
