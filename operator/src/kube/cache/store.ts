import type { Pacer } from "../../async.js";
import { errorText, type Logger, silentLogger } from "../../logging.js";
import { type Cached, jsonEqual, keyOf } from "../objects.js";

export type StoreEvent<T> =
  | { readonly type: "added"; readonly object: T }
  | { readonly type: "updated"; readonly object: T; readonly old: T }
  | { readonly type: "deleted"; readonly object: T };

/** Called after the store has changed. An error that it throws is logged and does not affect other listeners. */
export type StoreListener<T> = (event: StoreEvent<T>) => void;

/** What readers of a cache see. */
export interface ReadStore<T extends Cached, I extends string = never> {
  readonly size: number;
  /** @param key `namespace/name`, or `name` for cluster-scoped kinds. */
  get(key: string): T | undefined;
  getByUid(uid: string): T | undefined;
  list(): IterableIterator<T>;
  byIndex(index: I, value: string): ReadonlySet<T>;
  /** @returns the function that ends it. */
  listen(listener: StoreListener<T>): () => void;
  /** Called when a complete set has replaced the content, also where nothing differs. @returns the function that ends it. */
  onReplace(listener: () => void): () => void;
}

interface StoreProps<T extends Cached, I extends string> {
  /** @default no indexes */
  readonly indexes?: Readonly<Record<I, IndexFn<T>>>;
  /** @default silent */
  readonly logger?: Logger;
}

/** Slim frozen objects by key and uid. One writer (a reflector), any number of readers. */
export class Store<T extends Cached, I extends string = never> implements ReadStore<T, I> {
  private state: State<T>;
  private readonly listeners = new Set<StoreListener<T>>();
  private readonly replaceListeners = new Set<() => void>();
  private readonly logger: Logger;

  constructor(props: StoreProps<T, I> = {}) {
    const indexes = Object.entries<IndexFn<T>>(props.indexes ?? {});
    this.state = new State(new Map(indexes.map(([name, fn]) => [name, new Index(fn)])));
    this.logger = props.logger ?? silentLogger;
  }

  get size(): number {
    return this.state.byKey.size;
  }

  get(key: string): T | undefined {
    return this.state.byKey.get(key);
  }

  getByUid(uid: string): T | undefined {
    return this.state.byUid.get(uid);
  }

  list(): IterableIterator<T> {
    return this.state.byKey.values();
  }

  byIndex(index: I, value: string): ReadonlySet<T> {
    const found = this.state.indexes.get(index);
    if (found === undefined) throw new Error(`store has no index "${index}": name it in the store's indexes`);
    return found.get(value);
  }

  listen(listener: StoreListener<T>): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  onReplace(listener: () => void): () => void {
    this.replaceListeners.add(listener);
    return () => {
      this.replaceListeners.delete(listener);
    };
  }

  /** Adds or updates. The same name under another uid is a delete and an add; no visible change is no event. */
  upsert(object: T): void {
    const old = this.state.byKey.get(keyOf(object));
    if (jsonEqual(old, object)) return;
    this.state.put(object, old);
    for (const event of changes(old, object)) this.emit(event);
  }

  /** Removes what has this name and uid; a late delete of a predecessor leaves the new object alone. */
  remove(object: Cached): void {
    const old = this.state.byKey.get(keyOf(object));
    if (old === undefined || old.uid !== object.uid) return;
    this.state.drop(old);
    this.emit({ type: "deleted", object: old });
  }

  /**
   * Makes `objects` the whole content: readers see the old set, then the new one, nothing in between. Then every
   * difference is reported, deletes first, also those missed while offline. Nothing else may write until it resolves.
   */
  async replace(objects: Iterable<T>, pacer?: Pacer): Promise<void> {
    const next = this.state.fresh();
    for (const object of objects) {
      next.put(object, next.byKey.get(keyOf(object)));
      if (pacer?.due) await pacer.yieldOnce();
    }
    const events = await this.difference(next, pacer);
    this.state = next;
    for (const event of events) {
      this.emit(event);
      if (pacer?.due) await pacer.yieldOnce();
    }
    for (const listener of this.replaceListeners) listener();
  }

