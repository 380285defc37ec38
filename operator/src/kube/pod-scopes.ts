import { type Cache, type CacheContext, FilteredCache, ReflectedCache } from "./cache.js";
import type { BodyDecoder } from "./client.js";
import { type LabelSelector, matchesLabels, selectorString } from "./label-selector.js";
import type { WatchTarget } from "./list.js";
import { type Share, SharedCaches } from "./shared-caches.js";
import { type SlimPod, slimPods } from "./slim.js";

/** Pod watches with a selector of their own. Scopes beyond them are filtered out of one watch of all pods. */
export const MAX_POD_WATCHES = 64;

/** Which pods. */
export interface PodScope {
  /** @default all namespaces */
  readonly namespace?: string;
  readonly selector: LabelSelector;
}

export type PodIndex = "node";

export const POD_INDEXES = {
  node: (pod: SlimPod): readonly string[] => (pod.nodeName === undefined ? [] : [pod.nodeName]),
} as const;

/** Of the watch of all pods: hundreds of scopes are filled from it, and each would look at every pod. */
const ALL_INDEXES = {
  ...POD_INDEXES,
  label: (pod: SlimPod): readonly string[] => Object.entries(pod.labels).map(([key, value]) => labelled(key, value)),
} as const;

type AllIndex = keyof typeof ALL_INDEXES;

/** Equal scopes give equal keys: those share one watch. */
export function scopeKey({ namespace = "", selector }: PodScope): string {
  return `${namespace}|${selectorString(selector)}`;
}

/** One pod cache for each distinct scope in use. */
export class PodScopes {
  private readonly watched = new SharedCaches<SlimPod, PodIndex>();
  private readonly filtered = new SharedCaches<SlimPod, PodIndex>();
  /** Of all pods; held by the filtered ones. */
  private readonly all = new SharedCaches<SlimPod, AllIndex>();
  private readonly transform = slimPods();

  constructor(
    private readonly context: CacheContext,
    private readonly decoder: BodyDecoder,
  ) {}

  caches(): Cache<SlimPod, PodIndex>[] {
    return [...this.watched.caches(), ...this.filtered.caches()];
  }

  hold(scope: PodScope): Share<SlimPod, PodIndex> {
    const key = scopeKey(scope);
    if (this.watched.has(key) || (this.watched.size < MAX_POD_WATCHES && !this.filtered.has(key))) {
      return this.watched.hold(key, () => this.reflect({ ...targetOf(scope), decoder: this.decoder }));
    }
    return this.filtered.hold(key, () => this.filter(key, scope));
  }

  async stop(): Promise<void> {
    await Promise.all([this.watched.stopAll(), this.filtered.stopAll(), this.all.stopAll()]);
  }

  private reflect(target: WatchTarget): Cache<SlimPod, PodIndex> {
    return new ReflectedCache(this.context, { target, transform: this.transform, indexes: POD_INDEXES });
  }

  private filter(key: string, { namespace, selector }: PodScope): Cache<SlimPod, PodIndex> {
    const { context, decoder, transform } = this;
    const source = this.all.hold(
      "all",
      () => new ReflectedCache(context, { target: { ...ALL_PODS, decoder }, transform, indexes: ALL_INDEXES }),
    );
    const part = {
      accepts: (pod: SlimPod) => (!namespace || pod.namespace === namespace) && matchesLabels(selector, pod.labels),
      candidates: () => candidatesOf(source.cache.store, selector),
    };
    const cache = new FilteredCache<SlimPod, PodIndex>(source.cache, `pods ${key}`, part, POD_INDEXES);
    return new Releasing(cache, () => source.release());
  }
}

const ALL_PODS: WatchTarget = { name: "pods", path: "/api/v1/pods" };

function targetOf({ namespace, selector }: PodScope): WatchTarget {
  const path = namespace ? `/api/v1/namespaces/${namespace}/pods` : "/api/v1/pods";
  return { name: "pods", path, labelSelector: selectorString(selector) };
}

function labelled(key: string, value: string): string {
  return `${key}=${value}`;
}

/** The pods that meet the rarest of the requirements that name values; all of them where none does. */
function candidatesOf(pods: Cache<SlimPod, AllIndex>["store"], selector: LabelSelector): Iterable<SlimPod> {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const equal = Object.entries(matchLabels).map(([key, value]) => [labelled(key, value)]);
  const among = matchExpressions.flatMap(({ key, operator, values = [] }) =>
    operator === "In" ? [[...new Set(values)].map((value) => labelled(key, value))] : [],
  );
  let rarest: { readonly size: number; readonly sets: readonly ReadonlySet<SlimPod>[] } | undefined;
  for (const values of [...equal, ...among]) {
    const sets = values.map((value) => pods.byIndex("label", value));
    const size = sets.reduce((sum, set) => sum + set.size, 0);
    if (rarest === undefined || size < rarest.size) rarest = { size, sets };
  }
  return rarest === undefined ? pods.list() : rarest.sets.flatMap((set) => [...set]);
}

/** A cache that gives back its source when it stops. */
class Releasing implements Cache<SlimPod, PodIndex> {
  readonly store: Cache<SlimPod, PodIndex>["store"];

  constructor(
    private readonly inner: Cache<SlimPod, PodIndex>,
    private readonly release: () => Promise<void>,
  ) {
    this.store = inner.store;
  }

  get state() {
    return this.inner.state;
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.inner.whenSynced(signal);
  }

  async stop(): Promise<void> {
    await this.inner.stop();
    await this.release();
  }
}
