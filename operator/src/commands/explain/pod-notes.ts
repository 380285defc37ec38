/** Pure: where the pods of a resource run, and which of them wait for a node, for `flipop explain`. */

import { selectorMatches } from "cdk8s-flipop/api";
import { keyOf } from "../../kube/objects.js";
import { labelOf, type NodeDirectory } from "../../match/node-directory.js";
import { isElectionTaint, type NodeFacts, type TaintFacts } from "../../match/node-facts.js";
import { portlessOf, serves, type Workload, type WorkloadSource, waitsForNode } from "../../match/node-workload.js";
import { openPortText } from "../../messages/services.js";
import { compareText, countOf, listed } from "../../values.js";
import type { NodeExplanation, Question } from "./node-explanation.js";
import type { PodFacts } from "./pods.js";

/** Nodes and pods that one line names. */
const NAMES = 3;

const SPREAD = "spread them (topologySpreadConstraints, anti-affinity or a hostPort)";

/** @param explained the nodes of `nodes` */
export function podNotes(
  explained: readonly NodeExplanation[],
  question: Asked,
  nodes: NodeDirectory,
): readonly string[] {
  const places = [...placeNotes(explained, question, nodes), ...portNotes(explained, question)];
  return [...places, ...waitNotes(question.pods ?? [], nodes)];
}

type Asked = Pick<Question, "match" | "pods" | "workload">;

/** The address does not lead to these pods by itself, which no condition says if all pods are alike. */
function portNotes(explained: readonly NodeExplanation[], { workload }: Asked): readonly string[] {
  const serving = explained.filter(({ result }) => result === "holds" || result === "published");
  const names = serving.map(({ node }) => node);
  return portlessOf(names, workload).map(
    ({ nodes, local }) =>
      `the ready pods on ${listed(nodes, NAMES)} ${openPortText(local)}: clients reach them there only by a NodePort or externalIPs of a Service`,
  );
}

/** Where the pods run, while nodes lack only a pod. */
function placeNotes(
  explained: readonly NodeExplanation[],
  { match, pods = [] }: Asked,
  nodes: NodeDirectory,
): readonly string[] {
  // Without labels, the pods alone say which nodes are meant.
  if (match.nodeLabels.length === 0) return [];
  const lacking = explained.filter(lacksOnlyPod).flatMap(({ node }) => nodes.get(node) ?? []);
  if (lacking.length === 0) return [];
  const matching = new Set(explained.filter(({ result }) => result !== "no").map(({ node }) => node));
  const serving = pods.filter((pod) => serves(pod) && matching.has(pod.nodeName ?? ""));
  return placeTexts(byName(serving), byName(lacking));
}

/** The pods without a node, by what the scheduler says of them. */
function waitNotes(pods: readonly PodFacts[], nodes: NodeDirectory): readonly string[] {
  const own = new Map([...nodes.list()].flatMap(({ ownTaints = [] }) => ownTaints.map((taint) => [taint.key, taint])));
  const groups = grouped(byName(pods.filter(waitsForNode)), ({ waits = "" }) => waits);
  return groups.slice(0, NAMES).map(([waits, waiting]) => {
    const why = waits || (waiting.length === 1 ? UNSEEN : UNSEEN_ONES);
    const names = waiting.map((pod) => `${keyOf(pod)}${pod.onlyNode === undefined ? "" : ` for ${pod.onlyNode}`}`);
    return `${countOf(waiting.length, "pod")} ${waiting.length === 1 ? "is" : "are"} Pending (${listed(names)}): ${why}${ownTaintText(why, [...own.values()])}`;
  });
}

/** The scheduler names the taints, but not who sets them. Empty: none of them is the operator's. */
function ownTaintText(why: string, own: readonly TaintFacts[]): string {
  const named = own.filter(({ key }) => why.includes(`{${key}:`));
  if (named.length === 0) return "";
  const taints = named.map(
    (taint) => `${taint.key} (${isElectionTaint(taint) ? "electedNodeTaint" : "untilAssigned"})`,
  );
  return `; the operator itself sets taint ${listed(taints)}: give the pod a toleration for it (with operator: Exists)`;
}

const UNSEEN = "the scheduler has not handled it yet";
const UNSEEN_ONES = "the scheduler has not handled them yet";

