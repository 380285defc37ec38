/** What each step of an update has to do now, and which steps can't be done. */

import type { AssignmentPlan } from "../../../addresses/assignments.js";
import type { Creation } from "../../../addresses/creation/creation.js";
import type { Desired } from "../../../addresses/desired.js";
import type { Placement } from "../../../addresses/grace.js";
import type { MovableAddresses } from "../../../addresses/movable-addresses.js";
import { moveOf } from "../../../addresses/moves.js";
import type { WaitingNodes } from "../../../addresses/waiting-nodes.js";
import { ruleKey } from "../../../providers/firewall-changes.js";
import type { ProviderId } from "../../../providers/types.js";
import { ruleFacts } from "../../../routing/ports.js";
import { timestamp } from "../../../times.js";
import { type Action, type ActionSequence, sharedChain } from "../actions.js";
import { hasFinalizer, needsFinalizer } from "../deletion.js";
import { changeOf, type FirewallPlan, type FirewallSnapshot } from "../firewall/firewall.js";
import type { Snapshot } from "../snapshot.js";
import { electTaint, strayTaints } from "../taints/taints.js";
import type { Block, Draft, StepName } from "./steps.js";

/** What the steps are made of. */
export interface Decision {
  readonly desired: Desired;
  readonly placement: Placement | undefined;
  readonly assignmentPlan: AssignmentPlan;
  readonly creation: Creation;
  readonly election: WaitingNodes;
  readonly movable: MovableAddresses;
  /** The node that has the address, or will have it. */
  readonly target: Place | undefined;
  readonly holder: Place | undefined;
  readonly firewall: FirewallPlan | undefined;
  readonly explanation: string;
}

export interface Place {
  readonly name: string | undefined;
  readonly machine: ProviderId;
}

export function blocksOf(snapshot: Snapshot, { firewall: plan, placement }: Decision): ReadonlyMap<StepName, Block> {
  const { firewall } = snapshot;
  const blocks = new Map<StepName, Block>();
  if (placement?.certainty === "moving") blocks.set("assign", "pending");
  if (firewall === undefined || plan === undefined) return blocks;
  const found = findBlock(firewall);
  if (found !== undefined) blocks.set("find-firewall", found);
  if (plan.rulesProblem !== undefined) blocks.set("add-rules", plan.rulesProblem);
  const node = plan.nodeProblem ?? (plan.read === undefined ? undefined : "pending");
  if (node !== undefined) blocks.set("add-node", node);
  return blocks;
}

function findBlock({ failure, facts, due, previous }: FirewallSnapshot): Block | undefined {
  if (failure !== undefined) return failure;
  return facts === "unknown" || due === true || previous === true ? "pending" : undefined;
}

export function stepActions(snapshot: Snapshot, decision: Decision): Draft["actions"] {
  const { target, holder, firewall } = decision;
  const armed = hasFinalizer(snapshot.routed) || !needsFinalizer(snapshot, isAboutToAct(decision));
  return {
    arm: armed ? [] : [{ do: "add-finalizer", why: "there will be something to clean up" }],
    elect: electTaint(snapshot, target?.name),
    ...firewallSteps(snapshot, firewall),
    assign: assignment(snapshot, decision),
    untaint: strayTaints(snapshot, [target === undefined ? holder?.name : target.name]),
  };
}

function isAboutToAct({ target, firewall, desired }: Decision): boolean {
  const { rules = [], nodes = [] } = firewall?.recorded ?? {};
  return target !== undefined || desired.missing > 0 || rules.length + nodes.length > 0;
}

function firewallSteps({ firewall, routed, now }: Snapshot, plan: FirewallPlan | undefined): Draft["actions"] {
  if (firewall === undefined || plan === undefined || firewall.previous === true) return {};
  const { name, facts } = firewall;
  const nodes = plan.read ?? plan.reread;
  const found = {
    "find-firewall": nodes === undefined ? [] : [read(name, nodes)],
    record: isRecorded(routed.status, name, plan) ? [] : [recording(name, plan)],
  };
  if (facts === "missing" || facts === "unknown") return { ...found, "add-rules": creation(firewall, plan, now) };
  const { addRules, addNodes, removeRules, removeNodes } = plan;
  const change = (part: Parameters<typeof changeOf>[1], why: string): ActionSequence =>
    Object.values(part).flat().length === 0 ? [] : [{ do: "change-firewall", change: changeOf(facts, part), why }];
  return {
    ...found,
    "add-rules": change({ addRules }, "the ports of the Service have to be open"),
    "add-node": change({ addNodes }, "the node is, or will be, the holder of the address"),
    "remove-rules": change({ removeRules }, "no RoutedIP needs the ports any more"),
    "remove-nodes": change({ removeNodes }, "the address has left the node"),
  };
}

/** An assignment of its own, or a creation on the elected node. */
function assignment(snapshot: Snapshot, { assignmentPlan, creation, explanation }: Decision): ActionSequence {
  const [pair] = assignmentPlan.assignments;
  if (pair === undefined) return isCreating(creation) ? sharedChain(creation.sequence) : [];
  return [moveOf(snapshot, pair, explanation)];
}

/** Otherwise its sequence settles an earlier creation, which does not wait. */
export function isCreating({ sequence }: Decision["creation"]): boolean {
  return sequence.some((action) => action.do === "create-address");
}

/** With an empty id first: after a crash the firewall of that name is known to be ours. */
function creation({ name }: FirewallSnapshot, { create }: FirewallPlan, now: number): ActionSequence {
  if (create === undefined) return [];
  const why = `there is no firewall "${name}"`;
  const { addRules: rules, addNodes: nodes } = create;
  return [
    { do: "record-created-firewall", created: { id: "", name, createdTime: timestamp(now) }, why },
    { do: "create-firewall", desired: { name, rules, nodes }, why },
  ];
}

/**
 * What is ours, and what we rely on, is on record before anything is done. A record that only follows what was seen (a
 * rule that is there now, or gone) goes with the status.
 */
function isRecorded(
  { firewallRules = [], firewall }: Snapshot["routed"]["status"],
  name: string,
  { recorded }: FirewallPlan,
): boolean {
  if (recorded.rules.length + recorded.nodes.length === 0) return true;
  if (firewall?.name !== name || !recorded.nodes.every((node) => firewall.nodes.includes(node))) return false;
  const known = new Map(firewallRules.map((rule) => [ruleKey(ruleFacts(rule)), rule]));
  return recorded.rules.every((rule) => {
    const before = known.get(ruleKey(ruleFacts(rule)));
    return before?.preexisting === rule.preexisting && (rule.phase === "present" || before?.phase === rule.phase);
  });
}

function recording(name: string, { recorded }: FirewallPlan): Action {
  return { do: "record-firewall", name, recorded, why: "what is ours in the firewall is known before it is there" };
}

function read(name: string, nodes: readonly string[]): Action {
  return { do: "read-firewall", name, nodes, why: "it has not been read lately" };
}
