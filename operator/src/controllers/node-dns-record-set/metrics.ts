/** The gauges of one record set, off its last plan. */

import { normalName, type ZoneLookUp } from "../../claims/dns-name.js";
import type { ResourceRef } from "../../inventory/types.js";
import type { FlipopMetrics } from "../../metrics/flipop.js";
import type { Sample } from "../../metrics/series.js";
import type { Plan } from "./plan.js";
import type { Snapshot } from "./snapshot.js";
import { desiredOf } from "./wish.js";

/** Nothing for a set that names no record. */
export function samplesOf(
  { metrics, zones }: { readonly metrics: FlipopMetrics; readonly zones: ZoneLookUp },
  { namespace, name }: ResourceRef,
  { resource }: Snapshot,
  { counts }: Plan,
): readonly Sample[] {
  const desired = desiredOf(resource.spec);
  if (desired === undefined) return [];
  const { provider, recordSet } = desired;
  const dns = normalName(provider, { zone: recordSet.zone, name: recordSet.recordName }, zones).fqdn;
  return [{ gauge: metrics.records, labels: { namespace, name, provider, dns }, value: counts.published }];
}
