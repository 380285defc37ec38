/** The series of one RoutedIP, off its last plan; and the counters, off what ended. */

import { ADDRESS_STATES } from "cdk8s-flipop/api";
import { normalName } from "../../claims/dns-name.js";
import type { FlipopMetrics } from "../../metrics/flipop.js";
import type { OwnSeries, Sample, StateSeries } from "../../metrics/series.js";
import { conditionSamples } from "../../reconcile/conditions/condition-metrics.js";
import type { ControllerContext } from "../context.js";
import type { Done } from "./execute.js";
import type { Plan } from "./plan.js";
import { KIND } from "./resource-state.js";
import type { Snapshot } from "./snapshot.js";

export interface Labelled {
  readonly namespace: string;
  readonly name: string;
  readonly provider: string;
  /** The full record name; empty without DNS. */
  readonly dns: string;
}

export function labelsOf(
  { records }: Pick<ControllerContext, "records">,
  { routed, resolvedClass }: Snapshot,
): Labelled {
  const { namespace = "", name } = routed.metadata;
  const provider = resolvedClass?.provider ?? "";
  const { dnsRecordSet: set } = routed.spec;
  const dns =
    set && normalName(set.provider || provider, { zone: set.zone, name: set.recordName }, records.zones.lookUp);
  return { namespace, name, provider, dns: dns?.fqdn ?? "" };
}

/** What shows one RoutedIP. */
interface Shown {
  readonly metrics: FlipopMetrics;
  readonly series: OwnSeries;
  readonly states: StateSeries;
}

/** All that a plan says of its RoutedIP. */
export function showRouted({ metrics, series, states }: Shown, labels: Labelled, { status, conditions }: Plan): void {
  const { namespace, name } = labels;
  metrics.abandonedItems.inc({ kind: KIND, namespace }, 0);
  const { routedIP: ip, state } = status;
  const node = ip === undefined ? [] : nodeSamples(metrics, { ...labels, ip }, status);
  series.show([...conditionSamples(metrics, { kind: KIND, namespace, name }, conditions), ...node]);
  const addresses = ip === undefined || state === undefined ? [] : [{ labels: { ...labels, ip }, state }];
  const counters = [metrics.routedAssignments, metrics.routedAssignmentErrors];
  states.show({ state: metrics.routedState, counters, states: ADDRESS_STATES }, addresses);
}

/** While the address moves, the node that it goes to: as a pool shows it. */
function nodeSamples(
  { routedNode }: FlipopMetrics,
  labels: Labelled & { readonly ip: string },
  { providerID, assignedNode: node = "" }: Plan["status"],
): readonly Sample[] {
  if (providerID === undefined) return [];
  return [{ gauge: routedNode, labels: { ...labels, provider_id: providerID, node }, value: 1 }];
}

export function count(
  metrics: FlipopMetrics,
  { namespace, name, provider, dns }: Labelled,
  { action, outcome }: Done,
): void {
  if (action.do !== "assign" && (action.do !== "poll" || action.expected === undefined)) return;
  const labels = { namespace, name, provider, dns, ip: action.ip };
  if (outcome.is === "done") metrics.routedAssignments.inc(labels);
  if (outcome.is === "refused") metrics.routedAssignmentErrors.inc(labels);
}
