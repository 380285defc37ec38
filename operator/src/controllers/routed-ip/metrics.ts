/** The series of one RoutedIP, off its last plan; and the counters, off what ended. */

import { normalName } from "../../claims/dns-name.js";
import type { FlipopMetrics } from "../../metrics/flipop.js";
import type { Sample } from "../../metrics/series.js";
import { conditionSamples } from "../condition-metrics.js";
import type { ControllerContext } from "../context.js";
import type { Done } from "./execute.js";
import type { Plan } from "./plan.js";
import type { Snapshot } from "./snapshot.js";
import { KIND } from "./unit.js";

export interface Labelled {
  readonly namespace: string;
  readonly name: string;
  readonly provider: string;
  /** The full record name; empty without DNS. */
  readonly dns: string;
}

export function labelsOf({ records }: Pick<ControllerContext, "records">, { routed, terms }: Snapshot): Labelled {
  const { namespace = "", name } = routed.metadata;
  const provider = terms?.provider ?? "";
  const { dnsRecordSet: set } = routed.spec;
  const dns =
    set && normalName(set.provider || provider, { zone: set.zone, name: set.recordName }, records.zones.lookUp);
  return { namespace, name, provider, dns: dns?.fqdn ?? "" };
}

export function samplesOf(metrics: FlipopMetrics, labels: Labelled, { status, conditions }: Plan): readonly Sample[] {
  const { namespace, name } = labels;
  const shown = conditionSamples(metrics, { kind: KIND, namespace, name }, conditions);
  const { routedIP: ip, state, providerID, assignedNode = "" } = status;
  if (ip === undefined || state === undefined) return shown;
  const of = { ...labels, ip };
  const held: readonly Sample[] =
    providerID === undefined || state === "in-progress"
      ? []
      : [{ gauge: metrics.routedNode, labels: { ...of, provider_id: providerID, node: assignedNode }, value: 1 }];
  return [...shown, { gauge: metrics.routedState, labels: { ...of, state }, value: 1 }, ...held];
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
