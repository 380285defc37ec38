/** What a RoutedIP reports: the Events of an action that ended, and its metrics. */

import { ADDRESS_STATES, type Reason, type RoutedIPStatus } from "cdk8s-flipop/api";
import { eventInCommon, eventsOfResults, unreported } from "../../addresses/action-events.js";
import type { Outcome } from "../../addresses/call-outcomes.js";
import { normalName } from "../../claims/claimed-names.js";
import { WHYS } from "../../messages/action-reasons.js";
import { abandoned, conditionEvent, eventMessages, type FailureNames, failedEvent } from "../../messages/events.js";
import type { EventMessage } from "../../messages/message.js";
import { countArrival, type ResourceLabels } from "../../metrics/addresses.js";
import type { FlipopMetrics } from "../../metrics/definitions.js";
import type { Sample } from "../../metrics/registry.js";
import type { FirewallRuleFacts } from "../../providers/firewall-types.js";
import type { ProviderId } from "../../providers/types.js";
import { ADDRESS_FAILURES, type PlannedCondition, type SeenCondition, turnedBad } from "../../reconcile/conditions.js";
import type { SequenceEvents } from "../../reconcile/kind.js";
import type { DeferredEvent, SequenceResult } from "../../reconcile/plan.js";
import { listed } from "../../values.js";
import type { ControllerContext } from "../context.js";
import type { Of } from "./actions.js";
import type { OfKind, RoutedKind, RoutedMemory, RoutedResult } from "./memory.js";
import type { Gathered, Snapshot } from "./snapshot.js";
import type { RoutedPlan, StatusChange } from "./update/sequences.js";

/** What Events are made of, beside the action. */
type EventFacts = Pick<Snapshot, "verdictOf" | "usable">;

/** What people call a machine. */
type NameOf = (machine: ProviderId) => string;

export function eventsOf(snapshot: EventFacts, { results }: SequenceResult<RoutedKind["action"]>): SequenceEvents {
  return eventsOfResults(results, (result) => eventMessageOf(snapshot, result));
}

/** Conditions that turned bad. The Event about the end of a Job reports a failed Job already. */
export function warningsOf(
  before: readonly SeenCondition[],
  conditions: readonly PlannedCondition[],
  deferred: readonly DeferredEvent[],
): readonly EventMessage[] {
  const turned = turnedBad(before, conditions).filter(({ type, reason }) => !ofJob(type, reason));
  return [...turned.map((condition) => conditionEvent(condition, condition.type)), ...unreported(deferred, conditions)];
}

/** Not the first ports. The status keeps the former ones while the Service is missing, and over a restart. */
export function portsChanged(
  before: Pick<RoutedIPStatus, "ports">,
  written: Pick<RoutedIPStatus, "ports">,
): readonly EventMessage[] {
  const [formerly, now] = [portTexts(before), portTexts(written)];
  if (formerly.length === 0 || now.length === 0 || `${formerly}` === `${now}`) return [];
  return [eventMessages.portsChanged({ now, formerly })];
}

function portTexts({ ports = [] }: Pick<RoutedIPStatus, "ports">): readonly string[] {
  return ports.map(({ port, protocol }) => `${port}/${protocol}`).sort();
}

function ofJob(type: PlannedCondition["type"], reason: Reason): boolean {
  return type !== "FirewallReady" && (reason === "JobFailed" || reason === "AddressUnknown");
}

/** `undefined`: nothing worth an Event. */
export function eventMessageOf(snapshot: EventFacts, { action, outcome }: RoutedResult): EventMessage | undefined {
  if (outcome.is === "skipped" || outcome.is === "superseded") return undefined;
  if (outcome.is === "refused" || outcome.is === "unknown") {
    return failedEvent(FAILED[action.do], outcome.failure.problem);
  }
  if (action.do === "remove-job") return jobEnded(action);
  if (action.do === "create-address") return created(snapshot, outcome.ip);
  return succeeded(action, outcome, (machine) => snapshot.verdictOf(machine)?.node.name ?? machine);
}

function jobEnded({ failure }: OfKind<"remove-job">): EventMessage {
  return failure === undefined ? eventMessages.movedByJob() : conditionEvent(failure.problem, "Assign");
}

function created({ usable }: EventFacts, ip: string | undefined): EventMessage {
  return eventMessages.created({ ip, why: WHYS.noAddressNamed, retained: usable?.() });
}

