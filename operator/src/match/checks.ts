/** The one ordered list of checks behind every choice of a node and every refusal in a condition. */

import { REFUSALS, type RefusalReason, type SelectorRequirement, selectorMatches, tolerates } from "cdk8s-flipop/api";
import type { CompiledMatch } from "./compile-match.js";
import type { NodeFacts } from "./node-facts.js";
import { CORDON_TAINT, type TaintFacts, taintText } from "./taints.js";
import type { Workload } from "./workload.js";

/** Why a node is no candidate. */
export interface Refusal {
  readonly reason: RefusalReason;
  /** The value seen, for people; completes "the node is refused: ...". */
  readonly detail: string;
  /** A holder refused for such reasons alone may keep its address for its grace period. */
  readonly recoverable: boolean;
  /** When it came about by the cluster's own times, ms since the epoch. Absent: the cluster does not say. */
  readonly since?: number;
}

export interface Verdict {
  readonly node: NodeFacts;
  /** None: a candidate. */
  readonly refusals: readonly Refusal[];
}

export interface CheckInput {
  readonly node: NodeFacts;
  readonly match: CompiledMatch;
  /** Absent: it plays no part. */
  readonly workload?: Workload;
}

/** One question to a node; `undefined`: nothing against it. */
export type Check = (input: CheckInput) => Refusal | undefined;

/** To refuse nodes for one more reason, add a check here and its reason to `REFUSALS`. */
const CHECKS: readonly Check[] = [
  labelsDiffer,
  deleting,
  noProviderId,
  foreignProviderId,
  duplicateProviderId,
  cordoned,
  tainted,
  notReady,
  unwell,
  noPod,
  podNotReady,
];

/** All that speaks against a node. */
export function refusalsOf(input: CheckInput): readonly Refusal[] {
  const refusals: Refusal[] = [];
  for (const check of CHECKS) {
    const refusal = check(input);
    if (refusal !== undefined) refusals.push(refusal);
  }
  return refusals.length === 0 ? NONE : refusals;
}

/** A refusal whose recoverability is that of its reason. */
export function refusal(reason: RefusalReason, detail: string, since?: number): Refusal {
  return { reason, detail, recoverable: REFUSALS[reason].recoverable, ...(since === undefined ? {} : { since }) };
}

/** Shared: most nodes of most resources have none. */
const NONE: readonly Refusal[] = Object.freeze([]);

function labelsDiffer({ node, match }: CheckInput): Refusal | undefined {
  if (selectorMatches(match.nodeLabels, node.labels)) return undefined;
  const failed = match.nodeLabels.find((requirement) => !selectorMatches([requirement], node.labels));
  return refusal("LabelsDiffer", failed === undefined ? "" : labelText(failed, node.labels));
}

function deleting({ node }: CheckInput): Refusal | undefined {
  if (node.deletingSince === undefined) return undefined;
  return refusal("NodeDeleting", `it is being deleted since ${node.deletingSince}`);
}

function noProviderId({ node }: CheckInput): Refusal | undefined {
  return node.machine === undefined ? refusal("NoProviderID", "it has no spec.providerID") : undefined;
}

function foreignProviderId({ node: { machine }, match: { providerScheme } }: CheckInput): Refusal | undefined {
  if (machine === undefined || providerScheme === undefined || machine.startsWith(`${providerScheme}://`)) {
    return undefined;
  }
  return refusal("ForeignProviderID", `its spec.providerID is "${machine}", not ${providerScheme}://...`);
}

/** Of nodes with one providerID one stands for the machine: see node-directory.ts. */
function duplicateProviderId({ node: { machine, standIn } }: CheckInput): Refusal | undefined {
  if (standIn === undefined) return undefined;
  return refusal("DuplicateProviderID", `node ${standIn} has the same spec.providerID "${machine}"`);
}

/** A tolerated cordon refuses only when the pod stops serving: that is a drain, and the pods will not come back. */
function cordoned({ node, match, workload }: CheckInput): Refusal | undefined {
  if (!node.cordoned) return undefined;
  if (!match.toleratesCordon)
    return refusal("Cordoned", `it is cordoned (${CORDON_TAINT.key}), which is not tolerated`);
  if (workload === undefined || workload.state === "serving") return undefined;
  return refusal("Cordoned", `it is cordoned, and ${workload.detail}`);
}

function tainted({ node, match }: CheckInput): Refusal | undefined {
  const against = untolerated(node.taints, match);
  return against.length === 0 ? undefined : refusal("Tainted", `it has ${taintsText(against)}, not tolerated`);
}

function notReady({ node }: CheckInput): Refusal | undefined {
  return node.notReady === undefined ? undefined : refusal("NodeNotReady", node.notReady, node.notReadySince);
}

function unwell({ node, match }: CheckInput): Refusal | undefined {
  const against = untolerated(node.conditionTaints, match);
  if (against.length === 0) return undefined;
  const times = against.flatMap(({ since }) => since ?? []);
  const since = times.length === 0 ? undefined : Math.min(...times);
  return refusal("NodeUnwell", `it has ${taintsText(against)}, not tolerated`, since);
}

function noPod({ workload }: CheckInput): Refusal | undefined {
  return workload?.state === "absent" ? refusal("NoPod", workload.detail) : undefined;
}

function podNotReady({ workload }: CheckInput): Refusal | undefined {
  if (workload?.state !== "unready") return undefined;
  const unready = refusal("PodNotReady", workload.detail, workload.since);
  return { ...unready, recoverable: unready.recoverable && workload.leaving !== true };
}

function untolerated<T extends TaintFacts>(taints: readonly T[], { tolerations }: CompiledMatch): readonly T[] {
  return taints.filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}

function taintsText(against: readonly TaintFacts[]): string {
  return `${against.length === 1 ? "taint" : "taints"} ${against.map(taintText).sort().join(", ")}`;
}

function labelText({ key, operator, values }: SelectorRequirement, labels: Readonly<Record<string, string>>): string {
  const seen = Object.hasOwn(labels, key) ? `its label ${key} is "${labels[key]}"` : `it has no label ${key}`;
  return `${seen}, nodeLabel asks for ${key} ${[operator, ...values].join(" ")}`;
}
