/** Stands in for the scheduler: a pod gets the node with the fewest pods of all that fit, or waits and shows why none does. */

import type { Taint } from "cdk8s-flipop/api";
import type { ApiObject, Emulator } from "../../kubernetes/index.js";
import { at, isObject, type JsonObject, listOf, objectOf, textOf } from "../../kubernetes/json.js";
import { isTolerated, type NodeObject } from "../rules/serving-nodes.js";
import { isReady, isTerminating, type Pod, type Pods, refTo, SCHEDULED, targetOf } from "./pod-lifecycle.js";

const ANY_IP = "0.0.0.0";
/** So much of a pod's uid is in the name of its Event. */
const UID_LENGTH = 8;

/** Two pods can't share one of these on a node. */
interface HostPort {
  /** `5060/UDP`. */
  readonly port: string;
  readonly ip: string;
}

/** Gives pods that wait a node, or writes why they have none. */
export function schedule(kubernetes: Emulator, pods: Pods, nodes: readonly NodeObject[]): void {
  for (const pod of waiting(pods.all())) {
    // Pods that people run take ports, too.
    const placed = kubernetes.list("v1", "Pod").filter(isPlaced);
    const seen = nodes.map((node) => {
      const { name } = node.metadata;
      const others = placed.filter(({ spec }) => at(spec, "nodeName") === name);
      return { name, pods: others.length, refusal: refusalOf(pod, node, others) };
    });
    const [best] = seen.filter(({ refusal }) => refusal === undefined).sort((a, b) => a.pods - b.pods);
    if (best === undefined) refuse(kubernetes, pod, messageOf(seen.flatMap(({ refusal }) => refusal ?? [])));
    else pods.bind(pod, best.name);
  }
}

/** The oldest first. Of one second, those of DaemonSets first, which may go to one node only. */
function waiting(pods: readonly Pod[]): readonly Pod[] {
  const rank = ({ metadata }: Pod) => `${metadata.creationTimestamp} ${metadata.ownerReferences?.[0]?.kind}`;
  const all = pods.filter((pod) => pod.spec.nodeName === undefined && !isTerminating(pod));
  return all.sort((a, b) => Number(rank(a) > rank(b)) - Number(rank(a) < rank(b)));
}

/** A pod that has ended keeps its node and frees its ports. */
function isPlaced({ spec, status }: ApiObject): boolean {
  return at(spec, "nodeName") !== undefined && !["Succeeded", "Failed"].includes(textOf(at(status, "phase")));
}

/** The first reason of the scheduler, in its order and words; `undefined`: the pod fits. */
function refusalOf({ spec }: Pod, node: NodeObject, others: readonly ApiObject[]): string | undefined {
  const target = targetOf({ spec });
  // Pods of DaemonSets tolerate that a node is cordoned or not ready.
  const isPicky = target === undefined;
  const reasons: readonly (readonly [boolean, string])[] = [
    [!isPicky && target !== node.metadata.name, "didn't satisfy plugin(s) [NodeAffinity]"],
    [isPicky && node.spec.unschedulable === true, "were unschedulable"],
    [!admits(node, spec) || (isPicky && !isReady(node)), "had untolerated taint(s)"],
    [!selects(spec, node), "didn't match Pod's node affinity/selector"],
    [others.some((other) => clash(spec, other)), "didn't have free ports for the requested pod ports"],
  ];
  return reasons.find(([applies]) => applies)?.[1];
}

function refuse(kubernetes: Emulator, pod: Pod, message: string): void {
  const [before] = listOf(at(pod, "status", "conditions"));
  if (at(before, "message") === message) return;
  const conditions = [{ type: SCHEDULED, status: "False", reason: "Unschedulable", message }];
  kubernetes.change(
    refTo(pod),
    (object) => ({ ...object, status: { ...objectOf(object["status"]), conditions } }),
    "status",
  );
  // Kubernetes would only count later ones in the series of the first.
  if (before === undefined) kubernetes.create(refusalEvent(pod, message, kubernetes.timestamp()));
}

function refusalEvent({ metadata: { name, namespace, uid } }: Pod, note: string, now: string) {
  const reporter = "default-scheduler";
  return {
    ...{ apiVersion: "events.k8s.io/v1", kind: "Event" },
    metadata: { name: `${name}.${uid.slice(0, UID_LENGTH)}`, namespace },
    regarding: { apiVersion: "v1", kind: "Pod", name, namespace, uid },
    ...{ type: "Warning", reason: "FailedScheduling", action: "Scheduling", note },
    ...{ reportingController: reporter, reportingInstance: reporter },
    // Kubernetes has microseconds here.
    eventTime: now.replace("Z", ".000000Z"),
  };
}

function messageOf(refusals: readonly string[]): string {
  if (refusals.length === 0) return "no nodes available to schedule pods";
  const count = (reason: string) => refusals.filter((refusal) => refusal === reason).length;
  const reasons = [...new Set(refusals)].map((reason) => `${count(reason)} node(s) ${reason}`);
  return `0/${refusals.length} nodes are available: ${reasons.sort().join(", ")}.`;
}

function clash(spec: JsonObject, other: ApiObject): boolean {
  const taken = hostPorts(other["spec"]);
  return hostPorts(spec).some(({ port, ip }) => {
    const overlaps = (one: HostPort) => one.ip === ip || [one.ip, ip].includes(ANY_IP);
    return taken.some((one) => one.port === port && overlaps(one));
  });
}

/** All ports of a pod in the node's network are hostPorts: the API server would set them. */
function hostPorts(spec: unknown): readonly HostPort[] {
  const isHost = at(spec, "hostNetwork") === true;
  const ports = listOf(at(spec, "containers")).flatMap((container) => listOf(at(container, "ports")));
  return ports.flatMap((port) => {
    const number = at(port, "hostPort") ?? (isHost ? at(port, "containerPort") : undefined);
    if (typeof number !== "number") return [];
    return [{ port: `${number}/${textOf(at(port, "protocol")) || "TCP"}`, ip: textOf(at(port, "hostIP")) || ANY_IP }];
  });
}

/** @param spec of a pod */
export function selects(spec: JsonObject, { metadata }: NodeObject): boolean {
  const selector = spec["nodeSelector"];
  if (!isObject(selector)) return true;
  return Object.entries(selector).every(([key, value]) => metadata.labels?.[key] === value);
}

/** A taint keeps new pods off a node, and leaves those that run there; a real NoExecute would evict them. */
export function admits({ spec: { taints = [] } }: NodeObject, spec: JsonObject): boolean {
  const tolerations = listOf(spec["tolerations"]) as readonly object[];
  return taints.filter(keepsPodsOff).every((taint) => isTolerated({ tolerations }, taint));
}

/** Not those of Kubernetes itself: they repeat the node's conditions, and DaemonSets tolerate most of them. */
function keepsPodsOff({ key, effect }: Taint): boolean {
  return effect !== "PreferNoSchedule" && !key.startsWith("node.kubernetes.io/");
}