type Well = Extract<Outcome, { readonly is: "done" | "started" }>;

function succeeded(action: RoutedKind["action"], outcome: Well, nameOf: NameOf): EventMessage | undefined {
  switch (action.do) {
    case "assign":
      return outcome.is === "started" ? eventMessages.moving(action) : eventMessages.assigned(action);
    case "poll":
      return arrived(action, nameOf);
    case "remove-finalizer":
      return abandoned([...("kept" in action ? action.kept : []), ...action.abandonedItems], action.why);
    default:
      return eventInCommon(action) ?? firewallEventMessage(action, nameOf);
  }
}

function arrived({ ip, expected }: Of<"poll">, nameOf: NameOf): EventMessage | undefined {
  return expected === undefined ? undefined : eventMessages.arrived({ ip, node: nameOf(expected) });
}

function firewallEventMessage(action: RoutedKind["action"], nameOf: NameOf): EventMessage | undefined {
  if (action.do === "change-firewall") return firewallChanged(action, nameOf);
  if (action.do === "extend-firewall")
    return eventMessages.firewallCreated({ name: action.next, added: action.nodes.map(nameOf) });
  if (action.do !== "create-firewall") return undefined;
  const { name, rules, nodes } = action.desired;
  return eventMessages.firewallCreated({ name, added: [...rulesText(rules), ...nodes.map(nameOf)] });
}

function rulesText(rules: readonly FirewallRuleFacts[]): readonly string[] {
  return rules.map((rule) => `${ruleText(rule)}${sourcesText(rule.sources)}`);
}

function ruleText({ protocol, ports }: FirewallRuleFacts): string {
  return `${protocol} ${ports}`;
}

/** Empty: everybody may come. */
function sourcesText(sources: readonly string[]): string {
  return sources.some((range) => range.endsWith("/0")) ? "" : ` from ${listed(sources)}`;
}

function firewallChanged(
  { change, why, restoredRules = [], restoredNodes = [] }: Of<"change-firewall">,
  nameOf: NameOf,
): EventMessage {
  const { name, addRules, addNodes, removeRules, removeNodes } = change;
  const added = [...rulesText(addRules), ...addNodes.map(nameOf)];
  if (restoredRules.length > 0)
    return eventMessages.rulesRestored({ name, added, restored: restoredRules.map(ruleText) });
  if (restoredNodes.length > 0)
    return eventMessages.nodesRestored({ name, added, restored: restoredNodes.map(nameOf) });
  const removed = [...rulesText(removeRules), ...removeNodes.map(nameOf)];
  return eventMessages.firewallChanged({ name, added, removed, why });
}

const FAILED: Readonly<Record<RoutedKind["action"]["do"], FailureNames>> = {
  ...ADDRESS_FAILURES,
  "read-firewall": ["FirewallFailed", "ReadFirewall"],
  "record-firewall": ["StatusNotWritten", "WriteStatus"],
  "record-retained": ["StatusNotWritten", "WriteStatus"],
  "record-created-firewall": ["StatusNotWritten", "WriteStatus"],
  "create-firewall": ["FirewallFailed", "ChangeFirewall"],
  "extend-firewall": ["FirewallFailed", "ChangeFirewall"],
  "change-firewall": ["FirewallFailed", "ChangeFirewall"],
  "set-taints": ["TaintNotWritten", "Taint"],
  annotate: ["AnnotationNotWritten", "Annotate"],
  record: ["StatusNotWritten", "WriteStatus"],
  "create-job": ["JobRefused", "Assign"],
  "remove-job": ["JobRefused", "Assign"],
};

export function labelsOf(
  { records }: Pick<ControllerContext, "records">,
  { routed, resolvedClass }: Snapshot,
): ResourceLabels {
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
  { stateSeries: states }: Pick<RoutedMemory, "stateSeries">,
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
  labels: ResourceLabels & { readonly ip: string },
  { providerID, assignedNode: node = "" }: StatusChange,
): readonly Sample[] {
  if (providerID === undefined) return [];
  return [{ gauge: routedNode, labels: { ...labels, provider_id: providerID, node }, value: 1 }];
}

export function count(metrics: FlipopMetrics, labels: ResourceLabels, result: RoutedResult): void {
  countArrival({ assignments: metrics.routedAssignments, errors: metrics.routedAssignmentErrors }, labels, result);
}
