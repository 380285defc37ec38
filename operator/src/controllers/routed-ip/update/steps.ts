/**
 * The steps of an update, in the order of the least loss of service: which of them rely on which, what each has to do now, and
 * which cannot be done.
 */

import { type AssignmentPlan, moveAction, type WaitingNodes } from "../../../addresses/assignments.js";
import type { Creation } from "../../../addresses/creation/creation-plan.js";
import type { Desired } from "../../../addresses/desired-addresses.js";
import type { MovableAddresses } from "../../../addresses/moves/movable-addresses.js";
import { isOurs, type Placement } from "../../../addresses/placements.js";
import { timestamp } from "../../../clock.js";
import type { Problem } from "../../../messages/message.js";
import { changeOf, ruleKey } from "../../../providers/diff.js";
import type { FirewallFacts } from "../../../providers/firewall-types.js";
import type { ProviderId } from "../../../providers/types.js";
import { type PortsFound, ruleFacts } from "../../../routing/needed-ports.js";
import { type Action, type ActionChain, sharedChain } from "../actions.js";
import { hasFinalizer, needsFinalizer } from "../deletion.js";
import type { FirewallPlan, Restored } from "../firewall/plan.js";
import type { FirewallSnapshot } from "../firewall/snapshot.js";
import { electTaint, heldTaint, strayTaints } from "../node-election.js";
import type { Snapshot } from "../snapshot.js";

/** In the order in which they run; with `firewallPostAllow` the assignment comes before the rules. */
const ORDER = [
  "arm",
  "elect",
  "find-firewall",
  "find-ports",
  "record",
  "add-rules",
  "make-room",
  "add-node",
  "assign",
  "remove-rules",
  "remove-nodes",
  "untaint",
] as const;

export type StepName = (typeof ORDER)[number];

export interface Step {
  readonly name: StepName;
  /** One after the other; the step fails with the first that does not succeed. */
  readonly actions: ActionChain;
}

/** `pending`: it is under way, and nothing that relies on it may begin. */
export type Block = Problem | "pending";

/** A step that fails, or is blocked, stops those that rely on it, directly or not, and nothing else. */
const RELIES_ON: Readonly<Record<StepName, readonly StepName[]>> = {
  // The finalizer: it stands before the first thing that it is for.
  arm: [],
  // The choice is made; its action is the taint, which no step waits for.
  elect: ["arm"],
  "find-firewall": [],
  "find-ports": [],
  record: ["arm", "find-firewall", "find-ports"],
  "add-rules": ["record"],
  "make-room": ["add-rules"],
  "add-node": ["make-room"],
  assign: ["add-node"],
  "remove-rules": ["record"],
  "remove-nodes": ["record", "assign"],
  untaint: ["assign"],
};

const RELIES_ON_POST_ALLOW: typeof RELIES_ON = {
  ...RELIES_ON,
  assign: ["arm", "find-ports"],
  "make-room": ["add-rules", "assign"],
};

export function orderOf(postAllow: boolean): readonly StepName[] {
  if (!postAllow) return ORDER;
  const rest = ORDER.filter((name) => name !== "assign");
  const at = rest.indexOf("record");
  return [...rest.slice(0, at), "assign", ...rest.slice(at)];
}

/** Whether a step relies on another, directly or not. */
export function reliesOn(step: StepName, other: StepName, postAllow: boolean): boolean {
  const needs = (postAllow ? RELIES_ON_POST_ALLOW : RELIES_ON)[step];
  return needs.includes(other) || needs.some((need) => reliesOn(need, other, postAllow));
}

export interface Draft {
  readonly actions: Readonly<Partial<Record<StepName, ActionChain>>>;
  readonly blocks: ReadonlyMap<StepName, Block>;
  readonly postAllow: boolean;
}

/** The steps that may run and have something to do. A blocked step's own action is what unblocks it. */
export function stepsOf({ actions, blocks, postAllow }: Draft): readonly Step[] {
  const isFree = (name: StepName) => ![...blocks.keys()].some((blocked) => reliesOn(name, blocked, postAllow));
  const steps = orderOf(postAllow).map((name) => ({ name, actions: actions[name] ?? [] }));
  return steps.filter((step) => step.actions.length > 0 && isFree(step.name));
}

