/** The steps of an update, in the order of the least loss of service, and which of them rely on which. */

import type { Problem } from "../../../reconcile/conditions/problem.js";
import type { ActionSequence } from "../actions.js";

/** In the order in which they run; with `firewallPostAllow` the assignment comes before the rules. */
const ORDER = [
  "arm",
  "elect",
  "find-firewall",
  "find-ports",
  "record",
  "add-rules",
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
  readonly actions: ActionSequence;
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
  "add-node": ["add-rules"],
  assign: ["add-node"],
  "remove-rules": ["record"],
  "remove-nodes": ["record", "assign"],
  untaint: ["assign"],
};

const RELIES_ON_POST_ALLOW: typeof RELIES_ON = {
  ...RELIES_ON,
  assign: ["arm", "find-ports"],
  "add-node": ["add-rules", "assign"],
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
  readonly actions: Readonly<Partial<Record<StepName, ActionSequence>>>;
  readonly blocks: ReadonlyMap<StepName, Block>;
  readonly postAllow: boolean;
}

/** The steps that may run and have something to do. A blocked step's own action is what unblocks it. */
export function stepsOf({ actions, blocks, postAllow }: Draft): readonly Step[] {
  const isFree = (name: StepName) => ![...blocks.keys()].some((blocked) => reliesOn(name, blocked, postAllow));
  const steps = orderOf(postAllow).map((name) => ({ name, actions: actions[name] ?? [] }));
  return steps.filter((step) => step.actions.length > 0 && isFree(step.name));
}
