/** The Events of the end of an action. Pure. */

import type { Reason } from "cdk8s-flipop/api";
import type { Outcome } from "../../addresses/calls/outcomes.js";
import type { Condition } from "../../kube/write/patch.js";
import type { FirewallRuleFacts, ProviderId } from "../../providers/types.js";
import {
  ADDRESS_FAILURES,
  abandonedItems,
  type EventMessage,
  failed,
  forgotten,
  normal,
  recordsText,
  settledText,
  warning,
} from "../../reconcile/conditions/event-message.js";
import { type PlannedCondition, turnedBad } from "../../reconcile/conditions/planned-condition.js";
import type { SequenceResult } from "../../reconcile/plan.js";
import type { Of } from "./actions.js";
import type { OfKind, RoutedKind, RoutedResult } from "./routed-state.js";
import type { Snapshot } from "./snapshot.js";

/** What people call a machine. */
type NameOf = (machine: ProviderId) => string;

export function eventsOf(
  snapshot: Pick<Snapshot, "verdictOf">,
  { results }: SequenceResult<RoutedKind["action"]>,
): readonly EventMessage[] {
  return results.flatMap((result) => eventMessageOf(snapshot, result) ?? []);
}

/** Conditions that turned bad. The Event about the end of a Job reports a failed Job already. */
export function warningsOf(
  before: readonly Condition[],
  conditions: readonly PlannedCondition[],
  deferred: readonly EventMessage[],
): readonly EventMessage[] {
  const turned = turnedBad(before, conditions).filter(({ type, reason }) => !ofJob(type, reason));
  return [...turned.map(({ type, reason, message }) => warning(reason, type, message)), ...deferred];
}

function ofJob(type: PlannedCondition["type"], reason: Reason): boolean {
  return type !== "FirewallReady" && (reason === "JobFailed" || reason === "AddressUnknown");
}

/** `undefined`: nothing worth an Event. */
export function eventMessageOf(
  { verdictOf }: Pick<Snapshot, "verdictOf">,
  { action, outcome }: RoutedResult,
): EventMessage | undefined {
  if (outcome.is === "skipped" || outcome.is === "superseded") return undefined;
  if (outcome.is === "refused" || outcome.is === "unknown") {
    return failed(FAILED[action.do], outcome.failure.problem);
  }
  if (action.do === "remove-job") return jobEnded(action);
  if (action.do === "settle-creation") return settled(action);
  return succeeded(action, outcome, (machine) => verdictOf(machine)?.node.name ?? machine);
}

function settled({ result, why }: Of<"settle-creation">): EventMessage | undefined {
  return result.created === undefined ? undefined : settledText(result.created.ip, why);
}

function jobEnded({ failure }: OfKind<"remove-job">): EventMessage {
  if (failure === undefined) return normal("Assigned", "Assign", "a Job of the class has moved the address");
  return warning(failure.problem.reason, "Assign", failure.problem.message);
}

type Well = Extract<Outcome, { readonly is: "done" | "started" }>;

function succeeded(action: RoutedKind["action"], outcome: Well, nameOf: NameOf): EventMessage | undefined {
  switch (action.do) {
    case "assign":
      return normal(outcome.is === "started" ? "Moving" : "Assigned", "Assign", action.why);
    case "poll":
      return arrived(action, nameOf);
    case "create-address":
      return normal("Created", "Create", `${outcome.ip ?? "an address"} was created: spec.routedIP names none`);
    case "release":
      return normal("Released", "Release", `${action.ip} was released: ${action.why}`);
    case "forget-created":
      return normal("Forgotten", "Forget", action.why);
    case "apply-records":
      return normal("RecordsChanged", "ChangeRecords", recordsText(action.changes));
    default:
      return otherTelling(action, nameOf);
  }
}

function otherTelling(action: RoutedKind["action"], nameOf: NameOf): EventMessage | undefined {
  switch (action.do) {
    case "annotate-pool":
      return forgotten(action.forgotten);
    case "remove-finalizer":
      return abandonedItems([...("kept" in action ? action.kept : []), ...action.abandonedItems], action.why);
    default:
      return firewallEventMessage(action, nameOf);
  }
}

function arrived({ ip, expected }: Of<"poll">, nameOf: NameOf): EventMessage | undefined {
  return expected === undefined ? undefined : normal("Assigned", "Assign", `${ip} is on ${nameOf(expected)}`);
}

function firewallEventMessage(action: RoutedKind["action"], nameOf: NameOf): EventMessage | undefined {
  if (action.do === "change-firewall") return normal("FirewallChanged", "ChangeFirewall", changeText(action, nameOf));
  if (action.do !== "create-firewall") return undefined;
  const { name, rules, nodes } = action.desired;
  const what = [...rulesText(rules), ...nodes.map(nameOf)].join(", ");
  return normal("FirewallCreated", "ChangeFirewall", `firewall "${name}" was created, with ${what}`);
}

function rulesText(rules: readonly FirewallRuleFacts[]): readonly string[] {
  return rules.map(({ protocol, ports }) => `${protocol} ${ports}`);
}

function changeText({ change, why }: Of<"change-firewall">, nameOf: NameOf): string {
  const added = [...rulesText(change.addRules), ...change.addNodes.map(nameOf)];
  const removed = [...rulesText(change.removeRules), ...change.removeNodes.map(nameOf)];
  const parts = [
    ...(added.length === 0 ? [] : [`${added.join(", ")} added`]),
    ...(removed.length === 0 ? [] : [`${removed.join(", ")} removed`]),
  ];
  return `firewall "${change.name}": ${parts.join("; ")}: ${why}`;
}

const FAILED: Readonly<Record<RoutedKind["action"]["do"], readonly [reason: string, action: string]>> = {
  ...ADDRESS_FAILURES,
  "read-firewall": ["FirewallFailed", "ReadFirewall"],
  "record-firewall": ["StatusNotWritten", "WriteStatus"],
  "record-created-firewall": ["StatusNotWritten", "WriteStatus"],
  "create-firewall": ["FirewallFailed", "ChangeFirewall"],
  "change-firewall": ["FirewallFailed", "ChangeFirewall"],
  "set-taints": ["TaintNotWritten", "Taint"],
  annotate: ["AnnotationNotWritten", "Annotate"],
  record: ["StatusNotWritten", "WriteStatus"],
  "create-job": ["JobRefused", "Assign"],
  "remove-job": ["JobRefused", "Assign"],
};
