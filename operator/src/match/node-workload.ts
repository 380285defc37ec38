/** Whether what a resource wants to be served runs on a node. Pools look at pods; others may look at endpoints. */

import { selectorMatches } from "cdk8s-flipop/api";
import { NO_NODE, type PodIndex } from "../kube/cache/pods.js";
import type { HostPort, SlimPod } from "../kube/cache/slim-objects.js";
import type { ReadStore, StoreEvent } from "../kube/cache/store.js";
import { keyOf } from "../kube/objects.js";
import { compareText, listed, omitUndefined } from "../values.js";
import type { PodsWanted } from "./compile-match.js";
import { podOwner } from "./pod-owner.js";

/**
 * `detail` is for people. `pod`: `namespace/name` of the one that it names, as far as the source knows pods. `leaving`: all that
 * is there is on its way out, and will not recover. `since`: when the last of it stopped serving, ms since the epoch, as far as
 * the cluster says.
 */
export type Workload =
  | { readonly state: "serving" }
  | {
      readonly state: "unready";
      readonly detail: string;
      readonly pod?: string;
      /** That pod is being deleted. */
      readonly ending?: PodEnd;
      readonly leaving?: true;
      readonly since?: number;
    }
  /** It serves and is not reached at the node. */
  | { readonly state: "closed"; readonly detail: string; readonly pod: string }
  | { readonly state: "absent"; readonly detail: string };

/** Whether any pod of a workload exists, wherever it is. `node` is absent before the pod is scheduled. */
export type Presence =
  | { readonly pods: "unknown" }
  | { readonly pods: "none"; readonly detail: string }
  | ({ readonly pods: "some"; readonly node?: string; readonly detail: string } & NamedPod);

/** A pod that a message names, as `namespace/name`. */
export interface NamedPod {
  readonly pod: string;
  /** It is being deleted, or has ended. */
  readonly ending?: PodEnd;
  /** It is ready. */
  readonly ready?: true;
}

/** Of a pod that has ended, or what can keep one that is being deleted. */
export interface PodEnd {
  /** It has ended: it never runs again. */
  readonly ended?: true;
  /** Absent: they are not known. */
  readonly finalizers?: readonly string[];
  /** How long the pod may take. Absent: it is not known. */
  readonly graceSeconds?: number;
}

function namedPod(pod: SlimPod): NamedPod {
  return { pod: keyOf(pod), ...omitUndefined({ ending: podEnd(pod) }), ...(serves(pod) && { ready: true as const }) };
}

/** `undefined`: it is not being deleted, and has not ended. */
export function podEnd({ phase, deletionTimestamp, finalizers = [], graceSeconds }: SlimPod): PodEnd | undefined {
  if (deletionTimestamp !== undefined) return { finalizers, ...omitUndefined({ graceSeconds }) };
  return ENDED.includes(phase) ? { ended: true } : undefined;
}

/** `local`: a port that only programs of the node itself reach. */
export interface PortsOfNode {
  readonly isOpen: boolean;
  readonly local?: HostPort;
}

/** Nodes whose pods open no port that other machines reach. `local`: what they open for the node itself. */
export interface PortlessNodes {
  /** Sorted. */
  readonly nodes: readonly string[];
  readonly local?: HostPort;
}

/** The workload on each node. */
export interface WorkloadSource {
  /** For people, with its article: `a pod of namespace ingress with app=nginx`. */
  readonly text: string;
  on(node: string): Workload;
  /** Names of nodes where it is not absent. */
  nodes(): Iterable<string>;
  /** The address of the pod that serves there. Absent: the source does not know pods. */
  addressOn?(node: string): string | undefined;
  /** The pods that serve there, as `namespace/name`, sorted. Absent: the source does not know pods. */
  servingOn?(node: string): readonly string[];
  /** The EndpointSlice, as `namespace/name`, by which the node counts, if no pod does. Absent: the source knows none. */
  podlessOn?(node: string): string | undefined;
  /** The workloads of these pods, as far as they are known, in no order. Absent: the source does not know pods. */
  ownersOn?(node: string): readonly string[];
  /** What the pods that serve there open of the node; `undefined`: none serves. Absent: the source does not know pods. */
  portsOn?(node: string): PortsOfNode | undefined;
  /** Explains why no node has the workload. It looks at each pod. */
  presence(): Presence;
  /** The first pod by name that is Pending and on no node. Absent: none, or the source does not know. */
  waiting?(): Presence | undefined;
}

