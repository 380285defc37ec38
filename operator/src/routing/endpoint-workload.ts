/** EndpointSlices of Services, and the workload of nodes that they show: where a Service has ready endpoints. */

import type { SlimPod } from "../kube/cache/slim-objects.js";
import { type Cached, type KubeObject, keyOf, type Transform } from "../kube/objects.js";
import type { Verdict } from "../match/checks.js";
import {
  type Presence,
  podEnd,
  podText,
  presenceOf,
  type Workload,
  type WorkloadSource,
} from "../match/node-workload.js";
import { compareText, omitUndefined } from "../values.js";

export interface EndpointFacts {
  /** Absent: its node is unknown. */
  readonly nodeName?: string;
  readonly ready: boolean;
  /** It answers, though it may be terminating. False for one that is ready: the Service has publishNotReadyAddresses. */
  readonly serving: boolean;
  readonly terminating: boolean;
  /** Name of its pod. Absent: it is ready, or no pod. */
  readonly pod?: string;
  /** It is ready, and no pod: the slice was written by hand, or is left over. */
  readonly podless?: true;
}

/** The cached form of an EndpointSlice. */
export interface SliceFacts extends Cached {
  readonly namespace: string;
  /** `namespace/name` of its Service; empty: none. */
  readonly service: string;
  readonly endpoints: readonly EndpointFacts[];
}

export const SERVICE_LABEL = "kubernetes.io/service-name";

/** Its kubelet is not ready, or its probes fail and no witness contradicts: endpoints that show as serving are out of date. */
export function isDown(verdict: Pick<Verdict, "refusals"> | undefined): boolean {
  return (verdict?.refusals ?? []).some(({ reason, isContested = false, isDamped = false }) => {
    return reason === "NodeNotReady" || (reason === "ProbeFailed" && !isContested && !isDamped);
  });
}

/** Slices of both families count; those of names (FQDN) say nothing of nodes. */
export const slimSlices: Transform<SliceFacts> = (raw) => {
  const { metadata, addressType, endpoints } = raw as RawSlice;
  const { uid, name, namespace = "", labels = {} } = metadata;
  const service = labels[SERVICE_LABEL];
  const counted = addressType === "FQDN" ? [] : (endpoints ?? []);
  return Object.freeze({
    uid,
    name,
    namespace,
    service: service === undefined ? "" : `${namespace}/${service}`,
    endpoints: Object.freeze(counted.map(endpointOf)),
  });
};

/** What is known of the pods that a Service selects. */
interface ServicePods {
  readonly presence?: () => Presence;
  /** See `portlessPod`. */
  readonly closedOn?: (node: string) => SlimPod | undefined;
  /** By `namespace/name`; `undefined`: not known. */
  readonly podOf?: (pod: string) => SlimPod | undefined;
}

/**
 * The endpoints of one Service as the workload of nodes. A node whose only endpoints terminate gets no grace period, or the
 * pod would be gone before the address.
 */
export class EndpointWorkload implements WorkloadSource {
  readonly text: string;

  /**
   * @param slices of the Service, asked for at each look.
   * @param addressOn of a pod there. The addresses of slices are not used: anybody who may write slices sets them.
   */
  constructor(
    private readonly service: string,
    private readonly slices: () => Iterable<SliceFacts>,
    readonly addressOn: (node: string) => string | undefined = () => undefined,
    private readonly pods: ServicePods = {},
  ) {
    this.text = `an endpoint of Service ${service}`;
  }

  on(node: string): Workload {
    const endpoints = [...this.endpoints()].filter(({ nodeName }) => nodeName === node);
    if (endpoints.some(({ ready }) => ready)) return this.closedOn(node) ?? SERVING;
    if (endpoints.length === 0) return { state: "absent", detail: `it has no endpoint of Service ${this.service}` };
    return this.unready(endpoints);
  }

  private unready(endpoints: readonly EndpointFacts[]): Workload {
    const leaving = endpoints.every(({ terminating }) => terminating);
    // The pod that stays replaces the one that ends, so it is the one to repair.
    const relevant = leaving ? endpoints : endpoints.filter(({ terminating }) => !terminating);
    const [first] = relevant.flatMap(({ pod }) => pod ?? []).sort(compareText);
    const pod = first && `${this.service.split("/")[0]}/${first}`;
    const detail = `its endpoints of Service ${this.service} are ${leaving ? "terminating" : "not ready"}`;
    const left = leaving ? { leaving, ending: {} } : {};
    return { state: "unready", detail, ...left, ...(pod !== undefined && this.named(pod, detail)) };
  }