/** What the steps are made of. */
export interface Decision {
  readonly desired: Desired;
  readonly placement: Placement | undefined;
  /** The address that the one of the spec replaces. */
  readonly superseded: Placement | undefined;
  readonly assignmentPlan: AssignmentPlan;
  readonly creation: Creation;
  readonly election: WaitingNodes;
  readonly movable: MovableAddresses;
  /** The node that has the address, or will have it. */
  readonly target: Place | undefined;
  readonly holder: Place | undefined;
  readonly ports: PortsFound;
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

/** A move whose firewall can't be opened has not begun: the address is where it was. */
export function begun(snapshot: Snapshot, decision: Decision, steps: readonly Step[]): AssignmentPlan {
  const { assignmentPlan } = decision;
  const { assignments } = assignmentPlan;
  if (steps.some(({ name }) => name === "assign")) return assignmentPlan;
  const by = problemsOf(snapshot, decision)[0];
  return { ...assignmentPlan, assignments: [], ...(by && { blocked: { assignments, by } }) };
}

/** While the firewall is read, too. One whose firewall has no room, or fails, keeps no node from others. */
export function isAble(snapshot: Snapshot, decision: Decision, steps: readonly Step[]): boolean {
  return steps.some(({ name }) => name === "assign") || problemsOf(snapshot, decision).length === 0;
}

/** Pending blocks aside. */
function problemsOf(snapshot: Snapshot, decision: Decision): readonly Problem[] {
  return [...blocksOf(snapshot, decision).values()].filter((block) => block !== "pending");
}

export function stepActions(snapshot: Snapshot, decision: Decision): Draft["actions"] {
  const { target, holder, firewall } = decision;
  const armed = hasFinalizer(snapshot.routed) || !needsFinalizer(snapshot, isAboutToAct(decision));
  return {
    arm: armed
      ? []
      : [{ do: "add-finalizer", why: "when the RoutedIP is deleted, the operator undoes what it does for it" }],
    elect: tainting(snapshot, decision),
    ...firewallSteps(snapshot, firewall),
    assign: assignment(snapshot, decision),
    untaint: strayTaints(snapshot, [target === undefined ? holder?.name : target.name]),
  };
}

function tainting(snapshot: Snapshot, { target, holder, placement, superseded }: Decision): ActionChain {
  if (target !== undefined) {
    const serving = superseded?.holder && snapshot.verdictOf(superseded.holder)?.node.name;
    // A node that was elected before, and that the address never reached, loses the taint first.
    return [...strayTaints(snapshot, [target.name, holder?.name, serving]), ...electTaint(snapshot, target.name)];
  }
  return placement !== undefined && isOurs(placement) ? heldTaint(snapshot, holder?.name) : [];
}

function isAboutToAct({ target, firewall, desired }: Decision): boolean {
  const { rules = [], nodes = [] } = firewall?.recorded ?? {};
  return target !== undefined || desired.missing > 0 || rules.length + nodes.length > 0;
}

/** An assignment of its own, or a creation on the elected node. */
function assignment(snapshot: Snapshot, { assignmentPlan, creation, explanation }: Decision): ActionChain {
  const [pair] = assignmentPlan.assignments;
  if (pair === undefined) return isCreating(creation) ? sharedChain(creation.chain) : [];
  return [moveAction(snapshot, pair, explanation)];
}

/** Otherwise its chain settles an earlier creation, which does not wait. */
export function isCreating({ chain }: Decision["creation"]): boolean {
  return chain.some((action) => action.do === "create-address");
}

function firewallSteps({ firewall, routed, now }: Snapshot, plan: FirewallPlan | undefined): Draft["actions"] {
  if (firewall === undefined || plan === undefined) return {};
  const { name, facts } = firewall;
  const nodes = plan.read ?? plan.reread;
  const found = {
    "find-firewall": nodes === undefined ? [] : [read(name, nodes)],
    record: isRecorded(routed.status, name, plan) ? [] : [recording(name, plan)],
  };
  if (facts === "missing" || facts === "unknown") return { ...found, "add-rules": creation(firewall, plan, now) };
  return { ...found, ...changes(facts, plan) };
}

function changes(facts: FirewallFacts, plan: FirewallPlan): Draft["actions"] {
  const { addRules, freeRules, replacedRules, addNodes, makeRoom = [], removeRules, removeNodes, extend } = plan;
  const { name } = facts;
  const change = (part: Parameters<typeof changeOf>[1], why: string, restored: Restored = {}): ActionChain =>
    Object.values(part).flat().length === 0
      ? []
      : [{ do: "change-firewall", change: changeOf(facts, part), why, ...restored }];
  return {
    "add-rules": [
      ...mirroring(facts, plan),
      ...change({ removeRules: freeRules }, "the firewall is full, and other rules replace them"),
      ...change({ addRules }, "the ports of the Service have to be open", restoredOf(plan, "restoredRules")),
      ...change({ removeRules: replacedRules }, "rules with other sources have replaced them"),
    ],
    "make-room": change({ removeNodes: makeRoom }, "the firewall is full, and the node serves nothing any more"),
    "add-node":
      extend === undefined
        ? change({ addNodes }, "the node is, or will be, the holder of the address", restoredOf(plan, "restoredNodes"))
        : [
            {
              do: "extend-firewall",
              name,
              next: extend,
              nodes: addNodes,
              why: "the firewall is full, and all its nodes serve",
            },
          ],
    "remove-rules": change({ removeRules }, "no RoutedIP needs them any more"),
    "remove-nodes": change(
      { removeNodes: removeNodes.filter((node) => !makeRoom.includes(node)) },
      "no address is, or will be, on the node",
    ),
  };
}

/** The action of a step keeps its own part only: it stays the same when an earlier step has succeeded. */
function restoredOf(plan: FirewallPlan, part: keyof Restored): Restored {
  return plan[part]?.length ? { [part]: plan[part] } : {};
}

/** Each change of rules goes to the additional firewalls, too, and brings them in step. */
function mirroring(facts: FirewallFacts, { mirror, addRules, removeRules }: FirewallPlan): ActionChain {
  if (mirror !== true || addRules.length + removeRules.length > 0) return [];
  return [{ do: "change-firewall", change: changeOf(facts, {}), why: "an additional firewall has other rules" }];
}

/** With an empty id first: after a crash the firewall of that name is known to be ours. */
function creation({ name }: FirewallSnapshot, { create }: FirewallPlan, now: number): ActionChain {
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
export function isRecorded(
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
