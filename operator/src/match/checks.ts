/** The one ordered list of checks behind every choice of a node and every refusal in a condition. */

import {
  REFUSALS,
  type RefusalReason,
  type SelectorOperator,
  type SelectorRequirement,
  selectorMatches,
  type Toleration,
  tolerates,
} from "cdk8s-flipop/api";
import { listed, omitUndefined } from "../values.js";
import type { CompiledMatch } from "./compile-match.js";
import {
  type AutoscalerPlan,
  autoscalerPlan,
  CORDON_TAINT,
  type NodeFacts,
  type TaintFacts,
  taintText,
} from "./node-facts.js";
import type { PodEnd, Workload } from "./node-workload.js";
import { isForeignMachine, isInvalidMachine } from "./provider-id-checks.js";

/** Why a node is no candidate. */
export interface Refusal {
  readonly reason: RefusalReason;
  /** The value seen, for people; completes "the node is refused: ...". */
  readonly detail: string;
  /** A holder refused for such reasons alone may keep its address for its grace period. */
  readonly recoverable: boolean;
  /** The pod that `detail` names, as `namespace/name`. */
  readonly pod?: string;
  /** That pod is being deleted. */
  readonly ending?: PodEnd;
  /** The cluster autoscaler set the taints that refuse the node. */
  readonly autoscaler?: AutoscalerPlan;
  /** When it came about by the cluster's own times, ms since the epoch. Absent: the cluster does not say. */
  readonly since?: number;
  /** Of a failed probe: a witness contradicts it, so the node may live. */
  readonly isContested?: true;
  /** Of a failed probe: nothing but probes says so, so the health check may be wrong. */
  readonly isByProbesAlone?: true;
  /** Of a failed probe: the node is well again, and has to stay so for a while, because it failed repeatedly. */
  readonly isDamped?: true;
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
  /** What the probes of the node found wrong. Absent: nothing, or they play no part. */
  readonly probeFailure?: string;
  /** Whether a witness contradicts that. @default false */
  readonly isContested?: boolean;
  /** Whether nothing but probes says so. @default false */
  readonly isByProbesAlone?: boolean;
  /** Whether the node is well again. @default false */
  readonly isDamped?: boolean;
}

/** What probes found wrong with nodes. */
export interface ProbeFailures {
  failureOf(node: NodeFacts): string | undefined;
  /** Whether a witness contradicts the failure. @default false */
  isContested?(node: NodeFacts): boolean;
  /** Whether nothing but probes says that the node fails. @default false */
  isByProbesAlone?(node: NodeFacts): boolean;
  /** Whether the node is well again, and only has to stay so for a while. @default false */
  isDamped?(node: NodeFacts): boolean;
}

/** One question to a node; `undefined`: nothing against it. */
type Check = (input: CheckInput) => Refusal | undefined;

/** To refuse nodes for one more reason, add a check here and its reason to `REFUSALS`. */
const CHECKS = {
  LabelsDiffer: labelsDiffer,
  NodeDeleting: deleting,
  NoProviderID: noProviderId,
  ForeignProviderID: foreignProviderId,
  InvalidProviderID: invalidProviderId,
  DuplicateProviderID: duplicateProviderId,
  Cordoned: cordoned,
  Tainted: tainted,
  NodeNotReady: notReady,
  NodeUnwell: unwell,
  NoPod: noPod,
  PodNotReady: podNotReady,
  NoOpenPort: noOpenPort,
  ProbeFailed: probeFailed,
} as const satisfies Readonly<Partial<Record<RefusalReason, Check>>>;

/** Reasons that a check of a node has; the others come from its history. */
export type CheckedReason = keyof typeof CHECKS;

const ALL_CHECKS: readonly Check[] = Object.values(CHECKS);

/** Each check by itself, passed or not, in their order: what `flipop explain` shows. */
export function checksOf(
  input: CheckInput,
): readonly { readonly reason: CheckedReason; readonly refusal: Refusal | undefined }[] {
  return (Object.keys(CHECKS) as CheckedReason[]).map((reason) => ({ reason, refusal: CHECKS[reason](input) }));
}

/** All that speaks against a node. */
export function refusalsOf(input: CheckInput): readonly Refusal[] {
  const refusals: Refusal[] = [];
  for (const check of ALL_CHECKS) {
    const refusal = check(input);
    if (refusal !== undefined) refusals.push(refusal);
  }
  return refusals.length === 0 ? NONE : refusals;
}

/** A node that runs and serves, and that a person has only cordoned: its addresses work until it goes. */
export function isOnlyCordoned({ refusals }: Pick<Verdict, "refusals">): boolean {
  return refusals.length > 0 && refusals.every(({ reason }) => reason === "Cordoned");
}

/** Only its probes speak against the node. */
export function isOnlyProbed({ refusals }: Pick<Verdict, "refusals">): boolean {
  return refusals.length > 0 && refusals.every(({ reason }) => reason === "ProbeFailed");
}

/** Nothing but probes speaks against the node, and no other witness confirms them. */
export function isByProbesAlone({ refusals }: Pick<Verdict, "refusals">): boolean {
  return refusals.length > 0 && refusals.every((refusal) => refusal.isByProbesAlone === true);
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
  return refusal("NodeDeleting", `its deletion began at ${node.deletingSince}`);
}

