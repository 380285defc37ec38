/** How conditions sum up the refusals of nodes. */

import { parseLabelSelector, type RefusalReason, type SelectorRequirement } from "cdk8s-flipop/api";
import { countOf, listed, omitUndefined } from "../values.js";
import type { Refusal, Verdict } from "./checks.js";
import type { Presence } from "./node-workload.js";

/** A node with what one refusal says of it. */
export interface RefusedNode extends Partial<Pick<Refusal, "pod" | "ending" | "autoscaler">> {
  readonly node: string;
}

interface RefusalCount {
  readonly reason: RefusalReason;
  readonly nodes: number;
  /** The first of these nodes by name, and its observed state. */
  readonly example: RefusedNode & Pick<Refusal, "detail">;
  /** All of them, sorted. Empty: too many to name. */
  readonly names: readonly string[];
}

/** Nodes with one reason that a text names. */
const NAMED_NODES = 3;

/** Such a node is not meant by the resource. */
export const UNMEANT: ReadonlySet<RefusalReason> = new Set<RefusalReason>(["LabelsDiffer", "NoPod"]);

export interface ForbiddenLabel {
  readonly key: string;
  /** Values that a node must not have; empty: any. */
  readonly excluded: readonly string[];
  /** How many nodes that meet all other requirements have it so. */
  readonly nodes: number;
  /** What these have. Sorted. */
  readonly values: readonly string[];
}

/** As written in the resource. If both are named, a node lacks the label: one that lacks only the workload is counted by itself. */
export interface Lacking {
  /** `pool=edge` */
  readonly label?: string;
  /** Which of the nodes without the label have it with another value. Absent: none, or there are several labels. */
  readonly relabel?: "all" | "some";
  /** A label that nodes have, and that has to be absent or to have another value. Absent: there is none. */
  readonly forbidden?: ForbiddenLabel;
  /** With its article: `a pod with app=nginx`. */
  readonly workload?: string;
  /** Whether any pod of the workload exists, or, where a node serves it, which one waits for a node. Absent: none waits, or pods play no part. */
  readonly presence?: Presence;
}

/** A candidate that runs several pods of the workload, while a node with the labels lacks one. */
export interface Crowded {
  readonly node: string;
  readonly pods: number;
}

export interface Tally {
  /** All nodes of the cluster. */
  readonly nodes: number;
  readonly candidates: number;
  /** Those that are not meant: without the labels or without any pod asked for, well or not. */
  readonly unmeant: number;
  /** What these are without, as far as is known. */
  readonly lacking: Lacking;
  /** The others, each counted for its first refusal; most nodes first. */
  readonly refused: readonly RefusalCount[];
  readonly crowded?: Crowded;
}

/** @param verdicts of the nodes that are meant. */
export function tallyOf(
  { nodes, ...all }: Pick<Tally, "nodes" | "lacking" | "crowded">,
  verdicts: Iterable<Verdict>,
): Tally {
  const counts = new Map<RefusalReason, RefusalCount>();
  let [seen, candidates] = [0, 0];
  for (const verdict of verdicts) {
    const refusal = verdict.refusals[0];
    seen += 1;
    if (refusal === undefined) candidates += 1;
    else counts.set(refusal.reason, counted(counts.get(refusal.reason), verdict.node.name, refusal));
  }
  const refused = [...counts.values()].sort((a, b) => b.nodes - a.nodes || (a.reason < b.reason ? -1 : 1));
  return { nodes, candidates, unmeant: nodes - seen, ...all, refused };
}

/** `1 of 9 nodes match; 1 NoPod (node-2: it runs no pod); 6 lack label pool=edge; 1 NodeNotReady (node-3: Ready is Unknown)`. */
export function tallyText({ nodes, candidates, unmeant, lacking, refused, crowded }: Tally): string {
  if (nodes === 0) return "the cluster has no nodes";
  // Of holders, which are in sight although they are not meant.
  const isUnmeant = ({ reason }: RefusalCount) => reason === "LabelsDiffer" && lacking.label !== undefined;
  // A node with the label is nearer to a match than all those without it.
  const isNear = ({ reason }: RefusalCount) => reason === "NoPod" && lacking.label !== undefined;
  const seen = refused.filter(isUnmeant);
  const without = unmeant + seen.reduce((sum, count) => sum + count.nodes, 0);
  const found = presenceText(lacking.presence);
  // Only nodes without the workload are lacking where no label is asked for.
  const isBeside = without > 0 && lacking.label === undefined;
  const examples = seen.map(({ example }) => ` (${exampleText(example)})`).join("");
  const lack = `${lackText(without, lacking)}${examples}`;
  return [
    `${candidates} of ${nodes} nodes match`,
    ...refused.filter(isNear).map((count) => countText(count, crowded)),
    ...(without === 0 ? [] : [isBeside && found !== undefined ? `${lack} (${found})` : lack]),
    ...refused.filter((count) => !isUnmeant(count) && !isNear(count)).map((count) => countText(count)),
    ...(found === undefined || isBeside ? [] : [found]),
  ].join("; ");
}

