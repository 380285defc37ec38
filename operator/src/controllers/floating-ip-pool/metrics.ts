/** The series of one pool, off its last plan; and the counters, off what ended. */

import { normalName } from "../../claims/dns-name.js";
import type { FlipopMetrics } from "../../metrics/flipop.js";
import type { Sample } from "../../metrics/series.js";
import { conditionSamples } from "../condition-metrics.js";
import type { ControllerContext } from "../context.js";
import type { Step } from "./chain-end.js";
import type { Plan } from "./plan.js";
import type { Pool, Snapshot } from "./snapshot.js";
import { POOL_KIND } from "./unit.js";
import { dnsProviderOf } from "./wish.js";

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

export function samplesOf(metrics: FlipopMetrics, pool: Labelled, { pool: { metadata } }: Snapshot, plan: Plan) {
  const { counts, waiting, addresses, conditions } = plan;
  const assigned = Math.max(0, counts.candidates - waiting.length);
  const ofPool: readonly Sample[] = [
    { gauge: metrics.nodeStatus, labels: { ...pool, status: "available" }, value: waiting.length },
    { gauge: metrics.nodeStatus, labels: { ...pool, status: "assigned" }, value: assigned },
    { gauge: metrics.unfulfilled, labels: { ...pool }, value: Math.max(0, counts.desired - counts.active) },
  ];
  const ofAddresses = addresses.flatMap((address) => addressSamples(metrics, pool, address));
  const ref = { kind: POOL_KIND, namespace: metadata.namespace ?? "", name: metadata.name };
  return [...ofPool, ...ofAddresses, ...conditionSamples(metrics, ref, conditions)];
}

function addressSamples(
  metrics: FlipopMetrics,
  pool: Labelled,
  { ip, status }: Plan["addresses"][number],
): readonly Sample[] {
  const { state, providerID, nodeName } = status;
  const shown: Sample = { gauge: metrics.state, labels: { ...pool, ip, state }, value: 1 };
  if (providerID === undefined || state === "in-progress") return [shown];
  const labels = { ...pool, ip, provider_id: providerID, node: nodeName ?? "" };
  return [shown, { gauge: metrics.node, labels, value: 1 }];
}

export function count(metrics: FlipopMetrics, { namespace, name, provider, dns }: Labelled, step: Step): void {
  const { action, outcome } = step;
  const arrival = action.do === "assign" || (action.do === "poll" && action.expected !== undefined);
  if (!arrival || !("ip" in action)) return;
  const labels = { namespace, name, provider, dns, ip: action.ip };
  if (outcome.is === "done") metrics.assignments.inc(labels);
  if (outcome.is === "refused") metrics.assignmentErrors.inc(labels);
}
