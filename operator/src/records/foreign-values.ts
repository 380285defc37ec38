/** Pure: records on a name that the resource may not replace, or that somebody else has changed. */

import type { DnsStatus } from "cdk8s-flipop/api";
import type { RecordChangeSet } from "../providers/types.js";
import type { DnsSnapshot, RecordRemoval } from "./record-actions.js";
import { isSameName } from "./record-equality.js";

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

/** A restart between a change and its status looks the same, so this is no certainty. */
const CHANGED_BY_OTHERS = "they differed from status.dns: somebody else has probably changed them";

/** The set has been written as it is wanted now. What this process has written since may not be in the status yet. */
export function undone({ before, after }: RecordChangeSet, { isOurs }: DnsSnapshot): { readonly cause?: string } {
  const same = isOurs === true || `${[...before].sort()}` === `${[...after].sort()}`;
  return same ? {} : { cause: CHANGED_BY_OTHERS };
}

/** @param left what the operator wrote on the name, also for another resource. Only the first write on a name: later, `status.dns` may be older than what a failed change has written. */
export function replacing(
  { before, after }: RecordChangeSet,
  last: DnsStatus | undefined,
  written: DnsStatus,
  left: readonly string[],
): { readonly replaced?: readonly string[] } {
  if (last !== undefined && isSameName(last, written)) return {};
  const known = [...after, ...left, ...(last?.values ?? [])];
  const replaced = before.filter((value) => !known.includes(value));
  return replaced.length === 0 ? {} : { replaced };
}
