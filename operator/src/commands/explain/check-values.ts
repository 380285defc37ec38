/** Pure: what the operator's own checks see of a node, in a few words. */

import { tolerates } from "cdk8s-flipop/api";
import { type CheckedReason, type CheckInput, checksOf, type Refusal } from "../../match/checks.js";
import type { CompiledMatch } from "../../match/compile-match.js";
import { labelOf } from "../../match/node-directory.js";
import { isElectionTaint, keepsPodsAway, type NodeFacts, type TaintFacts, taintText } from "../../match/node-facts.js";
import type { WorkloadSource } from "../../match/node-workload.js";
import { omitUndefined } from "../../values.js";

/** What the checks read beside the node. */
export interface Asking {
  readonly match: CompiledMatch;
  readonly workload?: WorkloadSource;
  /** Nodes whose probes fail, with the last error, as the status has them. Absent: none. */
  readonly failedProbes?: ReadonlyMap<string, string>;
}

export function inputOf(node: NodeFacts, { match, workload, failedProbes }: Asking): CheckInput {
  const probeFailure = failedProbes?.get(node.name);
  return { node, match, ...omitUndefined({ workload: workload?.on(node.name), probeFailure }) };
}

export interface CheckValue {
  readonly reason: CheckedReason;
  /** What is asked, in a word or two. */
  readonly check: string;
  /** The value seen. */
  readonly seen: string;
  /** Absent: the node passes. */
  readonly refusal?: Refusal;
}

/** In the order of the checks. */
export function checkValues(input: CheckInput): readonly CheckValue[] {
  return checksOf(input).map(({ reason, refusal }) => {
    const [check, seen] = SEEN[reason];
    if (refusal === undefined) return { reason, check, seen: seen(input) };
    return { reason, check, seen: refusal.detail, refusal };
  });
}

const SEEN: Readonly<Record<CheckedReason, readonly [check: string, seen: (input: CheckInput) => string]>> = {
  LabelsDiffer: ["labels", labels],
  NodeDeleting: ["deletion", () => "not being deleted"],
  NoProviderID: ["providerID", ({ node }) => node.machine ?? ""],
  ForeignProviderID: ["cloud", ({ match }) => match.machines?.providerIdScheme ?? "any"],
  InvalidProviderID: ["machine ID", ({ node }) => node.machine ?? ""],
  DuplicateProviderID: ["machine", () => "no other node has it"],
  Cordoned: ["cordon", ({ node }) => (node.cordoned ? "cordoned, which match.tolerations tolerates" : "not cordoned")],
  Tainted: ["taints", taints],
  NodeNotReady: ["ready", () => "Ready is True"],
  NodeUnwell: ["health", health],
  NoPod: ["workload", (input) => workload(input, "on the node") ?? "not checked: match asks for no pod"],
  PodNotReady: ["workload ready", (input) => workload(input, "-") ?? "-"],
  NoOpenPort: ["open ports", () => "no hostPort is missing"],
  ProbeFailed: ["probes", () => "no failure is known"],
};

function labels({ node, match }: CheckInput): string {
  const asked = match.nodeLabels.map(({ key }) => `${key}=${labelOf(node.labels, key) ?? ""}`);
  return asked.length === 0 ? "no label is asked for" : asked.join(",");
}

function taints({ node, match }: CheckInput): string {
  const tolerated = node.taints.filter((taint) => match.tolerations.some((toleration) => tolerates(toleration, taint)));
  const own = (node.ownTaints ?? []).map(ownTaintText);
  const texts = [...(tolerated.length === 0 ? [] : [`${tolerated.map(taintText).join(", ")}, tolerated`]), ...own];
  return texts.length === 0 ? "no taints" : texts.join("; ");
}

function ownTaintText(taint: TaintFacts): string {
  const purpose = isElectionTaint(taint) ? "the elected node of a RoutedIP" : "untilAssigned";
  const asks = keepsPodsAway(taint) ? "pods must tolerate it" : "no pod has to tolerate it";
  return `${taint.key} of the operator, for ${purpose}: ${asks}`;
}

function health({ node }: CheckInput): string {
  if (node.conditionTaints.length === 0) return "no taint for a condition";
  return `${node.conditionTaints.map(taintText).join(", ")}, tolerated`;
}

function workload({ workload: seen }: CheckInput, otherwise: string): string | undefined {
  return seen && (seen.state === "serving" ? "serving" : otherwise);
}
