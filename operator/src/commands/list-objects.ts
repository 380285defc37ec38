/** Reads whole collections for a command, page by page. */

import { ALL_KINDS, type AnyKind, API_GROUP, type Condition, GROUP_VERSION } from "cdk8s-flipop/api";
import { slimNodes } from "../kube/cache/slim-objects.js";
import { type BodyDecoder, isForbidden, isNotFound, type KubeClient } from "../kube/client.js";
import type { KubeObject, ObjectMeta } from "../kube/objects.js";
import { Decoders } from "../kube/protobuf/decoder.js";
import { listPages } from "../kube/watch/list.js";
import { NodeDirectory } from "../match/node-directory.js";
import { CommandError } from "./command.js";

/** One of the five kinds, as far as commands that handle all of them read it. */
export interface OwnObject {
  readonly metadata: ObjectMeta;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>> & {
    readonly conditions?: readonly Condition[];
    readonly observedGeneration?: number;
  };
}

export interface ListTarget {
  readonly path: string;
  readonly decoder?: BodyDecoder;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** @throws StatusError */
export async function listAll<T>(client: KubeClient, target: ListTarget, signal: AbortSignal): Promise<readonly T[]> {
  const items = await listMapped({ client, target, signal }, (object) => object);
  return items as readonly unknown[] as readonly T[];
}

interface ListCall {
  readonly client: KubeClient;
  readonly target: ListTarget;
  readonly signal: AbortSignal;
}

/** What `map` makes of each object: the objects themselves are not kept. @throws StatusError */
export async function listMapped<T>(
  { client, target, signal }: ListCall,
  map: (object: KubeObject) => T,
): Promise<readonly T[]> {
  const items: T[] = [];
  const props = { client, target: { name: target.path, ...target }, signal };
  const keep = async (page: readonly KubeObject[]) => {
    for (const object of page) items.push(map(object));
  };
  await listPages(props, keep, () => items.splice(0));
  return items;
}

/** `undefined`: the user may not read it, or the cluster does not have it. For remarks, which the output can do without. */
export async function unlessRefused<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

/** The own labels and annotations of nodes and pods that the operator reads, too. */
const PREFIXES = [`${API_GROUP}/`];
const decoders = new Decoders(PREFIXES);

export async function readNodes(client: KubeClient, signal: AbortSignal): Promise<NodeDirectory> {
  const target = { path: "/api/v1/nodes", decoder: decoders.nodes };
  const nodes = await listAll<KubeObject>(client, target, signal);
  return new NodeDirectory(nodes.map(slimNodes(PREFIXES)));
}

/** @param namespace absent: all. */
export function kindPath({ plural, scope }: AnyKind, namespace?: string): string {
  const place = namespace === undefined || scope === "Cluster" ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `/apis/${GROUP_VERSION}${place}/${plural}`;
}

export interface KindRead {
  readonly kind: AnyKind;
  readonly objects: readonly OwnObject[];
  /** Why there may be more. */
  readonly problem?: string;
  /** The cluster does not have the kind. */
  readonly missing?: true;
}

/**
 * All resources of all kinds. A kind that the cluster lacks, or that may not be read, does not keep back the others.
 * @throws CommandError if the cluster has none of the kinds
 */
export async function readKinds(
  client: KubeClient,
  signal: AbortSignal,
  {
    kinds = ALL_KINDS,
    namespace,
  }: { readonly kinds?: readonly AnyKind[]; readonly namespace?: string | undefined } = {},
): Promise<readonly KindRead[]> {
  const reads = await Promise.all(kinds.map((kind) => readKind(client, signal, { kind, namespace })));
  if (reads.every(({ missing }) => missing === true)) throw new CommandError(NO_CRDS);
  return reads;
}

const MISSING = "the cluster does not have this kind: apply the CRDs of this release";

export const NO_CRDS =
  "the cluster has none of flipop's kinds: apply the CRDs of this release (docs/how-to/install.md), or choose another cluster with --context";

/** A kind that the cluster lacks, or that may not be read, has no objects. @throws StatusError */
export async function readKind(
  client: KubeClient,
  signal: AbortSignal,
  { kind, namespace }: { readonly kind: AnyKind; readonly namespace?: string | undefined },
): Promise<KindRead> {
  try {
    return { kind, objects: await listAll<OwnObject>(client, { path: kindPath(kind, namespace) }, signal) };
  } catch (error) {
    if (isNotFound(error)) return { kind, objects: [], problem: MISSING, missing: true };
    if (isForbidden(error)) return { kind, objects: [], problem: `you may not list ${kind.plural}` };
    throw error;
  }
}
