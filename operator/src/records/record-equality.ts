/** Pure: whether two record sets are one, whether two readings of one are the same, and whether a name is a CNAME. */

import { type DnsStatus, normalRecordName } from "cdk8s-flipop/api";
import type { RecordFacts, RecordSetFacts } from "../providers/types.js";

type Name = Pick<DnsStatus, "provider" | "zone" | "recordName">;

/** Whether they are written alike. */
export function isSameName(a: Name, b: Name): boolean {
  return a.provider === b.provider && a.zone === b.zone && a.recordName === b.recordName;
}

/** Whether they may be one record set: written in another way, or with a zone that only one of them names by its id. */
export function mayBeSameSet(a: Name, b: Name): boolean {
  const isDomain = ({ zone }: Name) => zone.includes(".");
  if (a.provider !== b.provider) return false;
  if (isDomain(a) && isDomain(b)) return normalRecordName(a).fqdn === normalRecordName(b).fqdn;
  return a.zone !== b.zone || a.recordName === b.recordName;
}

/** Of the retries: another name is tried at once, whatever has failed on this one. */
export function recordRetryKey({ provider, zone, recordName }: Name): string {
  return `records ${provider} ${zone} ${recordName}`;
}

/** Of the name, as it was read. */
export function hasCname(records: RecordSetFacts | "unknown"): boolean {
  return records !== "unknown" && records.hasCname === true;
}

/** By type and address. Not by TTL: a provider may level those of a name, of which another resource has the other type. */
export function sameRecords(a: RecordSetFacts, b: RecordSetFacts): boolean {
  return a.zone === b.zone && a.fqdn === b.fqdn && textOf(a.records) === textOf(b.records);
}

function textOf(records: readonly RecordFacts[]): string {
  return records
    .map(({ type, value }) => `${type} ${value}`)
    .sort()
    .join("\n");
}
