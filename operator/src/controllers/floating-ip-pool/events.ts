/** What a pool reports: the Events of an action that ended and of conditions that turned bad, and its metrics. */

import { ADDRESS_STATES } from "cdk8s-flipop/api";
import { eventInCommon, eventsOfResults, type SaidCondition, says, unreported } from "../../addresses/action-events.js";
import type { PlannedAction } from "../../addresses/actions.js";
import { isDeleting } from "../../addresses/address-set.js";
import type { Outcome } from "../../addresses/call-outcomes.js";
import { dnsProviderOf } from "../../addresses/desired-addresses.js";
import { isRefusedMark } from "../../addresses/marks/refused-marks.js";
import { normalName } from "../../claims/claimed-names.js";
import { abandoned, conditionEvent, eventMessages, type FailureNames, failedEvent } from "../../messages/events.js";
import type { EventMessage } from "../../messages/message.js";
import { countArrival, type ResourceLabels } from "../../metrics/addresses.js";
import type { FlipopMetrics } from "../../metrics/definitions.js";
import type { Sample, StateSeries } from "../../metrics/registry.js";
import { ADDRESS_FAILURES, endsWithMove, isBad, type SeenCondition } from "../../reconcile/conditions.js";
import type { SequenceEvents } from "../../reconcile/kind.js";
import type { ActionResult, DeferredEvent, SequenceResult } from "../../reconcile/plan.js";
import type { ControllerContext } from "../context.js";
import type { Plan } from "./plan.js";
import type { Pool, Snapshot } from "./snapshot.js";
import { unlistedBeside } from "./unlisted-addresses.js";

export function eventsOf(
  snapshot: Snapshot,
  { results }: Pick<SequenceResult<PlannedAction>, "results">,
): SequenceEvents {
  return eventsOfResults(results, (result) => eventMessageOf(snapshot, result), shownIn);
}

/**
 * What went wrong, once: by the condition that it turned, else by the action that failed.
 * @param before conditions as the last status had them.
 * @param deferred failures of actions since.
 */
export function warningsOf(
  before: readonly SeenCondition[],
  conditions: readonly SaidCondition[],
  deferred: readonly DeferredEvent[],
): readonly EventMessage[] {
  const bad = conditions.filter(isBad);
  const known = bad.filter((condition) => isSame(before, condition));
  const turned = bad.filter((condition) => !known.includes(condition) && !endsWithMove(condition, conditions));
  const reported = turned.filter((condition, index) => {
    return ![...known, ...turned.slice(0, index)].some((other) => isRepeat(condition, other));
  });
  return [
    ...reported.map((condition) => conditionEvent(condition, condition.type)),
    ...unreported(deferred, conditions),
  ];
}

function isSame(before: readonly SeenCondition[], { type, status, reason }: SeenCondition): boolean {
  const old = before.find((condition) => condition.type === type);
  return old?.status === status && old.reason === reason;
}

/** One cause may turn several conditions. The record set has a provider of its own. */
function isRepeat(condition: SaidCondition, other: SaidCondition): boolean {
  if (condition.reason !== other.reason) return false;
  const ofRecords = [condition, other].filter(({ type }) => type === "DNSReady");
  return ofRecords.length !== 1 || says(condition, other.said);
}

function addressOf(action: PlannedAction): { readonly ip?: string } {
  return "ip" in action && action.ip !== undefined ? { ip: action.ip } : {};
}

/** The address whose status shows a failure of the action. */
function shownIn(action: PlannedAction): { readonly ip?: string } {
  return action.do === "assign" || action.do === "unassign" || action.do === "poll" ? { ip: action.ip } : {};
}

/** `undefined`: nothing worth an Event. */
function eventMessageOf(
  snapshot: Snapshot,
  { action, outcome }: ActionResult<PlannedAction>,
): EventMessage | undefined {
  if (outcome.is === "skipped" || outcome.is === "superseded") return undefined;
  if (outcome.is === "refused" || outcome.is === "unknown") {
    if (!isDeleting(snapshot.pool) && isRefusedMark(action, outcome.failure)) return undefined;
    return failedEvent(FAILED[action.do], outcome.failure.problem, addressOf(action).ip);
  }
  return succeeded(snapshot, action, outcome);
}