/** Says why a pod is not ready, and names the pod of a DaemonSet that is for a node, and that waits. */
export function withReasons(source: WorkloadSource, pods: readonly PodFacts[]): WorkloadSource {
  const waiting = new Map(pods.filter(waitsForNode).flatMap((pod) => (pod.onlyNode ? [[pod.onlyNode, pod]] : [])));
  const unready = new Map(pods.flatMap((pod) => (isUnready(pod) ? [[keyOf(pod), pod.unready]] : [])));
  const on = (node: string): Workload => {
    const [seen, pod] = [source.on(node), waiting.get(node)];
    if (seen.state === "unready") {
      const why = unready.get(seen.pod ?? "");
      return why === undefined ? seen : { ...seen, detail: `${seen.detail}: ${why}` };
    }
    if (seen.state !== "absent" || pod === undefined) return seen;
    return { ...seen, detail: `${seen.detail} (pod ${keyOf(pod)} is for it, and Pending: ${pod.waits ?? UNSEEN})` };
  };
  return {
    text: source.text,
    on,
    nodes: () => source.nodes(),
    presence: () => source.presence(),
    waiting: () => source.waiting?.(),
    servingOn: (node) => source.servingOn?.(node) ?? [],
    podlessOn: (node) => source.podlessOn?.(node),
    ownersOn: (node) => source.ownersOn?.(node) ?? [],
    portsOn: (node) => source.portsOn?.(node),
  };
}

/** It should be ready: what has ended or ends has another cause. */
function isUnready({ phase, ready, deletionTimestamp }: PodFacts): boolean {
  return !ready && deletionTimestamp === undefined && (phase === "Running" || phase === "Pending");
}

export function lacksOnlyPod({ obstacles }: NodeExplanation): boolean {
  return obstacles.length > 0 && obstacles.every(({ reason }) => reason === "NoPod");
}

function byName<T extends { readonly name: string }>(all: readonly T[]): readonly T[] {
  return [...all].sort((a, b) => compareText(a.name, b.name));
}

/** @param lacking some. Both sorted. */
function placeTexts(serving: readonly PodFacts[], lacking: readonly NodeFacts[]): readonly string[] {
  const places = grouped(serving, ({ nodeName = "" }) => nodeName);
  const crowded = places.filter(([, pods]) => pods.length > 1).slice(0, NAMES);
  if (crowded.length > 0) {
    return crowded.map(([node, pods]) => crowdText(node, pods, { all: serving.length, lacking }));
  }
  const [node] = lacking;
  const kept = serving.map((pod) => ({ pod, by: node && keeperOf(pod, node) })).find(({ by }) => by !== undefined);
  if (node === undefined || kept === undefined) return [];
  return [`pod ${keyOf(kept.pod)} cannot run on ${node.name}, which lacks one: ${kept.by} keeps it off that node`];
}

/** Sorted by key. */
function grouped<T>(all: readonly T[], keyOf: (one: T) => string): readonly (readonly [string, readonly T[]])[] {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return [...groups].sort(([a], [b]) => compareText(a, b));
}

interface Places {
  /** How many pods are ready on nodes that match. */
  readonly all: number;
  readonly lacking: readonly NodeFacts[];
}

function crowdText(node: string, pods: readonly PodFacts[], { all, lacking }: Places): string {
  const names = lacking.map(({ name }) => name);
  const which =
    pods.length < all ? `${pods.length} of ${all} pods` : pods.length === 2 ? "both pods" : `all ${all} pods`;
  const lack = names.length === 1 ? "lacks one" : "lack one";
  return `${which} run on ${node}, and ${listed(names, NAMES)} ${lack}: ${SPREAD}${keptText(pods, lacking[0])}`;
}

function keptText(pods: readonly PodFacts[], node: NodeFacts | undefined): string {
  const kept = pods.flatMap((pod) => {
    const by = node && keeperOf(pod, node);
    return by === undefined ? [] : [`${by} of ${keyOf(pod)}`];
  });
  if (node === undefined || kept.length === 0) return "";
  return `, and change ${listed(kept, NAMES)}, which ${kept.length === 1 ? "keeps it" : "keep them"} off ${node.name}`;
}

/** What of the pod's spec keeps it off a node: the operator cannot tell for taints, and the scheduler's other reasons. */
function keeperOf({ nodeSelector = {}, nodeTerms }: PodFacts, { labels }: NodeFacts): string | undefined {
  const failed = Object.entries(nodeSelector).filter(([key, value]) => labelOf(labels, key) !== value);
  if (failed.length > 0) return `nodeSelector ${failed.map(([key, value]) => `${key}=${value}`).join(",")}`;
  const fits = nodeTerms?.some((requirements) => selectorMatches(requirements, labels)) ?? true;
  return fits ? undefined : "node affinity";
}
