/** The series of one pool, off its last plan; and the counters, off what ended. */

import { ADDRESS_STATES } from "cdk8s-flipop/api";
import type { PlannedAction } from "../../addresses/actions.js";
import { dnsProviderOf } from "../../addresses/desired.js";
import { normalName } from "../../claims/dns-name.js";
import type { FlipopMetrics } from "../../metrics/flipop.js";
import type { Sample, StateSeries } from "../../metrics/series.js";
import type { ActionResult } from "../../reconcile/plan.js";
import type { ControllerContext } from "../context.js";
import type { Plan } from "./plan.js";
import type { Pool } from "./snapshot.js";

export interface Labelled {
  readonly namespace: string;
  readonly name: string;
  readonly provider: string;
  /** The full record name; empty without DNS. */
  readonly dns: string;
}

export function labelsOf({ records }: Pick<ControllerContext, "records">, { metadata, spec }: Pool): Labelled {
  const { namespace = "", name } = metadata;
  const { dnsRecordSet: set } = spec;
  const dns = set && normalName(dnsProviderOf(spec), { zone: set.zone, name: set.recordName }, records.zones.lookUp);
  return { namespace, name, provider: spec.provider, dns: dns?.fqdn ?? "" };
}

/** Keeps the series of the states of its addresses, and the counters beside them, at their latest values. */
export function showAddresses(metrics: FlipopMetrics, states: StateSeries, pool: Labelled, plan: Plan): void {
  const addresses = plan.addresses.map(({ ip, status: { state } }) => ({ labels: { ...pool, ip }, state }));
  const counters = [metrics.assignments, metrics.assignmentErrors];
  states.show({ state: metrics.state, counters, states: ADDRESS_STATES }, addresses);
}

/** The gauges of a pool, beside those of its conditions. */
export function samplesOf(metrics: FlipopMetrics, pool: Labelled, plan: Plan): readonly Sample[] {
  const { counts, waiting, addresses, missing } = plan;
  const assigned = Math.max(0, counts.candidates - waiting.length);
  return [
    { gauge: metrics.nodeStatus, labels: { ...pool, status: "available" }, value: waiting.length },
    { gauge: metrics.nodeStatus, labels: { ...pool, status: "assigned" }, value: assigned },
    { gauge: metrics.unfulfilled, labels: { ...pool }, value: missing },
    { gauge: metrics.inactive, labels: { ...pool }, value: Math.max(0, counts.desired - counts.active) },
    ...addresses.flatMap((address) => nodeSamples(metrics, pool, address)),
  ];
}

/** While an address moves, the node that it goes to: as the Go operator shows it. */
function nodeSamples(
  { node }: FlipopMetrics,
  pool: Labelled,
  { ip, status: { providerID, nodeName } }: Plan["addresses"][number],
): readonly Sample[] {
  if (providerID === undefined) return [];
  return [{ gauge: node, labels: { ...pool, ip, provider_id: providerID, node: nodeName ?? "" }, value: 1 }];
}

export function count(
  metrics: FlipopMetrics,
  { namespace, name, provider, dns }: Labelled,
  { action, outcome }: ActionResult<PlannedAction>,
): void {
  const arrival = action.do === "assign" || (action.do === "poll" && action.expected !== undefined);
  if (!arrival || !("ip" in action)) return;
  const labels = { namespace, name, provider, dns, ip: action.ip };
  if (outcome.is === "done") metrics.assignments.inc(labels);
  if (outcome.is === "refused") metrics.assignmentErrors.inc(labels);
}