type Success = Extract<Outcome, { readonly is: "done" | "started" }>;

function succeeded(snapshot: Snapshot, action: PlannedAction, outcome: Success): EventMessage | undefined {
  switch (action.do) {
    case "assign":
      return assigned(snapshot, action, outcome);
    case "poll":
      return arrived(snapshot, action);
    case "create-address":
      return created(snapshot, action.why, outcome.ip);
    case "remove-finalizer":
      return abandoned(action.abandonedItems, action.why);
    default:
      return eventInCommon(action);
  }
}

function created(snapshot: Snapshot, why: string, ip: string | undefined): EventMessage {
  return eventMessages.created({ ip, why, unlisted: unlistedBeside(snapshot, ip).map((address) => address.ip) });
}

function assigned(
  { verdictOf, pool, hadMachine }: Snapshot,
  { from, why, ip }: Extract<PlannedAction, { readonly do: "assign" }>,
  outcome: Success,
): EventMessage {
  // One of the pool's own may have lost its node to the cloud, and reads may be late; anybody else's droplet is a take-over.
  const isOwn = (machine: string) => verdictOf(machine) !== undefined || hadMachine?.(machine) === true;
  const known = from === undefined || isOwn(from) || pool.status.ips?.[ip]?.providerID === from;
  if (!known) return eventMessages.takenOver({ ip, why });
  return outcome.is === "started" ? eventMessages.moving({ why }) : eventMessages.assigned({ why });
}

function arrived(
  { verdictOf }: Snapshot,
  { ip, expected }: Extract<PlannedAction, { readonly do: "poll" }>,
): EventMessage | undefined {
  if (expected === undefined) return undefined;
  return eventMessages.arrived({ ip, node: verdictOf(expected)?.node.name ?? expected });
}

const FAILED: Readonly<Record<PlannedAction["do"], FailureNames>> = {
  ...ADDRESS_FAILURES,
  "confirm-address": ["AssignFailed", "Assign"],
  "record-assignment": ["StatusNotWritten", "WriteStatus"],
  "append-to-spec": ["SpecNotWritten", "WriteSpec"],
  "mark-in-spec": ["StatusNotWritten", "WriteStatus"],
  "drop-from-spec": ["SpecNotWritten", "WriteSpec"],
  "annotate-node": ["AnnotationNotWritten", "Annotate"],
  "unannotate-node": ["AnnotationNotWritten", "Annotate"],
};

export function labelsOf({ records }: Pick<ControllerContext, "records">, { metadata, spec }: Pool): ResourceLabels {
  const { namespace = "", name } = metadata;
  const { dnsRecordSet: set } = spec;
  const dns = set && normalName(dnsProviderOf(spec), { zone: set.zone, name: set.recordName }, records.zones.lookUp);
  return { namespace, name, provider: spec.provider, dns: dns?.fqdn ?? "" };
}

/** Keeps the series of the states of its addresses, and the counters beside them, at their latest values. */
export function showAddresses(metrics: FlipopMetrics, states: StateSeries, pool: ResourceLabels, plan: Plan): void {
  const addresses = plan.addresses.map(({ ip, status: { state } }) => ({ labels: { ...pool, ip }, state }));
  const counters = [metrics.assignments, metrics.assignmentErrors];
  states.show({ state: metrics.state, counters, states: ADDRESS_STATES }, addresses);
}

/** The gauges of a pool, beside those of its conditions. */
export function samplesOf(metrics: FlipopMetrics, pool: ResourceLabels, plan: Plan): readonly Sample[] {
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
  pool: ResourceLabels,
  { ip, status: { providerID, nodeName } }: Plan["addresses"][number],
): readonly Sample[] {
  if (providerID === undefined) return [];
  return [{ gauge: node, labels: { ...pool, ip, provider_id: providerID, node: nodeName ?? "" }, value: 1 }];
}

export function countAssignment(
  { assignments, assignmentErrors: errors }: FlipopMetrics,
  pool: ResourceLabels,
  result: ActionResult<PlannedAction>,
): void {
  countArrival({ assignments, errors }, pool, result);
}
