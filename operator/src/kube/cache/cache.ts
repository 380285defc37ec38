import type { Clock } from "../../clock.js";
import type { Logger } from "../../logging.js";
import type { KubeClient } from "../client.js";
import type { Cached, Transform } from "../objects.js";
import type { WatchTarget } from "../watch/list.js";
import { isNamespaceGone, namespaceOf } from "../watch/namespace-end.js";
import { Reflector, type ReflectorObserver, type ServerFeatures } from "../watch/reflector.js";
import type { IndexFn } from "./indexes.js";
import { type ReadStore, Store } from "./store.js";

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

export interface ReflectedCacheProps<T extends Cached, I extends string> {
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
    const { synced, connected, lastError, lastCode } = this.reflector.state;
    return { name: this.props.target.name, synced, connected, lastError, lastCode };
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
export interface Part<T> {
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
    const { connected, lastError, lastCode } = this.source.state;
    return { name: this.name, synced: this.synced, connected, lastError, lastCode };
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
