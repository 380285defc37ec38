/** Nodes that a resource cannot use: how many, why, and what would change that. A part of the messages about missing nodes. */

import type { RefusalReason } from "cdk8s-flipop/api";
import type { Refusal } from "../../match/checks.js";
import { type AutoscalerPlan, CORDON_TAINT } from "../../match/node-facts.js";
import { finalizersText, type NamedPod, type PodEnd } from "../../match/node-workload.js";
import { type RefusedNode, type Tally, tallyText } from "../../match/tally.js";
import { listed } from "../../values.js";
import { contradictionIn, HAVE_ADMINISTRATOR, labelRemedy } from "./label-remedies.js";

export interface RefusedNodes {
  /** `1 of 9 nodes match; 6 lack label pool=edge; 2 NodeNotReady (node-3: Ready is Unknown)`. */
  readonly text: string;
  /** What to do about the nodes that have what the resource asks for. Absent: all of them match. */
  readonly repair?: string;
  /** What to do if no node matches. */
  readonly remedy: string;
  /** How many nodes would match if the pods ran on those that lack nothing else. Absent: none lacks only a pod. */
  readonly withPods?: number;
}

/** Where the choice of nodes comes from: `match` of the spec, or the endpoints of this Service (`namespace/name`). */
export type ChosenBy = "match" | { readonly service: string };

/** Before the nodes are known. */
export const NO_NODES_KNOWN: RefusedNodes = { text: "", remedy: "" };

interface TaintedNodes {
  readonly key: string;
  readonly nodes: readonly string[];
}

/** The marks on nodes that a resource asks for. */
export interface MarkKeys {
  /** Of the label on nodes with an address. */
  readonly holderLabel?: string;
  /** Of the taint on nodes that wait for one, and those of them that have no pod. */
  readonly untilTaint?: TaintedNodes;
  /** Of the taint of elected nodes, where it keeps pods away, and the holders with it that have no pod. */
  readonly electedTaint?: TaintedNodes;
}

export function refusedNodes(tally: Tally, by: ChosenBy, marks: MarkKeys = {}): RefusedNodes {
  const text = tallyText(tally);
  const contradiction = contradictionIn(tally.lacking.label ?? "");
  if (contradiction !== undefined) return { text, repair: contradiction, remedy: contradiction };
  const taint = [...taintText(marks), ...electedTaintText(tally, marks)];
  if (tally.refused.length === 0) return { text, remedy: lackRemedies(tally, by, marks).concat(taint).join("; ") };
  const repair = [...new Set([...taint, ...repairsOf(tally, by, marks)])].join("; ");
  const podless = tally.refused.find(({ reason }) => reason === "NoPod");
  return { text, repair, remedy: repair, ...(podless && { withPods: tally.candidates + podless.nodes }) };
}

function repairsOf(tally: Tally, by: ChosenBy, marks: MarkKeys): readonly string[] {
  const { refused, lacking } = tally;
  // Then no node has the workload, whatever else keeps back those that the resource means, or a pod of it waits for a node.
  const lacks = by === "match" && lacking.presence !== undefined ? lackRemedies(tally, by, marks) : [];
  const own = refused.slice(0, REMEDIES_SHOWN).flatMap(({ reason, example }) => {
    if (reason === "LabelsDiffer") return labelRemedy(lacking);
    if (reason !== "NoPod") return remedyOf(reason, example, by);
    return lacks.length > 0 ? [] : (waitingRemedy(tally, by) ?? remedyOf(reason, example, by));
  });
  return [...lacks, ...own];
}

/** A message names this many different remedies at most. */
const REMEDIES_SHOWN = 3;

/** The likely one first: a pod that no node can take may ask for the label that only an address brings. */
function lackRemedies(tally: Tally, by: ChosenBy, marks: MarkKeys): readonly string[] {
  const { presence } = tally.lacking;
  const [lack, label] = [lackText(tally, by), labelText(tally, marks)];
  const isPlaceless = presence?.pods === "some" && presence.node === undefined;
  return isPlaceless && label.length > 0 ? [...label, `otherwise ${lack}`] : [lack, ...label];
}

