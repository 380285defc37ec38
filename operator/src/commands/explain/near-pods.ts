/** What is there instead of the pods that a selector asks for: ready pods that it misses by one label, workloads without pods. */

import { type SelectorRequirement, selectorMatches } from "cdk8s-flipop/api";
import type { PodsWanted } from "../../match/compile-match.js";
import { labelOf } from "../../match/node-directory.js";
import { serves } from "../../match/node-workload.js";
import { compareText, countOf, listed } from "../../values.js";
import { idleWorkloadNotes } from "./idle-workloads.js";
import { type PodFacts, type PodReader, readPods } from "./pods.js";

export interface NearPods {
  readonly requirements: readonly SelectorRequirement[];
  /** The field with the selector, for people: `spec.match.podLabel`. */
  readonly field: string;
  readonly pods: readonly PodFacts[];
  /** Lines about workloads that would make such pods. */
  readonly workloads: readonly string[];
}

/** Values and nodes that one line names. */
const NAMES = 3;

/** @param wanted the pods that the selector finds. `undefined`: one of them serves */
export async function readNearPods(
  reader: PodReader & { readonly matchedPods?: unknown },
  { namespace, requirements }: Pick<PodsWanted, "namespace" | "requirements">,
  wanted: readonly PodFacts[],
  field: string,
): Promise<NearPods | undefined> {
  // Without a namespace, this would read all pods of the cluster; for all resources of a node, the same namespaces again and again.
  if (namespace === undefined || reader.matchedPods !== undefined || wanted.some(serves)) return undefined;
  const workloads = wanted.length > 0 ? [] : await idleWorkloadNotes(reader, { namespace, requirements });
  // A release may have changed the label that one of several requirements asks for.
  const pods = requirements.length < 2 ? [] : [...(await readPods(reader, { namespace, selector: {} })).list()];
  return { requirements, field, pods: pods.filter(serves), workloads };
}

/** Of the requirement by which the selector misses most pods. @param nodes those that lack a pod */
export function nearNotes(
  { requirements, field, pods, workloads }: NearPods,
  nodes: ReadonlySet<string>,
): readonly string[] {
  const there = pods.filter(({ nodeName = "" }) => nodes.has(nodeName));
  const misses = requirements.map((failed) => {
    const others = requirements.filter((one) => one !== failed);
    const near = there.filter(({ labels }) => selectorMatches(others, labels) && !selectorMatches([failed], labels));
    return { failed, near };
  });
  const most = Math.max(...misses.map(({ near }) => near.length));
  const texts = misses.flatMap(({ failed, near }) =>
    near.length === 0 || near.length < most ? [] : [nearText(near, failed, field)],
  );
  return [...texts, ...workloads];
}

function nearText(near: readonly PodFacts[], { key }: SelectorRequirement, field: string): string {
  const names = [...new Set(near.flatMap(({ nodeName = "" }) => nodeName))].sort(compareText);
  const values = [...new Set(near.map(({ labels }) => labelOf(labels, key)))];
  const seen = listed(values.map((value) => (value === undefined ? "no such label" : value)).sort(compareText), NAMES);
  const one = near.length === 1;
  const lead = `${countOf(near.length, "ready pod")} on ${listed(names, NAMES)} ${one ? "has" : "have"} all labels of ${field} but ${key}`;
  return `${lead} (${one ? "it has" : "they have"} ${seen}): if ${one ? "it is" : "they are"} meant, take ${key} out of ${field}, or correct its value`;
}