  private named(pod: string, detail: string) {
    const known = this.pods.podOf?.(pod);
    if (known === undefined) return { pod, detail: `${detail} (pod ${pod})` };
    return { pod, detail: `${detail} (${podText(known)})`, ...omitUndefined({ ending: podEnd(known) }) };
  }

  private closedOn(node: string): Workload | undefined {
    const closed = this.pods.closedOn?.(node);
    if (closed === undefined) return undefined;
    const pod = keyOf(closed);
    const detail = `its pod ${pod} opens no port of Service ${this.service} on the node (hostPort), as other pods of the Service do`;
    return { state: "closed", detail, pod };
  }

  presence(): Presence {
    return this.pods.presence?.() ?? { pods: "unknown" };
  }

  /**
   * Whether anything answers there, terminating or not. What is ready counts, too: with publishNotReadyAddresses, the author
   * of the Service says that it takes packets, though its pod is not ready.
   */
  servesAt(node: string): boolean {
    for (const { nodeName, serving, ready } of this.endpoints())
      if (nodeName === node && (serving || ready)) return true;
    return false;
  }

  /** Whether its endpoints there count only because of publishNotReadyAddresses. */
  unreadyOn(node: string): boolean {
    const here = [...this.endpoints()].filter(({ nodeName }) => nodeName === node);
    return here.some(({ ready }) => ready) && !here.some(({ serving }) => serving);
  }

  /** The first slice, as `namespace/name`, if the ready endpoints of the node are no pods. */
  podlessOn(node: string): string | undefined {
    const slices = [...this.slices()].map((slice) => ({
      key: keyOf(slice),
      ready: slice.endpoints.filter(({ nodeName, ready }) => ready && nodeName === node),
    }));
    if (slices.some(({ ready }) => ready.some(({ podless }) => podless !== true))) return undefined;
    return slices.flatMap(({ key, ready }) => (ready.length > 0 ? [key] : [])).sort(compareText)[0];
  }

  nodes(): Iterable<string> {
    const names = new Set<string>();
    for (const { nodeName } of this.endpoints()) if (nodeName !== undefined) names.add(nodeName);
    return names;
  }

  private *endpoints(): Iterable<EndpointFacts> {
    for (const { endpoints } of this.slices()) yield* endpoints;
  }
}

/** @param pods that the Service selects */
export function servicePresence(pods: readonly SlimPod[]): Presence {
  return presenceOf(pods, "no pod has the labels of its selector");
}

/** Nodes that two states of a slice name: those whose workload may have changed. */
export function nodesOfSlices(...slices: readonly (SliceFacts | undefined)[]): ReadonlySet<string> {
  const names = slices.flatMap((slice) => (slice?.endpoints ?? []).flatMap(({ nodeName }) => nodeName ?? []));
  return new Set(names);
}

const SERVING: Workload = { state: "serving" };

interface RawSlice extends KubeObject {
  readonly addressType?: string;
  readonly endpoints?: readonly RawEndpoint[] | null;
}

interface RawEndpoint {
  readonly nodeName?: string | null;
  readonly targetRef?: { readonly kind?: string; readonly name?: string } | null;
  readonly conditions?: {
    readonly ready?: boolean | null;
    readonly serving?: boolean | null;
    readonly terminating?: boolean | null;
  };
}

/** Absent conditions: unknown counts as ready, and serving is as ready (discovery/v1). */
function endpointOf({ nodeName, conditions = {}, targetRef }: RawEndpoint): EndpointFacts {
  const terminating = conditions.terminating ?? false;
  const ready = (conditions.ready ?? true) && !terminating;
  return Object.freeze({
    ...(nodeName ? { nodeName } : {}),
    ready,
    serving: conditions.serving ?? ready,
    terminating,
    ...(ready ? podlessOf(targetRef) : podOf(targetRef)),
  });
}

/** Nearly all ready endpoints are pods, which take no memory here. */
function podlessOf(target: RawEndpoint["targetRef"]): Pick<EndpointFacts, "podless"> {
  return target?.kind === "Pod" ? {} : { podless: true };
}

function podOf(target: RawEndpoint["targetRef"]): Pick<EndpointFacts, "pod"> {
  return target?.kind === "Pod" && target.name ? { pod: target.name } : {};
}
