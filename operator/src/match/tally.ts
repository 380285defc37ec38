/** Why no (other) node is a candidate, counted: what a condition says when candidates are few. */

import type { RefusalReason } from "cdk8s-flipop/api";
import type { Verdict } from "./checks.js";

export interface RefusalCount {
  readonly reason: RefusalReason;
  readonly nodes: number;
  /** The first of these nodes by name, and its observed state. */
  readonly example: { readonly node: string; readonly detail: string };
}

export type Lacking = "labels" | "pods" | "labels or pods";

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
}

/** @param verdicts of the nodes that are meant. */
export function tallyOf({ nodes, lacking }: Pick<Tally, "nodes" | "lacking">, verdicts: Iterable<Verdict>): Tally {
  const counts = new Map<RefusalReason, RefusalCount>();
  let [seen, candidates] = [0, 0];
  for (const verdict of verdicts) {
    const refusal = verdict.refusals[0];
    seen += 1;
    if (refusal === undefined) candidates += 1;
    else counts.set(refusal.reason, counted(counts.get(refusal.reason), verdict.node.name, refusal));
  }
  const refused = [...counts.values()].sort((a, b) => b.nodes - a.nodes || (a.reason < b.reason ? -1 : 1));
  return { nodes, candidates, unmeant: nodes - seen, lacking, refused };
}

/** `1 of 9 nodes match; 6 lack the labels or pods asked for; 2 NodeNotReady (node-3: Ready is Unknown)`. */
export function tallyText({ nodes, candidates, unmeant, lacking, refused }: Tally): string {
  if (nodes === 0) return "the cluster has no nodes";
  const reasons = refused.map(({ reason, nodes: n, example }) => `${n} ${reason} (${example.node}: ${example.detail})`);
  const without = unmeant === 0 ? [] : [`${unmeant} lack the ${lacking} asked for`];
  return [`${candidates} of ${nodes} nodes match`, ...without, ...reasons].join("; ");
}

function counted(
  known: RefusalCount | undefined,
  node: string,
  { reason, detail }: { readonly reason: RefusalReason; readonly detail: string },
): RefusalCount {
  const example = known === undefined || node < known.example.node ? { node, detail } : known.example;
  return { reason, nodes: (known?.nodes ?? 0) + 1, example };
}
