/** What people are told of the end of an action. Pure. */

import type { Outcome } from "../../addresses/calls/outcomes.js";
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
} from "../../reconcile/conditions/event-message.js";
import type { Action } from "./actions.js";
import type { Done } from "./execute.js";
import type { Snapshot } from "./snapshot.js";

/** What people call a machine. */
type NameOf = (machine: ProviderId) => string;

/** `undefined`: nothing worth an Event. */
export function eventMessageOf(
  { verdictOf }: Pick<Snapshot, "verdictOf">,
  { action, outcome }: Done,
): EventMessage | undefined {
  if (outcome.is === "skipped" || outcome.is === "superseded") return undefined;
  if (outcome.is === "refused" || outcome.is === "unknown") {
    return failed(FAILED[action.do], outcome.failure.problem);
  }
  if (action.do === "settle-creation") return settled(action);
  return succeeded(action, outcome, (machine) => verdictOf(machine)?.node.name ?? machine);
}

function settled({ result, why }: Extract<Action, { readonly do: "settle-creation" }>): EventMessage | undefined {
  return result.created === undefined ? undefined : settledText(result.created.ip, why);
}

type Well = Extract<Outcome, { readonly is: "done" | "started" }>;

function succeeded(action: Action, outcome: Well, nameOf: NameOf): EventMessage | undefined {
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
    case "remove-finalizer":
      return abandonedItems(action.abandonedItems, action.why);
    default:
      return otherTelling(action, nameOf);
  }
}

function otherTelling(action: Action, nameOf: NameOf): EventMessage | undefined {
  return action.do === "annotate-pool" ? forgotten(action.forgotten) : firewallEventMessage(action, nameOf);
}

function arrived({ ip, expected }: Extract<Action, { readonly do: "poll" }>, nameOf: NameOf): EventMessage | undefined {
  return expected === undefined ? undefined : normal("Assigned", "Assign", `${ip} is on ${nameOf(expected)}`);
}

function firewallEventMessage(action: Action, nameOf: NameOf): EventMessage | undefined {
  if (action.do === "change-firewall") return normal("FirewallChanged", "ChangeFirewall", changeText(action, nameOf));
  if (action.do !== "create-firewall") return undefined;
  const { name, rules, nodes } = action.desired;
  const what = [...rulesText(rules), ...nodes.map(nameOf)].join(", ");
  return normal("FirewallCreated", "ChangeFirewall", `firewall "${name}" was created, with ${what}`);
}

function rulesText(rules: readonly FirewallRuleFacts[]): readonly string[] {
  return rules.map(({ protocol, ports }) => `${protocol} ${ports}`);
}

function changeText({ change, why }: Extract<Action, { readonly do: "change-firewall" }>, nameOf: NameOf): string {
  const added = [...rulesText(change.addRules), ...change.addNodes.map(nameOf)];
  const removed = [...rulesText(change.removeRules), ...change.removeNodes.map(nameOf)];
  const parts = [
    ...(added.length === 0 ? [] : [`${added.join(", ")} added`]),
    ...(removed.length === 0 ? [] : [`${removed.join(", ")} removed`]),
  ];
  return `firewall "${change.name}": ${parts.join("; ")}: ${why}`;
}

const FAILED: Readonly<Record<Action["do"], readonly [reason: string, action: string]>> = {
  ...ADDRESS_FAILURES,
  "read-firewall": ["FirewallFailed", "ReadFirewall"],
  "record-firewall": ["StatusNotWritten", "WriteStatus"],
  "record-created-firewall": ["StatusNotWritten", "WriteStatus"],
  "create-firewall": ["FirewallFailed", "ChangeFirewall"],
  "change-firewall": ["FirewallFailed", "ChangeFirewall"],
  "set-taints": ["TaintNotWritten", "Taint"],
};
