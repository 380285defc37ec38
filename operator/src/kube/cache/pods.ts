import { errorText, type Logger } from "../../logging.js";
import type { BodyDecoder } from "../client.js";
import { jsonEqual, keyOf, type LabelSelector, matchesLabels, selectorString } from "../objects.js";
import type { WatchTarget } from "../watch/list.js";
import { type Cache, type CacheContext, FilteredCache, ReflectedCache, type Share, SharedCaches } from "./cache.js";
import { type SlimPod, slimPods } from "./slim-objects.js";
import type { StoreEvent, StoreListener } from "./store.js";

/** Pod watches with a selector of their own. Scopes beyond them are filtered out of one watch of all pods. */
export const MAX_POD_WATCHES = 64;

/** Which pods. */
export interface PodScope {
  /** @default all namespaces */
  readonly namespace?: string;
  readonly selector: LabelSelector;
}

export type PodIndex = "node";

/** Key of the pods that have no node yet, in the index by node. */
export const NO_NODE = "";

export const POD_INDEXES = {
  node: ({ nodeName = NO_NODE }: SlimPod): readonly string[] => [nodeName],
} as const;

/** Of the watch of all pods: hundreds of scopes are filled from it, and each would look at every pod. */
const ALL_INDEXES = {
  ...POD_INDEXES,
  label: (pod: SlimPod): readonly string[] => Object.entries(pod.labels).map(([key, value]) => labelled(key, value)),
} as const;

type AllIndex = keyof typeof ALL_INDEXES;

/** Equal scopes give equal keys: those share one watch. */
function scopeKey({ namespace = "", selector }: PodScope): string {
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

interface Pending {
  readonly key: string;
  readonly share: Share<SlimPod, PodIndex>;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/**
 * One resource's pods. A changed selector swaps at once: the old set stays visible until the new one is complete, then
 * the differences are sent as events.
 */
export class PodView {
  private current: Share<SlimPod, PodIndex> | undefined;
  private next: Pending | undefined;
  private key: string | undefined;
  private unlisten = () => {};
  private closed = false;
  private readonly work = new Set<Promise<void>>();

  constructor(
    private readonly scopes: PodScopes,
    private readonly listener: StoreListener<SlimPod>,
    private readonly logger: Logger,
  ) {}

  /** The complete set of the last selector that has synced; `undefined` before the first. */
  get store(): Cache<SlimPod, PodIndex>["store"] | undefined {
    return this.current?.cache.store;
  }

  /** The set is that of the selector asked for last. */
  get settled(): boolean {
    return this.current !== undefined && this.next === undefined;
  }

  /** Asks for other pods; the same ones again is nothing. Resolves when they are visible or no longer asked for. */
  async select(scope: PodScope): Promise<void> {
    const key = scopeKey(scope);
    if (this.closed) return;
    if (key === this.next?.key) return this.next.done;
    this.abandon();
    if (key === this.key) return;
    const share = this.scopes.hold(scope);
    const controller = new AbortController();
    const synced = share.cache.whenSynced(controller.signal);
    const next: Pending = {
      key,
      share,
      controller,
      done: synced.then(
        () => this.swap(next),
        () => {},
      ),
    };
    this.next = next;
    return next.done;
  }

  /** Gives everything back; no event after it. */
  async close(): Promise<void> {
    this.closed = true;
    this.unlisten();
    this.abandon();
    if (this.current !== undefined) this.track(this.current.release());
    this.current = undefined;
    await Promise.all(this.work);
  }

  private abandon(): void {
    const { next } = this;
    if (next === undefined) return;
    this.next = undefined;
    next.controller.abort(new Error(`pods ${next.key}: no longer asked for`));
    this.track(next.share.release());
  }

  private swap(next: Pending): void {
    if (this.next !== next) return;
    const old = this.current;
    this.unlisten();
    this.current = next.share;
    this.key = next.key;
    this.next = undefined;
    this.unlisten = next.share.cache.store.listen((event) => this.emit(event));
    for (const event of difference(old?.cache.store, next.share.cache.store)) this.emit(event);
    if (old !== undefined) this.track(old.release());
  }

  private emit(event: StoreEvent<SlimPod>): void {
    if (this.closed) return;
    try {
      this.listener(event);
    } catch (error) {
      this.logger.error({ object: keyOf(event.object), error: errorText(error) }, "a pod listener threw");
    }
  }

  private track(work: Promise<void>): void {
    this.work.add(work);
    work.finally(() => this.work.delete(work)).catch(() => {});
  }
}

type Pods = Cache<SlimPod, PodIndex>["store"];

function difference(old: Pods | undefined, next: Pods): StoreEvent<SlimPod>[] {
  const gone: StoreEvent<SlimPod>[] = [];
  const come: StoreEvent<SlimPod>[] = [];
  for (const pod of old?.list() ?? []) {
    if (next.getByUid(pod.uid) === undefined) gone.push({ type: "deleted", object: pod });
  }
  for (const pod of next.list()) {
    const before = old?.getByUid(pod.uid);
    if (before === undefined) come.push({ type: "added", object: pod });
    else if (!jsonEqual(before, pod)) come.push({ type: "updated", object: pod, old: before });
  }
  return gone.concat(come);
}