  private async difference(next: State<T>, pacer: Pacer | undefined): Promise<StoreEvent<T>[]> {
    const events: StoreEvent<T>[] = [];
    for (const [key, old] of this.state.byKey) {
      if (next.byKey.get(key)?.uid !== old.uid) events.push({ type: "deleted", object: old });
      if (pacer?.due) await pacer.yieldOnce();
    }
    for (const [key, object] of next.byKey) {
      events.push(...arrival(this.state.byKey.get(key), object));
      if (pacer?.due) await pacer.yieldOnce();
    }
    return events;
  }

  private emit(event: StoreEvent<T>): void {
    for (const listener of [...this.listeners]) {
      try {
        // An async listener is legal TypeScript; its rejection must not end the process either.
        const result: unknown = listener(event);
        if (result instanceof Promise) result.catch((error: unknown) => this.complain(event, error));
      } catch (error) {
        this.complain(event, error);
      }
    }
  }

  private complain(event: StoreEvent<T>, error: unknown): void {
    this.logger.error(
      { event: event.type, object: keyOf(event.object), error: errorText(error) },
      "a store listener threw; the event is skipped for it",
    );
  }
}

/** An object under the name of a deleted one, whose deletion was reported, is a new one. */
function arrival<T extends Cached>(old: T | undefined, object: T): StoreEvent<T>[] {
  if (old?.uid !== object.uid) return [{ type: "added", object }];
  return jsonEqual(old, object) ? [] : [{ type: "updated", object, old }];
}

function changes<T extends Cached>(old: T | undefined, object: T): StoreEvent<T>[] {
  if (old === undefined) return [{ type: "added", object }];
  if (old.uid === object.uid) return [{ type: "updated", object, old }];
  return [
    { type: "deleted", object: old },
    { type: "added", object },
  ];
}

/** Everything that is swapped at once. */
class State<T extends Cached> {
  readonly byKey = new Map<string, T>();
  readonly byUid = new Map<string, T>();

  constructor(readonly indexes: ReadonlyMap<string, Index<T>>) {}

  fresh(): State<T> {
    return new State(new Map([...this.indexes].map(([name, index]) => [name, index.fresh()])));
  }

  put(object: T, old: T | undefined): void {
    if (old !== undefined) this.drop(old);
    this.byKey.set(keyOf(object), object);
    this.byUid.set(object.uid, object);
    for (const index of this.indexes.values()) index.insert(object);
  }

  drop(object: T): void {
    this.byKey.delete(keyOf(object));
    this.byUid.delete(object.uid);
    for (const index of this.indexes.values()) index.remove(object);
  }
}

/** The values under which an object is found; none leaves it out of the index. */
export type IndexFn<T> = (object: T) => readonly string[];

/** One incremental index: value -> the objects that have it. */
class Index<T> {
  private readonly buckets = new Map<string, Set<T>>();

  constructor(private readonly valuesOf: IndexFn<T>) {}

  get(value: string): ReadonlySet<T> {
    return this.buckets.get(value) ?? EMPTY;
  }

  insert(object: T): void {
    for (const value of this.valuesOf(object)) {
      const bucket = this.buckets.get(value);
      if (bucket === undefined) this.buckets.set(value, new Set([object]));
      else bucket.add(object);
    }
  }

  remove(object: T): void {
    for (const value of this.valuesOf(object)) {
      const bucket = this.buckets.get(value);
      bucket?.delete(object);
      if (bucket?.size === 0) this.buckets.delete(value);
    }
  }

  /** An empty index of the same kind. */
  fresh(): Index<T> {
    return new Index(this.valuesOf);
  }
}

const EMPTY: ReadonlySet<never> = new Set();
