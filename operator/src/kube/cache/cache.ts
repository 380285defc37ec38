import type { Clock } from "../../clock.js";
import type { Logger } from "../../logging.js";
import { NAMESPACE_CALL_SECONDS } from "../../timings.js";
import { isNotFound, type KubeClient } from "../client.js";
import type { Cached, Transform } from "../objects.js";
import type { Staleness } from "../watch/freshness.js";
import type { WatchTarget } from "../watch/list.js";
import { Reflector, type ReflectorObserver, type ServerFeatures } from "../watch/reflector.js";
import { EVENTS_API_VERSION } from "../write/event-series.js";
import { type IndexFn, type ReadStore, Store } from "./store.js";

/** What every cache of one server shares. */
export interface CacheContext {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  readonly features: ServerFeatures;
  /** Makes the metrics of one reflector. */
  readonly observe: ((name: string) => ReflectorObserver) | undefined;
}

export interface CacheState {
  readonly name: string;
  readonly synced: boolean;
  readonly connected: boolean;
  readonly lastError: string | undefined;
  /** HTTP status with which the server refused it last. */
  readonly lastCode: number | undefined;
  /** It may differ from the server. */
  readonly stale?: Staleness | undefined;
}

/** A set of objects that is kept equal to the server for as long as somebody holds it. */
export interface Cache<T extends Cached, I extends string = never> {
  readonly store: ReadStore<T, I>;
  readonly state: CacheState;
  /** Resolves with the first complete set; rejects with the signal's reason. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Resolves when nothing of it is left. */
  stop(): Promise<void>;
}

interface ReflectedCacheProps<T extends Cached, I extends string> {
  readonly target: WatchTarget;
  readonly transform: Transform<T>;
  readonly indexes?: Readonly<Record<I, IndexFn<T>>>;
}

/** Accepts changes that its watch does not report. */
export interface ToldCache<T extends Cached, I extends string = never> extends Cache<T, I> {
  /** The object is gone, as the answer to a write has said. Only while it is not connected. */
  forget(object: Cached): void;
}

/** A cache with a reflector of its own, which starts at once. */
export class ReflectedCache<T extends Cached, I extends string = never> implements ToldCache<T, I> {
  readonly store: Store<T, I>;
  private readonly reflector: Reflector<T>;
  private readonly controller = new AbortController();
  private readonly done: Promise<void>;

  constructor(
    context: CacheContext,
    private readonly props: ReflectedCacheProps<T, I>,
  ) {
    const { observe, ...rest } = context;
    const { target, transform, indexes } = props;
    this.store = new Store<T, I>({ logger: context.logger, ...(indexes === undefined ? {} : { indexes }) });
    const observer = observe?.(target.name);
    const namespace = namespaceOf(target.path);
    this.reflector = new Reflector({
      ...rest,
      target,
      transform,
      sink: this.store,
      ...(namespace === undefined
        ? {}
        : { isGone: (signal: AbortSignal) => isNamespaceGone(context.client, namespace, signal) }),
      ...(observer === undefined ? {} : { observer }),
    });
    this.done = this.reflector.run(this.controller.signal);
  }

  get state(): CacheState {
    const { synced, connected, lastError, lastCode, stale } = this.reflector.state;
    return { name: this.props.target.name, synced, connected, lastError, lastCode, stale };
  }

  forget(object: Cached): void {
    this.store.remove(object);
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.reflector.whenSynced(signal);
  }

  stop(): Promise<void> {
    this.controller.abort();
    return this.done;
  }
}

/** Which objects of a cache. */
interface Part<T> {
  accepts(object: T): boolean;
  /** No fewer than it accepts: what an index of the source leaves of them. */
  candidates(): Iterable<T>;
}

/** The part of another cache that a predicate lets through: its own store and indexes, the same objects, no watch. */
export class FilteredCache<T extends Cached, I extends string = never> implements Cache<T, I> {
  readonly store: Store<T, I>;
  private readonly controller = new AbortController();
  private readonly filled: Promise<void>;
  private synced = false;
  private unlisten = () => {};

  constructor(
    private readonly source: Cache<T, I>,
    private readonly name: string,
    private readonly part: Part<T>,
    indexes: Readonly<Record<I, IndexFn<T>>>,
  ) {
    this.store = new Store<T, I>({ indexes });
    this.filled = this.fill();
    // A waiting caller sees the rejection; without one, an early stop is not an error.
    this.filled.catch(() => {});
  }