/** No node has what the resource asks for. */
function lackText(tally: Tally, by: ChosenBy): string {
  const { nodes, lacking } = tally;
  const { label, workload, presence } = lacking;
  if (nodes === 0) return ADD_NODE;
  const waiting = waitingRemedy(tally, by);
  if (waiting !== undefined) return waiting;
  if (label === undefined || presence?.pods === "none") return podRemedy(by);
  return workload === undefined
    ? labelRemedy(lacking)
    : "run such a pod on a node with the label, or correct spec.match";
}

/** There is a pod, but it serves on no node that counts. */
function waitingRemedy({ lacking: { presence } }: Tally, by: ChosenBy): string | undefined {
  const waits = presence?.pods === "some" && (presence.node === undefined || by !== "match");
  if (!waits) return undefined;
  return presence.ready === true && by !== "match" ? sliceRemedy(presence, by.service) : startRemedy(presence);
}

/** The pod is healthy: only its endpoint is not there yet, or never will be. */
function sliceRemedy({ pod }: NamedPod, service: string): string {
  const [namespace, name] = service.split("/");
  const list = `kubectl -n ${namespace} get endpointslices -l kubernetes.io/service-name=${name}`;
  return `wait until an EndpointSlice of Service ${service} has pod ${pod}, which takes seconds (${list} shows them); if none comes, have the cluster's administrator check kube-controller-manager, which writes them`;
}

/** Pods that ask for the label wait for the address that waits for them. */
function labelText({ lacking: { workload } }: Tally, { holderLabel }: MarkKeys): readonly string[] {
  if (workload === undefined || holderLabel === undefined) return [];
  return [
    `if the pods select nodes by label ${holderLabel}, which only a node with an address has, remove podNamespace and podLabel from spec.match, or that label from the pods`,
  ];
}

/** So do pods that do not tolerate the taint. */
function taintText({ untilTaint }: MarkKeys): readonly string[] {
  return untilTaint === undefined ? [] : [tolerationText(untilTaint, "untilAssigned")];
}

/** The taint of the holder may keep off the successor of a pod that it did not affect. */
function electedTaintText({ lacking: { presence } }: Tally, { electedTaint }: MarkKeys): readonly string[] {
  const mayWait = presence?.pods === "unknown" || (presence?.pods === "some" && presence.node === undefined);
  if (electedTaint === undefined || !mayWait) return [];
  return [tolerationText(electedTaint, "electedNodeTaint", ", or set effect PreferNoSchedule in the class")];
}

function tolerationText({ key, nodes }: TaintedNodes, field: string, orElse = ""): string {
  return `if the pods have no toleration for taint ${key} (${field}), add it (with operator: Exists)${orElse}: the taint keeps them off ${listed(nodes)}`;
}

/** @param pod if it is known */
export function startRemedy({ pod, ending }: Partial<NamedPod>, where = ""): string {
  const [which, kubectl] = pod === undefined ? ["the pod", commandFor] : [`pod ${pod}`, commandsFor(pod)];
  if (ending !== undefined) return endRemedy(which, ending, kubectl);
  return `repair ${which} (${kubectl("describe")} shows what it waits for), or run another one${where}`;
}

type PodCommand = (verb: string, flags?: string) => string;

const commandFor: PodCommand = (verb, flags = "") => `kubectl ${verb} pod${flags}`;

/** @param pod `namespace/name` */
function commandsFor(pod: string): PodCommand {
  const [namespace, name] = pod.split("/");
  return (verb, flags = "") => `kubectl -n ${namespace} ${verb} pod ${name}${flags}`;
}

