/** Pure: record sets that deleted RoutedIPs left under `Retain`, as the status of their class or issuer lists them. */

import { type DnsStatus, MOST_RETAINED, type RetainedRecords } from "cdk8s-flipop/api";
import { normalName, type ZoneLookUp } from "../claims/claimed-names.js";
import { jsonEqual } from "../kube/objects.js";

/** The list with one more, in place of an earlier entry of its name; the oldest go first. `undefined`: it is there already. */
export function withRecords(
  known: readonly RetainedRecords[] = [],
  added: RetainedRecords,
): readonly RetainedRecords[] | undefined {
  const next = [...known.filter((entry) => !isSameSet(entry, added)), added].slice(-MOST_RETAINED);
  return jsonEqual(next, known) ? undefined : next;
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
