/**
 * Computes which nodes serve a pool from its spec, without the operator's code, for the checks. It knows
 * no more than stories need.
 */

import {
  type Match,
  parseLabelSelector,
  parseToleration,
  selectorMatches,
  type Taint,
  tolerates,
} from "cdk8s-flipop/api";

export interface NodeObject {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly providerID?: string;
    readonly unschedulable?: boolean;
    readonly taints?: readonly Taint[];
  };
  readonly status: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly nodeInfo?: { readonly kubeletVersion: string };
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
}

export interface PodObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly ports?: readonly ContainerPort[] }[];
  };
  readonly status: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly hostPort?: number;
  readonly protocol?: string;
}

const CORDON: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
/** Those say what the Ready condition says, too. */
const HEALTH_TAINTS = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** Names of the nodes where traffic for the match is answered. */
export function servingNodes(match: Match, nodes: readonly NodeObject[], pods: readonly PodObject[]): Set<string> {
  const served = hosts(match, pods);
  const fits = nodes.filter(
    (node) => isReady(node.status) && fitsLabels(match.nodeLabel, node.metadata.labels) && served(node),
  );
  return new Set(fits.map(({ metadata }) => metadata.name));
}

/** Those of them that nothing else speaks against. */
export function eligibleNodes(match: Match, nodes: readonly NodeObject[], serving: ReadonlySet<string>): Set<string> {
  const fits = nodes.filter(
    ({ metadata, spec }) =>
      serving.has(metadata.name) &&
      metadata.deletionTimestamp === undefined &&
      taintsOf(spec).every((taint) => isTolerated(match, taint)),
  );
  return new Set(fits.map(({ metadata }) => metadata.name));
}

function hosts(match: Match, pods: readonly PodObject[]): (node: NodeObject) => boolean {
  const { podNamespace, podLabel } = match;
  if (podNamespace === undefined && podLabel === undefined) return () => true;
  const good = pods.filter(
    ({ metadata, status }) =>
      (podNamespace === undefined || metadata.namespace === podNamespace) &&
      fitsLabels(podLabel, metadata.labels) &&
      metadata.deletionTimestamp === undefined &&
      status.phase === "Running" &&
      isReady(status),
  );
  const names = new Set(good.map(({ spec }) => spec.nodeName));
  return ({ metadata }) => names.has(metadata.name);
}

function taintsOf({ unschedulable, taints = [] }: NodeObject["spec"]): readonly Taint[] {
  const others = taints.filter(({ key }) => !HEALTH_TAINTS.includes(key));
  return unschedulable === true ? [...others, CORDON] : others;
}

export function isTolerated({ tolerations = [] }: Pick<Match, "tolerations">, taint: Taint): boolean {
  return tolerations.some((toleration) => {
    const parsed = parseToleration(toleration);
    return parsed.ok && tolerates(parsed.toleration, taint);
  });
}

function isReady({ conditions = [] }: PodObject["status"] | NodeObject["status"]): boolean {
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

/** Whether a node or a pod answers now. */
export function isServing({ status }: Pick<NodeObject, "status"> | Pick<PodObject, "status">): boolean {
  return isReady(status);
}

function fitsLabels(selector: string | undefined, labels: Readonly<Record<string, string>> = {}): boolean {
  const parsed = parseLabelSelector(selector ?? "");
  return parsed.ok && selectorMatches(parsed.requirements, labels);
}