/** `2 NodeNotReady (node-3: Ready is Unknown)`: of the nodes that are meant. Empty: all of them match. */
export function leftOutText({ refused }: Pick<Tally, "refused">): string {
  return refused
    .filter(({ reason }) => !UNMEANT.has(reason))
    .map((count) => countText(count))
    .join("; ");
}

function countText({ reason, nodes, example, names }: RefusalCount, crowded?: Crowded): string {
  const others = names.filter((name) => name !== example.node);
  const also = others.length === 0 ? "" : `; also ${listed(others)}`;
  const elsewhere = crowded === undefined ? "" : `; ${crowded.node} runs ${crowded.pods} of them`;
  return `${nodes} ${reason} (${exampleText(example)}${also}${elsewhere})`;
}

function exampleText({ node, detail }: RefusalCount["example"]): string {
  return `${node}: ${detail}`;
}

/** More than one label, or one that must be absent or one of several. */
const SELECTOR = /[,!()]/;

function lackText(count: number, { label, forbidden, workload = "" }: Lacking): string {
  const lacks = `${count} ${count === 1 ? "lacks" : "lack"}`;
  if (label === undefined) return `${lacks} ${workload}`;
  const isSingle = requirementsOf(label).length === 1;
  // All these nodes have the label then.
  if (forbidden !== undefined && isSingle) return forbiddenText({ ...forbidden, nodes: count });
  const why = forbidden === undefined ? "" : ` (${forbiddenText(forbidden)})`;
  return `${lacks} ${labelText(label)}${why}`;
}

function labelText(label: string): string {
  const [asked, ...more] = requirementsOf(label);
  const isChoice = asked?.operator === "In" && asked.values.length > 1 && more.length === 0;
  if (isChoice) return `label ${asked.key} with one of the values ${asked.values.join(", ")}`;
  return SELECTOR.test(label) ? `the labels that "${label}" asks for` : `label ${label}`;
}

/** Empty: it is not usable. */
export function requirementsOf(label: string): readonly SelectorRequirement[] {
  const parsed = parseLabelSelector(label);
  return parsed.ok ? parsed.requirements : [];
}

function forbiddenText({ key, excluded, nodes, values }: ForbiddenLabel): string {
  const have = `and ${countOf(nodes, "node")} ${nodes === 1 ? "has" : "have"}`;
  if (excluded.length > 0)
    return `nodeLabel excludes nodes with ${excluded.map((value) => `${key}=${value}`).join(" or ")}, ${have} that`;
  return `nodeLabel asks that label ${key} be absent, ${have} it (with ${valuesText(values)})`;
}

/** `values "false", "true"`. */
export function valuesText(values: readonly string[]): string {
  return `${values.length === 1 ? "value" : "values"} ${listed(values.map((value) => `"${value}"`))}`;
}

function presenceText(presence: Presence | undefined): string | undefined {
  if (presence === undefined || presence.pods === "unknown") return undefined;
  if (presence.pods === "none") return presence.detail;
  const { detail, node } = presence;
  return node === undefined ? `${detail}, and on no node yet` : `${detail}, on ${node}`;
}

function counted(known: RefusalCount | undefined, node: string, refusal: Refusal): RefusalCount {
  const { reason, detail, pod, ending, autoscaler } = refusal;
  const nodes = (known?.nodes ?? 0) + 1;
  const names = nodes > NAMED_NODES ? [] : [...(known?.names ?? []), node].sort();
  const isFirst = known === undefined || node < known.example.node;
  const example = isFirst ? { node, detail, ...omitUndefined({ pod, ending, autoscaler }) } : known.example;
  return { reason, nodes, example, names };
}
