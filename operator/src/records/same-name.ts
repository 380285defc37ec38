/** Pure: whether two record sets are one. */

import { type DnsStatus, normalRecordName } from "cdk8s-flipop/api";

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