  get state(): CacheState {
    const { connected, lastError, lastCode, stale } = this.source.state;
    return { name: this.name, synced: this.synced, connected, lastError, lastCode, stale };
  }

  async whenSynced(signal?: AbortSignal): Promise<void> {
    await this.source.whenSynced(signal);
    await this.filled;
  }

  async stop(): Promise<void> {
    this.controller.abort(new Error(`cache ${this.name}: stopped`));
    this.unlisten();
    await this.filled.catch(() => {});
  }

  private async fill(): Promise<void> {
    await this.source.whenSynced(this.controller.signal);
    await ownTurn(this.source);
    this.controller.signal.throwIfAborted();
    // In one turn with the listening, so that no event falls between.
    const { part } = this;
    for (const object of part.candidates()) if (part.accepts(object)) this.store.upsert(object);
    this.unlisten = this.source.store.listen((event) => {
      if (event.type !== "deleted" && part.accepts(event.object)) this.store.upsert(event.object);
      else this.store.remove(event.object);
    });
    this.synced = true;
  }
}

const turns = new WeakMap<object, Promise<void>>();

/** A turn of the event loop for each of those who wait for one source: a thousand at once would block it for seconds. */
function ownTurn(source: object): Promise<void> {
  const next = () => new Promise<void>((resolve) => setImmediate(resolve));
  const iteration = (turns.get(source) ?? Promise.resolve()).then(next);
  turns.set(source, iteration);
  return iteration;
}

interface Holding<T extends Cached, I extends string> {
  readonly cache: Cache<T, I>;
  holders: number;
}

/** Somebody's share of a cache. Release it once; more often does no harm. */
export interface Share<T extends Cached, I extends string = never> {
  readonly cache: Cache<T, I>;
  release(): Promise<void>;
}

/** Counts who holds which cache: made by the first holder, stopped by the last. */
export class SharedCaches<T extends Cached, I extends string = never> {
  private readonly observed = new Map<string, Holding<T, I>>();

  get size(): number {
    return this.observed.size;
  }

  has(key: string): boolean {
    return this.observed.has(key);
  }

  caches(): Cache<T, I>[] {
    return [...this.observed.values()].map((holding) => holding.cache);
  }

  hold(key: string, make: () => Cache<T, I>): Share<T, I> {
    const holding = this.observed.get(key) ?? { cache: make(), holders: 0 };
    holding.holders++;
    this.observed.set(key, holding);
    let released: Promise<void> | undefined;
    const release = () => {
      released ??= this.drop(key, holding);
      return released;
    };
    return { cache: holding.cache, release };
  }

  async stopAll(): Promise<void> {
    const all = this.caches();
    this.observed.clear();
    await Promise.all(all.map((cache) => cache.stop()));
  }

  private async drop(key: string, holding: Holding<T, I>): Promise<void> {
    holding.holders--;
    if (holding.holders > 0) return;
    if (this.observed.get(key) === holding) this.observed.delete(key);
    await holding.cache.stop();
  }
}

const NAMESPACE = /\/namespaces\/([^/]+)\//;

/** Of a collection; `undefined`: it is one of the whole cluster. */
function namespaceOf(path: string): string | undefined {
  return NAMESPACE.exec(path)?.[1];
}

/**
 * Asks with a dry run of an Event there: the operator may create Events in every namespace, and the server reports a
 * missing namespace before any other error.
 */
function isNamespaceGone(client: KubeClient, namespace: string, signal?: AbortSignal): Promise<boolean> {
  const event = { apiVersion: EVENTS_API_VERSION, kind: "Event", metadata: { generateName: "probe-", namespace } };
  const path = `/apis/${EVENTS_API_VERSION}/namespaces/${namespace}/events`;
  const limits = { maxAttempts: 1, deadlineSeconds: NAMESPACE_CALL_SECONDS, ...(signal && { signal }) };
  return client.request({ method: "POST", path, query: { dryRun: "All" }, body: event, ...limits }).then(
    () => false,
    (error: unknown) => isNotFound(error) && error.details.kind === "namespaces",
  );
}
