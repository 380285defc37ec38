/** Step 9: the record set of the addresses that are up. It is never emptied, but for a resource that asks for it. */

import type { DnsStatus, IpFamily } from "cdk8s-flipop/api";
import type { RecordType } from "../../providers/types.js";
import type { RecordsChain } from "../records/actions.js";
import { recordChain as chainOf, recorded, removalChain, ttlOf } from "../records/record-chain.js";
import { isOurs, isServed, type Standing } from "./grace.js";
import type { Snapshot } from "./snapshot.js";
import { dnsProviderOf, familyOfPool } from "./wish.js";

/** One chain: the new set, then the end of the former one, then the status. */
export function recordChain(snapshot: Snapshot, values: readonly string[], family: IpFamily): RecordsChain {
  const { dns, pool } = snapshot;
  const wanted = pool.spec.dnsRecordSet;
  if (wanted === undefined) return forgotten(pool.status.dns);
  if (dns === undefined) return [];
  return chainOf({
    ...wishOf(snapshot, family),
    dns,
    wanted,
    values,
    ttl: ttlOf(dns, wanted),
    owner: ownerOf(snapshot),
  });
}

/** Addresses to publish: those that are served, and those on their way that were published before. */
export function publishedOf(snapshot: Snapshot, standings: readonly Standing[], moving: ReadonlySet<string>) {
  const before = new Set(snapshot.pool.status.dns?.values);
  const onTheWay = ({ address, sight }: Standing) => sight === "moving" || moving.has(address.ip);
  const published = standings.filter((standing) => {
    if (!standing.address.wanted || !isOurs(standing)) return false;
    return isServed(standing) || (onTheWay(standing) && before.has(standing.address.ip));
  });
  // Nothing is up: the set is left alone, so that the move of the only address does not touch it.
  return standings.some(isServed) ? published.map(({ address }) => address.ip).sort() : [];
}

/** Deletes the set that was last written, for a pool that goes. */
export function recordRemoval(snapshot: Snapshot): RecordsChain {
  const { dns, pool } = snapshot;
  if (dns === undefined) return [];
  return removalChain({ ...wishOf(snapshot, familyOfPool(pool)), dns, wanted: pool.spec.dnsRecordSet });
}

function wishOf({ pool, now, memory }: Snapshot, family: IpFamily) {
  const types: readonly RecordType[] = [family === "IPv6" ? "AAAA" : "A"];
  return {
    now,
    reverts: memory.reverts.get("records"),
    provider: dnsProviderOf(pool.spec),
    last: pool.status.dns,
    types: { asked: types, ours: types },
  };
}

function ownerOf({ pool: { metadata } }: Snapshot): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Without a record set in the spec nobody knows the policy: what was written stays. */
function forgotten(last: DnsStatus | undefined): RecordsChain {
  return last === undefined ? [] : [recorded(undefined, "spec.dnsRecordSet is gone; the records stay")];
}
