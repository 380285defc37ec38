/** Step 9: the record set of the addresses that are up. It is emptied only if the resource asks for it. */

import type { DnsStatus, IpFamily } from "cdk8s-flipop/api";
import type { RecordType } from "../providers/types.js";
import type { RecordSequence } from "../records/actions.js";
import { recordChain as chainOf, recorded, removalChain, ttlOf } from "../records/record-sequence.js";
import type { AddressSnapshot } from "./address-set.js";
import { dnsProviderOf } from "./desired.js";
import { isOurs, isServed, type Placement } from "./grace.js";

/** One chain: the new set, then the end of the former one, then the status. */
export function recordChain(snapshot: AddressSnapshot, values: readonly string[], family: IpFamily): RecordSequence {
  const { dns, set } = snapshot;
  const wanted = set.dnsRecordSet;
  if (wanted === undefined) return forgotten(set.writtenDns);
  if (dns === undefined) return [];
  return chainOf({
    ...desiredOf(snapshot, family),
    dns,
    wanted,
    values,
    ttl: ttlOf(dns, wanted),
    owner: ownerOf(snapshot),
  });
}

/** Addresses to publish: those that are served, and those on their way that were published before. */
export function publishedOf(snapshot: AddressSnapshot, placements: readonly Placement[], moving: ReadonlySet<string>) {
  const before = new Set(snapshot.set.writtenDns?.values);
  const onTheWay = ({ address, certainty }: Placement) => certainty === "moving" || moving.has(address.ip);
  const published = placements.filter((placement) => {
    if (!placement.address.wanted || !isOurs(placement)) return false;
    return isServed(placement) || (onTheWay(placement) && before.has(placement.address.ip));
  });
  // Nothing is up: the set is left alone, so that the move of the only address does not touch it.
  return placements.some(isServed) ? published.map(({ address }) => address.ip).sort() : [];
}

/** Deletes the set that was last written, for a resource that goes. */
export function recordRemoval(snapshot: AddressSnapshot): RecordSequence {
  const { dns, set } = snapshot;
  if (dns === undefined) return [];
  return removalChain({ ...desiredOf(snapshot, set.family), dns, wanted: set.dnsRecordSet });
}

function desiredOf({ set, now, memory }: AddressSnapshot, family: IpFamily) {
  const types: readonly RecordType[] = [family === "IPv6" ? "AAAA" : "A"];
  return {
    now,
    reverts: memory.reverts.get("records"),
    provider: dnsProviderOf(set),
    last: set.writtenDns,
    types: { asked: types, ours: types },
  };
}

function ownerOf({ set: { metadata } }: AddressSnapshot): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Without a record set in the spec the policy is unknown, so the written records stay. */
function forgotten(last: DnsStatus | undefined): RecordSequence {
  return last === undefined ? [] : [recorded(undefined, "spec.dnsRecordSet is gone; the records stay")];
}