/** What is read of a pod store. */
export type PodSource = Pick<ReadStore<SlimPod, PodIndex>, "byIndex" | "list">;

/** Pods of one resource. It keeps nothing: the store is the only copy. */
export class PodWorkload implements WorkloadSource {
  readonly text: string;
  private readonly absent: Workload;

  /** @param pods those wanted; others among them are passed over. */
  constructor(
    private readonly pods: PodSource,
    private readonly wanted: PodsWanted,
  ) {
    this.text = `a ${wanted.text}`;
    this.absent = { state: "absent", detail: `it runs no ${wanted.text}` };
  }

  on(node: string): Workload {
    let idle: SlimPod | undefined;
    let since: number | undefined;
    for (const pod of this.pods.byIndex("node", node)) {
      if (!isWanted(pod, this.wanted)) continue;
      if (serves(pod)) return SERVING;
      since = latest(since, pod.unreadySince);
      if (idle === undefined || namedBefore(pod, idle)) idle = pod;
    }
    if (idle === undefined) return this.absent;
    return { state: "unready", detail: idleText(idle), ...namedPod(idle), ...(since === undefined ? {} : { since }) };
  }

  addressOn(node: string): string | undefined {
    return podAddress([...this.pods.byIndex("node", node)].filter((pod) => isWanted(pod, this.wanted)));
  }

  servingOn(node: string): readonly string[] {
    return this.serving(node).map(keyOf).sort();
  }

  ownersOn(node: string): readonly string[] {
    return this.serving(node).flatMap((pod) => podOwner(pod) ?? []);
  }

  portsOn(node: string): PortsOfNode | undefined {
    const serving = this.serving(node);
    if (serving.length === 0) return undefined;
    const ports = serving.flatMap(({ hostPorts = [] }) => hostPorts);
    const local = ports.find(({ loopback }) => loopback !== undefined);
    const isOpen = serving.some(({ hostNetwork }) => hostNetwork === true) || ports.some((port) => !port.loopback);
    return { isOpen, ...omitUndefined({ local }) };
  }

  private serving(node: string): readonly SlimPod[] {
    return [...this.pods.byIndex("node", node)].filter((pod) => isWanted(pod, this.wanted) && serves(pod));
  }

  presence(): Presence {
    return presenceOf(
      [...this.pods.list()].filter((pod) => isWanted(pod, this.wanted)),
      "no such pod exists",
    );
  }

  waiting(): Presence | undefined {
    const pods = [...this.pods.byIndex("node", NO_NODE)].filter((pod) => isWanted(pod, this.wanted));
    const waiting = pods.filter(waitsForNode);
    return waiting.length === 0 ? undefined : presenceOf(waiting, "");
  }

  nodes(): Iterable<string> {
    const names = new Set<string>();
    for (const pod of this.pods.list()) {
      if (pod.nodeName !== undefined && isWanted(pod, this.wanted)) names.add(pod.nodeName);
    }
    return names;
  }
}

/** @param pods `namespace/name` of each. Sorted, each once. */
export function namespacesOf(pods: readonly string[]): readonly string[] {
  return [...new Set(pods.map((key) => key.slice(0, key.indexOf("/"))))].sort(compareText);
}

/** The workloads whose pods serve on these nodes, as far as they are known. Sorted, each once. */
export function ownersOn(nodes: Iterable<{ readonly name: string }>, workload?: WorkloadSource): readonly string[] {
  const owners = new Set<string>();
  for (const { name } of nodes) for (const owner of workload?.ownersOn?.(name) ?? []) owners.add(owner);
  return [...owners].sort(compareText);
}

/** Of these nodes, those whose pods open a port for the node alone, or none at all. */
export function portlessOf(nodes: readonly string[], workload?: WorkloadSource): readonly PortlessNodes[] {
  const found = nodes.flatMap((node) => {
    const ports = workload?.portsOn?.(node);
    return ports === undefined || ports.isOpen ? [] : [{ node, ...omitUndefined({ local: ports.local }) }];
  });
  const [none, local] = [found.filter((each) => each.local === undefined), found.filter((each) => each.local)];
  return [local, none].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return [{ nodes: group.map(({ node }) => node).sort(compareText), ...omitUndefined({ local: first.local }) }];
  });
}