function noProviderId({ node }: CheckInput): Refusal | undefined {
  return node.machine === undefined ? refusal("NoProviderID", "it has no spec.providerID") : undefined;
}

function foreignProviderId({ node: { machine }, match: { machines } }: CheckInput): Refusal | undefined {
  if (machine === undefined || machines === undefined || !isForeignMachine(machine, machines)) return undefined;
  return refusal("ForeignProviderID", `its spec.providerID is "${machine}", not ${machines.providerIdScheme}://...`);
}

/** The provider could not even ask for such a machine: the node must not fail what others serve. */
function invalidProviderId({ node: { machine }, match: { machines } }: CheckInput): Refusal | undefined {
  if (machine === undefined || machines === undefined || !isInvalidMachine(machine, machines)) return undefined;
  const form = `${machines.providerIdScheme}://${machines.machineId?.text}`;
  return refusal("InvalidProviderID", `its spec.providerID "${machine}" is not of the form ${form}`);
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
  if (against.length === 0) return undefined;
  const autoscaler = autoscalerPlan(against);
  const whose = autoscaler === undefined ? "" : ` (the cluster autoscaler set it, and ${autoscaler} the node)`;
  const detail = `it has ${taintsText(against)}${whose}, not tolerated${nearText(against, match)}`;
  return { ...refusal("Tainted", detail), ...omitUndefined({ autoscaler }) };
}

/** The toleration that has the key of one of these taints, and does not tolerate it. */
export function nearToleration(taints: readonly TaintFacts[], match: CompiledMatch): Toleration | undefined {
  const against = untolerated(taints, match);
  return match.tolerations.find(({ key }) => key !== undefined && against.some((taint) => taint.key === key));
}

function nearText(taints: readonly TaintFacts[], match: CompiledMatch): string {
  const near = nearToleration(taints, match);
  if (near === undefined) return "";
  const value = near.operator === "Exists" ? "with any value" : `with value "${near.value}"`;
  return ` (match.tolerations has its key, but tolerates it only ${value}${near.effect === undefined ? "" : ` and effect ${near.effect}`})`;
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
  const { detail, pod, ending, since, leaving } = workload;
  const unready = refusal("PodNotReady", detail, since);
  return { ...unready, recoverable: unready.recoverable && leaving !== true, ...omitUndefined({ pod, ending }) };
}

function noOpenPort({ workload }: CheckInput): Refusal | undefined {
  if (workload?.state !== "closed") return undefined;
  return { ...refusal("NoOpenPort", workload.detail), pod: workload.pod };
}

function probeFailed({ probeFailure, ...facts }: CheckInput): Refusal | undefined {
  if (probeFailure === undefined) return undefined;
  const { isContested = false, isByProbesAlone: isAlone = false, isDamped = false } = facts;
  const failed = { ...refusal("ProbeFailed", probeFailure), ...(isAlone && { isByProbesAlone: isAlone }) };
  return { ...failed, ...(isContested && { isContested }), ...(isDamped && { isDamped }) };
}

function untolerated<T extends TaintFacts>(taints: readonly T[], { tolerations }: CompiledMatch): readonly T[] {
  return taints.filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}

function taintsText(against: readonly TaintFacts[]): string {
  return `${against.length === 1 ? "taint" : "taints"} ${listed(against.map(taintText).sort())}`;
}

function labelText(requirement: SelectorRequirement, labels: Readonly<Record<string, string>>): string {
  const { key } = requirement;
  const excess = requirement.operator === "DoesNotExist" ? " and has to be absent" : "";
  const seen = Object.hasOwn(labels, key) ? `its label ${key} is "${labels[key]}"${excess}` : `it has no label ${key}`;
  return `${seen}, nodeLabel asks for ${requirementText(requirement)}`;
}

/** As people write it in a label selector: `pool=edge`, `pool in (edge, work)`, `!old`. */
function requirementText({ key, operator, values }: SelectorRequirement): string {
  const set = values.length > 1 ? `(${values.join(", ")})` : undefined;
  const value = values.join();
  const texts: Readonly<Record<SelectorOperator, string>> = {
    In: set === undefined ? `${key}=${value}` : `${key} in ${set}`,
    NotIn: set === undefined ? `${key}!=${value}` : `${key} notin ${set}`,
    Exists: key,
    DoesNotExist: `!${key}`,
    GreaterThan: `${key}>${value}`,
    LessThan: `${key}<${value}`,
  };
  return texts[operator];
}

/** What follows from a reason, so that a message need not name it, too. */
const IMPLIED: Readonly<Partial<Record<RefusalReason, readonly RefusalReason[]>>> = {
  NodeDeleting: ["Cordoned", "NodeNotReady", "NodeUnwell", "PodNotReady"],
  // Kubernetes taints such a node, and marks its pods.
  NodeNotReady: ["NodeUnwell", "PodNotReady"],
};

/** For people: permanent reasons first, and none that another one implies. */
export function notableRefusals(refusals: readonly Refusal[]): readonly Refusal[] {
  const implied = new Set(refusals.flatMap(({ reason }) => IMPLIED[reason] ?? []));
  const rank = ({ reason }: Refusal) => Number(REFUSALS[reason].recoverable);
  return refusals.filter(({ reason }) => !implied.has(reason)).sort((a, b) => rank(a) - rank(b));
}
