/** Pure: records on a name that the resource may not replace, that somebody else has changed, or that stay when it goes. */

import type { DnsStatus } from "cdk8s-flipop/api";
import { planRemoval } from "../providers/diff.js";
import type { RecordChangeSet, RecordFacts } from "../providers/types.js";
import type { Records } from "./cached-record-set.js";
import type { DnsAction, DnsSnapshot, LeftRecords, RecordRemoval, WhichRecords } from "./record-actions.js";
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

/** Of a written set, what is to be removed with the records that a read has shown. */
export interface WrittenPart {
  readonly former: DnsStatus;
  readonly which: WhichRecords;
  readonly records: Records;
  /** See `OwnChange`. */
  readonly wrote: readonly string[] | undefined;
}

/** Records of others stay: somebody may have given the name to something else. */
export function removalOf(part: WrittenPart): readonly DnsAction[] {
  const { which, records, former } = part;
  const { recordName, provider } = former;
  if (records === "unknown") return [{ do: "read-records", which, why: `${recordName} is to be deleted` }];
  const { before, ...removal } = planRemoval({ ...records, records: ownRecords(part) });
  if (removal.steps.length === 0) return [];
  const others = othersAt(part);
  const changes = { ...removal, before: [...before, ...others].sort(), after: others };
  return [{ do: "apply-records", which, provider, changes, why: `${recordName} is not wanted any more` }];
}

/** Those with addresses that the operator wrote. After a crash during the first change of an empty name: all. */
export function ownRecords({ former: { types, values }, records, wrote }: WrittenPart): readonly RecordFacts[] {
  if (records === "unknown") return [];
  const found = records.records.filter(({ type }) => types.includes(type));
  if (values.length === 0 && wrote === undefined) return found;
  const own = new Set([...values, ...(wrote ?? [])]);
  return found.filter(({ value }) => own.has(value));
}

function othersAt(part: WrittenPart): readonly string[] {
  const own = ownRecords(part);
  const found = part.records === "unknown" ? [] : part.records.records;
  const values = found.filter((each) => !own.includes(each)).map(({ value }) => value);
  return [...new Set(values)].sort();
}

/** What the removal of the parts of one set leaves. */
export function foreignAt(parts: readonly WrittenPart[]): { readonly left?: LeftRecords } {
  const values = parts.flatMap(othersAt);
  const [first] = parts;
  return first === undefined || values.length === 0 ? {} : { left: { ...first.former, values, foreign: true } };
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
