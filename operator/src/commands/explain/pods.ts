/** The pods that a resource asks for, with what only `flipop explain` reads of them. */

import type { SelectorOperator, SelectorRequirement } from "cdk8s-flipop/api";
import { POD_INDEXES, type PodIndex, type PodScope } from "../../kube/cache/pods.js";
import { type SlimPod, slimPods } from "../../kube/cache/slim-objects.js";
import { Store } from "../../kube/cache/store.js";
import type { KubeClient } from "../../kube/client.js";
import { type KubeObject, selectorString, type Transform } from "../../kube/objects.js";
import type { WorkloadSource } from "../../match/node-workload.js";
import { podlessText } from "../../messages/addresses.js";
import { listed, omitUndefined } from "../../values.js";
import { listMapped } from "../list-objects.js";

/** Requirements of one term; a node fits if it fits one of the terms. */
type NodeTerms = readonly (readonly SelectorRequirement[])[];

export interface PodFacts extends SlimPod {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Of the required node affinity. */
  readonly nodeTerms?: NodeTerms;
  /** Of a pod of a DaemonSet: the only node that it may run on. */
  readonly onlyNode?: string;
  /** What the scheduler says of a pod that has no node. */
  readonly waits?: string;
  /** What the kubelet says of a pod that is not ready: `ContainersNotReady (containers with unready status: [web])`. */
  readonly unready?: string;
}

export interface PodReader {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
}

export async function readPods(
  { client, signal }: PodReader,
  { namespace, selector }: PodScope,
): Promise<Store<PodFacts, PodIndex>> {
  const path = namespace === undefined ? "/api/v1/pods" : `/api/v1/namespaces/${namespace}/pods`;
  const target = { path, labelSelector: selectorString(selector) };
  const store = new Store<PodFacts, PodIndex>({ indexes: POD_INDEXES });
  await store.replace(await listMapped({ client, signal, target }, podFacts()));
  return store;
}

/** @param node its name; empty: those that have none */
export function readPodsAt({ client, signal }: PodReader, node: string): Promise<readonly PodFacts[]> {
  const target = { path: "/api/v1/pods", fieldSelector: `spec.nodeName=${node}` };
  return listMapped({ client, signal, target }, podFacts());
}

function podFacts(): Transform<PodFacts> {
  const slim = slimPods();
  return (raw) => {
    const { spec = {}, status = {} } = raw as RawPod;
    const { nodeSelector, affinity } = spec;
    const seen = { ...waitsOf(status), ...unreadyOf(status) };
    return { ...slim(raw), ...omitUndefined({ nodeSelector }), ...affinityOf(affinity ?? {}), ...seen };
  };
}

function affinityOf({ nodeAffinity }: RawAffinity): Pick<PodFacts, "nodeTerms" | "onlyNode"> {
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (terms === undefined) return {};
  const only = terms.flatMap(({ matchFields = [] }) => matchFields).find(isOfName);
  const nodeTerms = terms.map(({ matchExpressions = [] }) => matchExpressions.map(requirementOf));
  return { nodeTerms, ...omitUndefined({ onlyNode: only?.values?.[0] }) };
}

/** The DaemonSet controller names the node so. */
function isOfName({ key, operator }: RawRequirement): boolean {
  return key === "metadata.name" && operator === "In";
}

/** A scheduler's message has one part for the nodes, then others about preemption; more is on `kubectl describe`. */
const MOST_LETTERS = 200;

function waitsOf({ conditions = [] }: NonNullable<RawPod["status"]>): Pick<PodFacts, "waits"> {
  const scheduled = conditions.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (scheduled === undefined) return {};
  const [first = ""] = (scheduled.message ?? scheduled.reason ?? "").split(/\.\s|\.$/);
  return { waits: shortened(first) };
}

function unreadyOf({ conditions = [] }: NonNullable<RawPod["status"]>): Pick<PodFacts, "unready"> {
  const { reason = "", message = "" } =
    conditions.find(({ type, status }) => type === "Ready" && status !== "True") ?? {};
  if (reason === "") return {};
  const said = message === "" ? reason : `${reason} (${shortened(message)})`;
  return { unready: reason === "ReadinessGatesNotReady" ? `${said}; ${GATE_REMEDY}` : said };
}

const GATE_REMEDY =
  "let what sets this condition run, or remove readinessGates from the pod template (those of a running pod cannot change)";

function shortened(text: string): string {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}...` : text;
}

/** Those of a selector of labels, which have other names here. */
const OPERATORS: Readonly<Record<string, SelectorOperator>> = { Gt: "GreaterThan", Lt: "LessThan" };

function requirementOf({ key, operator, values = [] }: RawRequirement): SelectorRequirement {
  return { key, operator: OPERATORS[operator] ?? (operator as SelectorOperator), values };
}

interface RawRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface RawTerm {
  readonly matchExpressions?: readonly RawRequirement[];
  readonly matchFields?: readonly RawRequirement[];
}

interface RawAffinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms?: readonly RawTerm[] };
  };
}

export interface RawCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface RawPod extends KubeObject {
  readonly spec?: {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly affinity?: RawAffinity;
  };
  readonly status?: {
    readonly conditions?: readonly RawCondition[];
  };
}

/** What makes the node match. `undefined`: nothing, or it is not known. */
export function servedText(workload: WorkloadSource, node: string): string | undefined {
  const [pods, slice] = [workload.servingOn?.(node) ?? [], workload.podlessOn?.(node)];
  if (slice !== undefined) return podlessText(slice);
  return pods.length === 0 ? undefined : `${listed(pods)} ${pods.length === 1 ? "is" : "are"} ready`;
}
