/** The cached forms of nodes and pods: what decisions read, nothing else, frozen. About 1 KB a pod, store included. */

import { MAX_INTERN_ENTRIES } from "../../timings.js";
import type { Cached, KubeObject, ObjectMeta, Transform } from "../objects.js";

interface NodeCondition {
  readonly type: string;
  /** `True`, `False` or `Unknown`. */
  readonly status: string;
  readonly reason: string | undefined;
  /** RFC 3339 */
  readonly lastTransitionTime: string | undefined;
}

export interface NodeAddress {
  /** `InternalIP`, `ExternalIP`, `Hostname`, ... */
  readonly type: string;
  readonly address: string;
}

/** As on the wire, unknown fields included: a JSON patch must be able to test the list as seen. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

export interface SlimNode extends Cached {
  readonly namespace: undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** Those under one of the prefixes given to {@link slimNodes} only. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly providerID: string | undefined;
  readonly unschedulable: boolean;
  /** `undefined` when the field is absent. */
  readonly taints: readonly Taint[] | undefined;
  readonly addresses: readonly NodeAddress[];
  /** Without heartbeat times and messages, so that a heartbeat is no change. */
  readonly conditions: readonly NodeCondition[];
  readonly kubeletVersion: string | undefined;
  /** RFC 3339 */
  readonly creationTimestamp: string | undefined;
  /** RFC 3339 */
  readonly deletionTimestamp: string | undefined;
}

/** A port of a container that is open on the pod's node. */
export interface HostPort {
  readonly name?: string;
  /** `TCP`, `UDP` or `SCTP`. */
  readonly protocol: string;
  readonly containerPort: number;
  readonly hostPort: number;
  /** An address of the node itself, which no other machine reaches: the port is open there only. Absent: elsewhere, too. */
  readonly loopback?: string;
}

export interface SlimPod extends Cached {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `undefined` until scheduled. */
  readonly nodeName: string | undefined;
  /** `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`. */
  readonly phase: string;
  /** The Ready condition is True. */
  readonly ready: boolean;
  /** RFC 3339: the last transition of a Ready condition that is not True. */
  readonly unreadySince?: string;
  /** RFC 3339: when its grace period ends. */
  readonly deletionTimestamp: string | undefined;
  /** Of a pod that is being deleted. Absent: none. */
  readonly finalizers?: readonly string[];
  /** Of a pod that is being deleted. */
  readonly graceSeconds?: number;
  /** Absent: it has none yet. */
  readonly ip?: string;
  /** Absent: none. */
  readonly hostPorts?: readonly HostPort[];
  /** It shares its node's network: each of its ports is open there. */
  readonly hostNetwork?: true;
}

/** A whole object, for the kinds of which the operator reads everything. */
export interface WholeObject<O extends KubeObject = KubeObject> extends Cached {
  readonly resourceVersion: string;
  /** Frozen, without `metadata.managedFields`. */
  readonly object: O;
}

/** @param annotationPrefixes for example `["flipop.digitalocean.com/"]`. */
export function slimNodes(annotationPrefixes: readonly string[], interner = new Interner()): Transform<SlimNode> {
  return (raw) => {
    const { metadata, spec = {}, status = {} } = raw as RawNode;
    const node: SlimNode = {
      uid: metadata.uid,
      name: metadata.name,
      namespace: undefined,
      labels: interner.labels(metadata.labels),
      annotations: withPrefix(metadata, annotationPrefixes),
      providerID: spec.providerID,
      unschedulable: spec.unschedulable === true,
      taints: deepFreeze(spec.taints),
      addresses: (status.addresses ?? []).map((seen) => Object.freeze({ type: seen.type, address: seen.address })),
      conditions: (status.conditions ?? []).map((seen) => slimCondition(seen, interner)),
      kubeletVersion: interner.optional(status.nodeInfo?.kubeletVersion),
      creationTimestamp: metadata.creationTimestamp,
      deletionTimestamp: metadata.deletionTimestamp,
    };
    Object.freeze(node.addresses);
    Object.freeze(node.conditions);
    return Object.freeze(node);
  };
}

export function slimPods(interner = new Interner()): Transform<SlimPod> {
  return (raw) => {
    const { metadata, spec = {}, status = {} } = raw as RawPod;
    const readiness = (status.conditions ?? []).find((seen) => seen.type === "Ready");
    return Object.freeze({
      uid: metadata.uid,
      name: metadata.name,
      namespace: interner.string(metadata.namespace ?? ""),
      labels: interner.labels(metadata.labels),
      nodeName: interner.optional(spec.nodeName),
      phase: interner.string(status.phase ?? "Unknown"),
      ready: readiness?.status === "True",
      ...unreadySinceOf(readiness),
      deletionTimestamp: metadata.deletionTimestamp,
      ...endOf(metadata),
      ...(status.podIP ? { ip: status.podIP } : {}),
      ...hostPortsOf(spec),
      ...(spec.hostNetwork === true ? { hostNetwork: true as const } : {}),
    });
  };
}

