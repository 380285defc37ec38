/** A plan read aloud: what log lines and Events say. */

import type { Refusal } from "../match/checks.js";
import type { Grace } from "../match/grace.js";
import { notableRefusals } from "../match/implied.js";
import { newerFirst } from "../match/kubelet-version.js";
import { clockTime, duration } from "../times.js";
import type { AddressSnapshot } from "./address-set.js";
import type { Assignment, AssignmentPlan } from "./assignments.js";
import type { Placement } from "./grace.js";
import type { WaitingNode } from "./waiting-nodes.js";

/** Which of the nodes that wait are in front of which: for the words that say why one was chosen. */
export interface Choice {
  readonly waiting: readonly WaitingNode[];
}

/** `203.0.113.7 moves from node-3 (NotReady for 12 s, grace 10 s over) to node-9 (youngest of 4 candidates)`. */
export function moveText(snapshot: AddressSnapshot, pair: Assignment, choice: Choice): string {
  const { placement, node } = pair;
  const to = `${node.name} (${choiceText(snapshot, node, choice)})`;
  if (placement.holder === undefined) return `${placement.address.ip} goes to ${to}`;
  return `${placement.address.ip} moves from ${holderText(snapshot, placement)} to ${to}`;
}

/** What the plan does and what it waits for; empty: nothing. */
export function planText(snapshot: AddressSnapshot, assignmentPlan: AssignmentPlan, choice: Choice): string {
  const moves = assignmentPlan.assignments.map((pair) => moveText(snapshot, pair, choice));
  const { cooling, coolUntil } = assignmentPlan;
  const others = moves.length > 0 ? `${cooling.length} other${cooling.length === 1 ? "" : "s"}` : `${cooling.length}`;
  const verb = cooling.length === 1 ? "waits" : "wait";
  const end = coolUntil === "unanswered" ? "after the answer" : `until ${clockTime(coolUntil ?? snapshot.now)}`;
  const wait = `${others} ${verb} for the cool-off ${end}`;
  const parts = [...moves, ...(cooling.length > 0 ? [wait] : [])];
  return parts.length === 0 ? "" : `${snapshot.set.metadata.name}: ${parts.join("; ")}.`;
}

/** `node-3 (NotReady for 12 s, grace 10 s over)`. */
export function holderText(snapshot: AddressSnapshot, { holder, verdict, grace }: Placement): string {
  const name = verdict?.node.name ?? `${holder}`;
  if (grace === undefined || grace.state === "matches") return name;
  const why =
    verdict === undefined ? "no node of this cluster" : notableRefusals(grace.refusals).map(shortReason).join(", ");
  const age = snapshot.now - grace.since;
  const since = age >= 1000 ? ` for ${duration(age)}` : "";
  return `${name} (${why}${since}${graceText(snapshot, grace)})`;
}

function graceText({ set }: AddressSnapshot, grace: Exclude<Grace, { readonly state: "matches" }>): string {
  if (grace.state === "protected") return `, grace until ${clockTime(grace.until)}`;
  const period = set.gracePeriodSeconds;
  return grace.why !== "unrecoverable" && period > 0 ? `, grace ${duration(period * 1000)} over` : "";
}

/** `NotReady` for NodeNotReady: the node has just been named. */
function shortReason({ reason }: Refusal): string {
  return reason.startsWith("Node") ? reason.slice("Node".length) : reason;
}

/** What sets the chosen node apart from the best that was not. */
function choiceText({ set }: AddressSnapshot, node: WaitingNode, { waiting }: Choice): string {
  if (waiting.length < 2) return "the only candidate";
  const of = `of ${waiting.length} candidates`;
  if (set.nodePreference === "Name") return `first by name ${of}`;
  const next = waiting[waiting.indexOf(node) + 1];
  if (next === undefined) return `last ${of}`;
  if (isLeaving(node) !== isLeaving(next)) return `here to stay, ${of}`;
  if (newerFirst(node.kubeletVersion, next.kubeletVersion) < 0) return `newest kubelet ${of}`;
  return node.createdAt > next.createdAt ? `youngest ${of}` : `first by name ${of}`;
}

function isLeaving({ cordoned, leaving }: WaitingNode): boolean {
  return cordoned || leaving;
}
