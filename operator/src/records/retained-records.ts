/** Pure: what deleted RoutedIPs left under `Retain`, as the status of their class or issuer lists it. */

import { type DnsStatus, MOST_RETAINED, type RetainedRecords } from "cdk8s-flipop/api";
import { normalName, type ZoneLookUp } from "../claims/claimed-names.js";
import { jsonEqual } from "../kube/objects.js";

/** The list with one more, in place of an earlier entry of its name. `undefined`: it is there already. */
export function withRecords(
  known: readonly RetainedRecords[] = [],
  added: RetainedRecords,
): readonly RetainedRecords[] | undefined {
  const next = withinMost([...known.filter((entry) => !isSameSet(entry, added)), added]);
  return jsonEqual(next, known) ? undefined : next;
}

/** A namespace pushes out its own entries: where there are too many, the oldest of the one that has most goes. */
export function withinMost<T extends { readonly namespace: string }>(entries: readonly T[]): readonly T[] {
  if (entries.length <= MOST_RETAINED) return entries;
  const counts = new Map<string, number>();
  for (const { namespace } of entries) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const oldest = entries.find(({ namespace }) => counts.get(namespace) === most);
  return withinMost(entries.filter((entry) => entry !== oldest));
}

type Asked = Omit<RetainedRecords, "values">;

/** What RoutedIPs of the namespace have left on the name. */
export function leftOn(known: readonly RetainedRecords[], asked: Asked, zones?: ZoneLookUp): readonly string[] {
  const left = known.filter((entry) => entry.namespace === asked.namespace && isSameSet(entry, asked, zones));
  return left.flatMap(({ values }) => values);
}

function isSameSet(a: Omit<DnsStatus, "values">, b: Omit<DnsStatus, "values">, zones?: ZoneLookUp): boolean {
  const keyOf = ({ provider, zone, recordName: name, types }: typeof a) => ({
    ...normalName(provider, { zone, name }, zones),
    ...{ provider, types },
  });
  return jsonEqual(keyOf(a), keyOf(b));
}