/** A grace period of hours hangs a rollout; finalizers keep a pod beyond it. */
function endRemedy(which: string, { ended, finalizers, graceSeconds }: PodEnd, kubectl: PodCommand): string {
  if (ended === true)
    return `select other pods, or run such pods by a Deployment or DaemonSet: ${which} never runs again`;
  if (finalizers === undefined) {
    return `wait until ${which} has ended (if it does not end, finalizers keep it: ${kubectl("get", " -o yaml")} shows them)`;
  }
  if (finalizers.length === 0) {
    const { period, hints } = graceTexts(graceSeconds, kubectl);
    return `wait until ${which} has ended, which ${period} limits (${hints}if the pod stays longer, its kubelet does not end it)`;
  }
  const [it, they] = finalizers.length === 1 ? ["it", "it keeps"] : ["them", "they keep"];
  const patch = kubectl("patch", ` --type=merge -p '{"metadata":{"finalizers":null}}'`);
  return `have what set ${finalizersText(finalizers)} of ${which} remove ${it}: ${they} the pod also after its grace period; if that program no longer runs, ${patch}`;
}

/** That of a pod without `terminationGracePeriodSeconds`. */
const USUAL_GRACE_SECONDS = 30;

/** A usual period is not worth a word. */
function graceTexts(seconds: number | undefined, kubectl: PodCommand) {
  if (seconds !== undefined && seconds <= USUAL_GRACE_SECONDS) return { period: "its grace period", hints: "" };
  const shorten = `${kubectl("delete", ` --grace-period=${USUAL_GRACE_SECONDS}`)} shortens it; `;
  if (seconds === undefined) return { period: "its grace period", hints: shorten };
  const template = "for later pods, lower terminationGracePeriodSeconds of the workload; ";
  return { period: `its grace period of ${seconds} s`, hints: `${shorten}${template}` };
}

/** Of a node that has the labels, and lacks a pod. */
export function runPodOn(node: string): string {
  return `let the workload run a pod on ${node}: more replicas, spread over the nodes (topologySpreadConstraints, anti-affinity or a hostPort), or another nodeSelector, affinity or toleration of the pods`;
}

function podRemedy(by: ChosenBy): string {
  if (by === "match") return "run such a pod on a node, or correct spec.match.podNamespace and spec.match.podLabel";
  return `${authorOf(by.service)} check its selector, and whether its pods exist (a workload of 0 replicas has none)`;
}

/** @param service `namespace/name` */
export function authorOf(service: string): string {
  return `have the author of Service ${service}`;
}

/** `flipop explain` itself leaves it out. */
export const SEE_NODES = "flipop explain shows the checks of each node";
const ADD_NODE = `${HAVE_ADMINISTRATOR} add a node`;
export const ADD_MATCHING = `${ADD_NODE} that matches`;

export function addNodeIn(region: string): string {
  return `${ADD_NODE} of region ${region} that matches`;
}

function repairNode(node: string): string {
  return `have the cluster's administrator repair ${node} (kubectl describe node ${node} shows its conditions)`;
}

/** What lets this node match again. @param refusals the most notable one first */
export function repairOfHolder(
  refusals: readonly Pick<Refusal, "reason" | "pod" | "ending">[],
  node: string,
  by: ChosenBy,
): string {
  const { reason, ...known } = refusals[0] ?? { reason: "NodeGone" };
  if (reason === "NoPod" && by === "match") return `run such a pod on ${node} again`;
  return remedyOf(reason, { ...known, node }, by);
}

function remedyOf(reason: RefusalReason, refused: RefusedNode, by: ChosenBy): string {
  const { node } = refused;
  if (reason === "NoPod") return by === "match" ? runPodOn(node) : podRemedy(by);
  if (reason === "PodNotReady") return startRemedy(refused, " on the node");
  if (reason === "NoOpenPort") return openRemedy(refused, by);
  if (refused.autoscaler !== undefined) return autoscalerRemedy(refused.autoscaler, node, by);
  return REMEDIES[reason](node, by === "match");
}

function openRemedy({ pod }: RefusedNode, by: ChosenBy): string {
  const author = by === "match" ? "have the author of the Service" : authorOf(by.service);
  return `${author} give pod ${pod ?? ""} the hostPort that its other pods have, or take it out of the selector`;
}

