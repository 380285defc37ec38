/**
 * The cluster at one moment, for a plan: lists pass, watches stay silent, and manifests that are not applied yet take the
 * place of the stored resources. A stopped operator counts as resumed.
 */

import { ALL_KINDS, Annotation, type AnyKind, Finalizer, GROUP_VERSION } from "cdk8s-flipop/api";
import { untilAbort } from "../../async.js";
import {
  isForbidden,
  isNotFound,
  isUnauthorized,
  type KubeClient,
  type KubeRequest,
  type KubeStream,
  StatusError,
} from "../../kube/client.js";
import type { FencedClient } from "../../kube/transport/transport.js";
import { CommandError } from "../command.js";
import type { OwnObject } from "../list-objects.js";

/** A resource as the file describes it, beside the one that the cluster has. */
export interface Manifest {
  readonly kind: AnyKind;
  readonly namespace: string;
  readonly name: string;
  /** @param live `undefined`: the cluster does not have it. @throws CommandError */
  applyTo(live: OwnObject | undefined): OwnObject;
}

export interface ResourceId {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

interface ListAnswer {
  readonly metadata?: { readonly continue?: string; readonly resourceVersion?: string };
  readonly items?: readonly OwnObject[] | null;
}

interface Collection {
  readonly kind: AnyKind;
  readonly namespace: string | undefined;
}

const COLLECTION = new RegExp(`^/apis/${GROUP_VERSION}(?:/namespaces/([^/]+))?/([^/]+)$`);

export class FrozenCluster implements FencedClient {
  /** All resources that the operator has read. */
  readonly resources: ResourceId[] = [];
  /** Plurals of kinds that have been read whole. */
  readonly read = new Set<string>();
  /** Plurals of kinds that the cluster lacks. */
  readonly absent = new Set<string>();
  /** What the operator could not read, by path. */
  readonly failures = new Map<string, string>();
  /** The reason in the annotation; `undefined`: the operator is not stopped. */
  stopped: string | undefined;
  private readonly seen = new Set<Manifest>();

  constructor(
    private readonly client: KubeClient,
    private readonly manifests: readonly Manifest[],
    /** Without this read, no plan can be made. */
    private readonly onRefusal: (error: Error) => void,
    /** Have the finalizer, whatever the cluster says: a former plan would add it. */
    private readonly finalized: readonly ResourceId[] = [],
  ) {}

  /** Nothing is written: the dry run of the operator withholds all writes before they come here. */
  fenced(): KubeClient {
    return this;
  }

  async request<T>(request: KubeRequest): Promise<T> {
    if (request.method !== "GET") throw new Error(`a plan changes nothing: ${request.method} ${request.path}`);
    const collection = collectionOf(request);
    try {
      const answer = await this.client.request<T>(request);
      if (request.path.endsWith("/leases")) return this.withoutStop(answer as ListAnswer) as T;
      return collection === undefined ? answer : (this.merged(collection, answer as ListAnswer) as T);
    } catch (error) {
      if (collection !== undefined && isNotFound(error)) {
        this.absent.add(collection.kind.plural);
        return this.merged(collection, { metadata: { resourceVersion: "1" }, items: [] }) as T;
      }
      this.note(request, error);
      throw error;
    }
  }

  open({ path, query = {}, signal }: KubeRequest): Promise<KubeStream> {
    if (query["sendInitialEvents"] === true) {
      const message = `${path}: a plan lists in pages, without sendInitialEvents`;
      return Promise.reject(new StatusError({ code: 422, reason: "Invalid", message }));
    }
    return Promise.resolve(silence(signal));
  }

  private note({ path, query }: KubeRequest, error: unknown): void {
    if (error instanceof CommandError) this.onRefusal(error);
    if (!(error instanceof Error) || query?.["limit"] === undefined) return;
    this.failures.set(path, error.message);
    const needed = path === "/api/v1/nodes" || COLLECTION.test(path);
    if (isUnauthorized(error) || (needed && isForbidden(error))) this.onRefusal(error);
  }

  private merged({ kind, namespace }: Collection, answer: ListAnswer): ListAnswer {
    const own = this.manifests.filter((one) => one.kind.kind === kind.kind && isIn(namespace, one.namespace));
    const items = (answer.items ?? []).map((live) => {
      const manifest = own.find(
        (one) => one.name === live.metadata.name && isIn(live.metadata.namespace, one.namespace),
      );
      if (manifest === undefined) return live;
      this.seen.add(manifest);
      return manifest.applyTo(live);
    });
    const isLast = !answer.metadata?.continue;
    const added = isLast ? own.filter((one) => !this.seen.has(one)).map((one) => one.applyTo(undefined)) : [];
    const all = [...items, ...added].map((one) => this.withFinalizer(kind, one));
    for (const { metadata } of all) {
      this.resources.push({ kind: kind.kind, namespace: metadata.namespace ?? "", name: metadata.name });
    }
    if (isLast) this.read.add(kind.plural);
    return { ...answer, items: all };
  }

  private withFinalizer({ kind }: AnyKind, object: OwnObject): OwnObject {
    const { namespace = "", name, finalizers = [] } = object.metadata;
    if (!this.finalized.some((one) => one.kind === kind && one.namespace === namespace && one.name === name))
      return object;
    return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, Finalizer.cleanup] } };
  }

  private withoutStop(answer: ListAnswer): ListAnswer {
    this.stopped = (answer.items ?? [])
      .map(({ metadata }) => metadata.annotations?.[Annotation.stop])
      .find((reason) => reason !== undefined);
    return { ...answer, items: [] };
  }
}

function collectionOf({ path }: KubeRequest): Collection | undefined {
  const [, namespace, plural] = COLLECTION.exec(path) ?? [];
  const kind = ALL_KINDS.find((one) => one.plural === plural);
  return kind && { kind, namespace };
}

/** @param namespace of the collection; `undefined`: all. */
function isIn(namespace: string | undefined, own: string): boolean {
  return namespace === undefined || namespace === own;
}

/** A watch on which nothing happens. */
function silence(signal: AbortSignal | undefined): KubeStream {
  const end = new AbortController();
  const over = signal === undefined ? end.signal : AbortSignal.any([end.signal, signal]);
  return {
    close: () => end.abort(),
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        await untilAbort(over);
        return { done: true, value: undefined };
      },
    }),
  };
}
