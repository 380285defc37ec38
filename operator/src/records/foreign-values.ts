/** Pure: records on a name that the resource may not replace. */

import type { DnsStatus } from "cdk8s-flipop/api";
import type { DnsSnapshot, RecordRemoval } from "./desired-records.js";
import { isSameName } from "./same-name.js";

export type Named = Pick<RecordRemoval, "provider" | "wanted">;

/**
 * Values of records that keep the resource from writing, because it may not adopt them. A set that it has written before is
 * its own, and so is one that already holds what it wants.
 */
export function foreignValues(
  { dns, last, begun = [], wanted, provider, types }: Omit<RecordRemoval, "now">,
  values: readonly string[],
): readonly string[] {
  if (dns.adopts !== false || dns.records === "unknown" || isDesired(last, { provider, wanted })) return [];
  const started = begun.filter((entry) => isDesired(entry, { provider, wanted })).flatMap((entry) => entry.values);
  const known = [...values, ...(last?.values ?? []), ...started, ...leftTo(dns)];
  const present = dns.records.records.filter(({ type }) => types.asked.includes(type));
  return present.map(({ value }) => value).filter((value) => !known.includes(value));
}

/** What the operator wrote for resources that have left the name to this one. */
export function leftTo({ claim, retained = [] }: Pick<DnsSnapshot, "claim" | "retained">): readonly string[] {
  return claim?.ours === true ? [...(claim.left ?? []), ...retained] : [];
}

/** The name that was written last is the one that the spec has. */
export function isDesired(last: DnsStatus | undefined, { provider, wanted }: Named): boolean {
  return last !== undefined && wanted !== undefined && isSameName(last, { ...wanted, provider });
}
