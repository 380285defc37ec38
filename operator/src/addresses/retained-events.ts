/** The Events about what a deleted resource leaves at the providers: addresses that no other resource has, and records. */

import type { DnsRecordSet } from "cdk8s-flipop/api";
import type { ClaimedAddress } from "../claims/claimant.js";
import type { Claims } from "../claims/claims.js";
import type { Inventories } from "../inventory/inventories.js";
import { eventMessages } from "../messages/events.js";
import type { EventMessage } from "../messages/message.js";
import type { WrittenSets } from "../records/begun-records.js";
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
  readonly status: Omit<WrittenSets, "dnsRecordSet">;
  /** `false`: the operator had begun, and may have taken addresses from their nodes. */
  readonly cleanedUp: boolean;
}

/** What stays of it at the providers. Empty: nothing that no other resource has. */
export function retainedEvents(known: Known, gone: Gone): readonly EventMessage[] {
  return [
    ...retainedAddresses(known, gone),
    ...recordsRetained({ ...gone.status, dnsRecordSet: gone.spec.dnsRecordSet }),
  ];
}

function retainedAddresses(
  { inventories, claims }: Known,
  { addresses, field, cleanedUp }: Gone,
): readonly EventMessage[] {
  const left = addresses.filter(({ ip }) => inventories.find(ip) !== undefined && claims.holderOf(ip) === undefined);
  if (left.length === 0) return [];
  const ips = left.map(({ ip }) => ip);
  const held = ips.filter((ip) => cleanedUp && inventories.find(ip)?.holder !== undefined);
  return [eventMessages.retained({ ips, held, field })];
}