export function wholeObjects<O extends KubeObject = KubeObject>(): Transform<WholeObject<O>> {
  return (raw) => {
    const { managedFields: _dropped, ...metadata } = raw.metadata as ObjectMeta & { managedFields?: unknown };
    const object = deepFreeze({ ...raw, metadata } as O);
    const { uid, name, namespace, resourceVersion } = metadata;
    return Object.freeze({ uid, name, namespace, resourceVersion, object });
  };
}

/** Freezes a JSON value in depth and gives it back. */
function deepFreeze<V>(value: V): V {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}

/** Few pods have any: the field is there for those alone. Of init containers, only sidecars run while the pod serves. */
function hostPortsOf({
  containers = [],
  initContainers = [],
}: NonNullable<RawPod["spec"]>): Pick<SlimPod, "hostPorts"> {
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === "Always");
  const ports = [...containers, ...sidecars].flatMap((container) => container.ports ?? []);
  const open = ports.flatMap(({ name, protocol = "TCP", containerPort, hostPort = 0, hostIP = "" }) =>
    hostPort > 0
      ? [Object.freeze({ ...(name && { name }), protocol, containerPort, hostPort, ...loopbackOf(hostIP) })]
      : [],
  );
  return open.length === 0 ? {} : { hostPorts: Object.freeze(open) };
}

function loopbackOf(hostIP: string): Pick<HostPort, "loopback"> {
  return hostIP.startsWith("127.") || hostIP === "::1" ? { loopback: hostIP } : {};
}

/** Pods of Jobs have one all the time, which matters only at the end: the others take no memory. */
function endOf(metadata: ObjectMeta): Pick<SlimPod, "finalizers" | "graceSeconds"> {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds: graceSeconds } = metadata;
  if (deletionTimestamp === undefined) return {};
  const kept = finalizers.length === 0 ? {} : { finalizers: Object.freeze([...finalizers]) };
  return { ...kept, ...(graceSeconds === undefined ? {} : { graceSeconds }) };
}

/** A pod that is ready has no need of it: there may be tens of thousands of them. */
function unreadySinceOf(ready: RawCondition | undefined): Pick<SlimPod, "unreadySince"> {
  if (!ready?.lastTransitionTime || ready.status === "True") return {};
  return { unreadySince: ready.lastTransitionTime };
}

function slimCondition(seen: RawCondition, interner: Interner): NodeCondition {
  return Object.freeze({
    type: interner.string(seen.type),
    status: interner.string(seen.status),
    reason: interner.optional(seen.reason),
    lastTransitionTime: seen.lastTransitionTime ?? undefined,
  });
}

function withPrefix(metadata: ObjectMeta, prefixes: readonly string[]): Readonly<Record<string, string>> {
  const all = Object.entries(metadata.annotations ?? {});
  return Object.freeze(Object.fromEntries(all.filter(([key]) => prefixes.some((prefix) => key.startsWith(prefix)))));
}

interface RawCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  /** `null` where none was set. */
  readonly lastTransitionTime?: string | null;
}

interface RawNode extends KubeObject {
  readonly spec?: {
    readonly providerID?: string;
    readonly unschedulable?: boolean;
    readonly taints?: readonly Taint[];
  };
  readonly status?: {
    readonly addresses?: readonly NodeAddress[];
    readonly conditions?: readonly RawCondition[];
    readonly nodeInfo?: { readonly kubeletVersion?: string };
  };
}

interface RawPod extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly hostNetwork?: boolean;
    readonly containers?: readonly RawContainer[];
    readonly initContainers?: readonly RawContainer[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly conditions?: readonly RawCondition[];
  };
}

interface RawContainer {
  /** Of an init container. */
  readonly restartPolicy?: string;
  readonly ports?: readonly (Pick<HostPort, "name" | "containerPort"> &
    Partial<HostPort> & { readonly hostIP?: string })[];
}

/**
 * Shares equal strings and equal label maps of objects that came as JSON. JSON.parse makes a new copy of each value, and the 50,000 pods of a
 * cluster repeat a few hundred label maps, node names and namespaces.
 */
export class Interner {
  private readonly strings = new Map<string, string>();
  private readonly maps = new Map<string, Readonly<Record<string, string>>>();

  constructor(private readonly maxEntries = MAX_INTERN_ENTRIES) {}

  string(value: string): string {
    const known = this.strings.get(value);
    if (known !== undefined) return known;
    if (this.strings.size >= this.maxEntries) this.strings.clear();
    this.strings.set(value, value);
    return value;
  }

  optional(value: string | undefined): string | undefined {
    return value === undefined ? undefined : this.string(value);
  }

  /** A frozen copy of `labels`, the same object for the same content. */
  labels(labels: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> {
    if (labels === undefined) return NO_LABELS;
    // The protobuf decoder shares its maps already.
    if (Object.isFrozen(labels)) return labels;
    const signature = JSON.stringify(labels);
    const known = this.maps.get(signature);
    if (known !== undefined) return known;
    if (this.maps.size >= this.maxEntries) this.maps.clear();
    const copy: Record<string, string> = {};
    for (const [key, value] of Object.entries(labels)) copy[key] = this.string(value);
    this.maps.set(signature, Object.freeze(copy));
    return copy;
  }
}

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze({});