export const TOLERATE_TAINT =
  "tolerate the taint in spec.match.tolerations (its key, operator: Exists and no effect tolerate any value and effect)";

/** Without the taint, which the autoscaler sets again. */
export function autoscalerRemedy(plan: AutoscalerPlan, node: string, by: ChosenBy | "either"): string {
  if (plan === "deletes") return `another node takes over once one matches; if none comes, ${ADD_MATCHING}`;
  const keep = `${HAVE_ADMINISTRATOR} keep the cluster autoscaler, which sets a removed taint again, from ${node} (annotation cluster-autoscaler.kubernetes.io/scale-down-disabled=true on the node, or a larger minimum of its node pool)`;
  if (by === "either") return `${keep}; or, where the resource has match, tolerate the taint in match.tolerations`;
  return by === "match" ? `${TOLERATE_TAINT}, or ${keep}` : keep;
}

type Remedy = (node: string, hasMatch: boolean) => string;

const REMEDIES: Readonly<Record<Exclude<RefusalReason, "NoPod" | "PodNotReady" | "NoOpenPort">, Remedy>> = {
  LabelsDiffer: () => labelRemedy({}),
  NodeGone: () => ADD_NODE,
  NodeDeleting: () => ADD_MATCHING,
  NoProviderID: (node) =>
    `have the cluster's administrator check the cloud controller manager, which sets spec.providerID of ${node} and removes taint node.cloudprovider.kubernetes.io/uninitialized`,
  ForeignProviderID: (_node, hasMatch) =>
    hasMatch
      ? "use the provider of the node's cloud, or exclude the node with spec.match.nodeLabel; if its machine is one of the provider, have the cluster's administrator run the provider's cloud controller manager for it (kubelet flag --cloud-provider=external), and delete the Node, so that it registers again (spec.providerID cannot change)"
      : "run the pods of the Service on nodes of the provider's cloud",
  InvalidProviderID: (node) =>
    `have the cluster's administrator correct what sets spec.providerID of ${node}, and delete the Node, so that its kubelet registers it again (spec.providerID cannot change)`,
  DuplicateProviderID: (node) =>
    `have the cluster's administrator compare the machines of both Nodes (kubectl get nodes -o wide): if ${node} is a machine of its own, delete Node ${node}, so that its kubelet registers it with its own providerID; if both are one machine, delete the Node that no kubelet keeps Ready (that adds no candidate)`,
  Cordoned: (node, hasMatch) => {
    const uncordon = `have the cluster's administrator uncordon ${node} (kubectl uncordon ${node})`;
    return hasMatch ? `${uncordon}, or tolerate ${CORDON_TAINT.key} in spec.match.tolerations` : uncordon;
  },
  Tainted: (node, hasMatch) => {
    const untaint = `have the cluster's administrator remove the taint from ${node}`;
    return hasMatch ? `${TOLERATE_TAINT}, or ${untaint}` : untaint;
  },
  NodeNotReady: repairNode,
  NodeUnwell: (node) => `have the cluster's administrator repair what the taint of ${node} names`,
  ProbeFailed: (node) =>
    `check the service on ${node}, the port of spec.healthCheck, and whether the address that the probe reaches is one of ${node}`,
  MatchEdited: () => "correct spec.match, if the change was not intended",
};

const REPAIR = repairNode("node-3");
/** For the reference page. */
export const EXAMPLE_LABELS: RefusedNodes = {
  text: "0 of 9 nodes match; 9 lack label pool=edge",
  remedy: labelRemedy({ label: "pool=edge" }),
};
export const EXAMPLE_NOT_READY: RefusedNodes = {
  text: "1 of 9 nodes match; 6 lack label pool=edge; 2 NodeNotReady (node-3: Ready is Unknown)",
  ...{ repair: REPAIR, remedy: REPAIR },
};
export const EXAMPLE_ENDPOINTS: RefusedNodes = {
  text: "0 of 9 nodes match; 9 lack an endpoint of Service web/shop",
  remedy: podRemedy({ service: "web/shop" }),
};
