/** The series of one RoutedIP, off its last plan; and the counters, off what ended. */

import { ADDRESS_STATES } from "cdk8s-flipop/api";
import { normalName } from "../../claims/dns-name.js";
import type { FlipopMetrics } from "../../metrics/flipop.js";
import type { Sample } from "../../metrics/series.js";
import type { ControllerContext } from "../context.js";
import type { Gathered } from "./gathered.js";
import type { RoutedMemory, RoutedResult } from "./routed-state.js";
import type { Snapshot } from "./snapshot.js";
import type { StatusChange } from "./status.js";
import type { RoutedPlan } from "./update/sequences.js";

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

/** All that a plan says of its RoutedIP, beside the conditions. One whose class works by Jobs shows its conditions alone. */
export function samplesOf(
  context: Pick<ControllerContext, "metrics" | "records">,
  { states }: Pick<RoutedMemory, "states">,
  gathered: Gathered,
  { status }: RoutedPlan,
): readonly Sample[] {
  const { metrics } = context;
  if (gathered.by === "jobs") {
    states.clear();
    return [];
  }
  const labels = labelsOf(context, gathered.snapshot);
  const { routedIP: ip, state } = status;
  const addresses = ip === undefined || state === undefined ? [] : [{ labels: { ...labels, ip }, state }];
  const counters = [metrics.routedAssignments, metrics.routedAssignmentErrors];
  states.show({ state: metrics.routedState, counters, states: ADDRESS_STATES }, addresses);
  return ip === undefined ? [] : nodeSamples(metrics, { ...labels, ip }, status);
}

/** While the address moves, the node that it goes to: as a pool shows it. */
function nodeSamples(
  { routedNode }: FlipopMetrics,
  labels: Labelled & { readonly ip: string },
  { providerID, assignedNode: node = "" }: StatusChange,
): readonly Sample[] {
  if (providerID === undefined) return [];
  return [{ gauge: routedNode, labels: { ...labels, provider_id: providerID, node }, value: 1 }];
}

export function count(
  metrics: FlipopMetrics,
  { namespace, name, provider, dns }: Labelled,
  { action, outcome }: RoutedResult,
): void {
  if (action.do !== "assign" && (action.do !== "poll" || action.expected === undefined)) return;
  const labels = { namespace, name, provider, dns, ip: action.ip };
  if (outcome.is === "done") metrics.routedAssignments.inc(labels);
  if (outcome.is === "refused") metrics.routedAssignmentErrors.inc(labels);
}