/** The first of those, as far as they are a mistake: if no pod opens any port, clients come another way. */
export function mistakenPorts(
  nodes: readonly string[],
  others: Iterable<{ readonly name: string }>,
  workload?: WorkloadSource,
): PortlessNodes | undefined {
  const [first] = portlessOf(nodes, workload);
  if (first === undefined || first.local !== undefined) return first;
  for (const { name } of others) if (workload?.portsOn?.(name)?.isOpen === true) return first;
  return undefined;
}

/** Names the first pod by name that is on a node, or else the first one, so that the answer stays the same. */
export function presenceOf(pods: readonly SlimPod[], none: string): Presence {
  const scheduled = pods.filter(({ nodeName }) => nodeName !== undefined);
  const [first] = [...(scheduled.length > 0 ? scheduled : pods)].sort((a, b) => (namedBefore(a, b) ? -1 : 1));
  if (first === undefined) return { pods: "none", detail: none };
  return { pods: "some", ...namedPod(first), ...(first.nodeName && { node: first.nodeName }), detail: podText(first) };
}

/** `pod ingress/web-1 is Pending`. */
export function podText(pod: SlimPod): string {
  return serves(pod) ? `pod ${keyOf(pod)} is ready` : idleText(pod);
}

/** A pod that ends is replaced by the other one. Else the first by name, so that the text stays the same from look to look. */
function namedBefore(a: SlimPod, b: SlimPod): boolean {
  const [stays, otherStays] = [a.deletionTimestamp === undefined, b.deletionTimestamp === undefined];
  return stays === otherStays ? keyOf(a) < keyOf(b) : stays;
}

/** That of the first pod by name, of those that serve if there are any. */
export function podAddress(pods: readonly SlimPod[]): string | undefined {
  const there = pods.filter(({ ip, deletionTimestamp }) => ip !== undefined && deletionTimestamp === undefined);
  const serving = there.filter(serves);
  const [first] = (serving.length > 0 ? serving : there).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return first?.ip;
}

/** Nodes that a pod event concerns: one, or two where a pod of the same name came up elsewhere; none before scheduling. */
export function nodesOfPodEvent(event: StoreEvent<SlimPod>): readonly string[] {
  const names = [event.object.nodeName, event.type === "updated" ? event.old.nodeName : undefined];
  return [...new Set(names)].filter((name) => name !== undefined);
}

/** It had no node before this event, or has none after it. */
export function isOfWaiting(event: StoreEvent<SlimPod>): boolean {
  return event.object.nodeName === undefined || (event.type === "updated" && event.old.nodeName === undefined);
}

/** The scheduler has found no node for it yet. */
export function waitsForNode({ phase, nodeName, deletionTimestamp }: SlimPod): boolean {
  return phase === "Pending" && nodeName === undefined && deletionTimestamp === undefined;
}

const SERVING: Workload = { state: "serving" };

/** It is one of the pods that count. */
export function isWanted(pod: SlimPod, { namespace, requirements }: PodsWanted): boolean {
  return (namespace === undefined || pod.namespace === namespace) && selectorMatches(requirements, pod.labels);
}

/** It counts as ready. */
export function serves({ phase, ready, deletionTimestamp }: SlimPod): boolean {
  return phase === "Running" && ready && deletionTimestamp === undefined;
}

function latest(known: number | undefined, text: string | undefined): number | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? known : Math.max(known ?? time, time);
}

/** Phases of a pod that never runs again. */
const ENDED: readonly string[] = ["Succeeded", "Failed"];

function idleText(pod: SlimPod): string {
  if (pod.deletionTimestamp !== undefined) return `pod ${keyOf(pod)} is being deleted (${endText(pod)})`;
  if (ENDED.includes(pod.phase)) return `pod ${keyOf(pod)} has ended (${pod.phase})`;
  return pod.phase === "Running" ? `pod ${keyOf(pod)} is not ready` : `pod ${keyOf(pod)} is ${pod.phase}`;
}

/** The deletion's time is that of the end of the grace period, also where that is past. */
function endText({ deletionTimestamp = "", finalizers = [] }: SlimPod): string {
  const grace = `grace period until ${deletionTimestamp}`;
  return finalizers.length === 0 ? grace : `${grace}; ${finalizersText(finalizers)}`;
}

/** `finalizers example.com/a, example.com/b`. @param finalizers some */
export function finalizersText(finalizers: readonly string[]): string {
  return `${finalizers.length === 1 ? "finalizer" : "finalizers"} ${listed(finalizers)}`;
}
