import type { ApiObject } from "../objects.js";

/** One write. Revisions grow over the whole store, so each is unique. */
export interface Change {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The object after the write; of a deleted one its last state. Its resourceVersion is the revision. */
  readonly object: ApiObject;
  /** The object before the write. */
  readonly previous: ApiObject | undefined;
}

/** What a collection needs from its store. */
export interface RevisionSource {
  /** The revision of the next write. */
  next(): number;
  written(change: Change, collection: Collection): void;
}

/** The objects of one resource with the history of their writes. */
export class Collection {
  private readonly objects = new Map<string, ApiObject>();
  private readonly listeners = new Set<(change: Change) => void>();
  private sorted: readonly string[] | undefined;
  private history: Change[] = [];

  /** @param compacted revisions up to this one can't be watched from */
  constructor(
    private readonly revisions: RevisionSource,
    private compacted: number,
  ) {}

  /** Number of objects. */
  get size(): number {
    return this.objects.size;
  }

  /** History starts after this revision. */
  get compactedRevision(): number {
    return this.compacted;
  }

  get(key: string): ApiObject | undefined {
    return this.objects.get(key);
  }

  /** Current objects, ordered by key. */
  list(): readonly ApiObject[] {
    this.sorted ??= [...this.objects.keys()].sort();
    return this.sorted.flatMap((key) => this.objects.get(key) ?? []);
  }

  /** Objects as they were at a revision, ordered by key; undefined when the history does not reach back so far. */
  listAt(revision: number): readonly ApiObject[] | undefined {
    if (revision < this.compacted) return undefined;
    const later = this.history.filter((change) => change.revision > revision);
    if (later.length === 0) return this.list();
    const objects = new Map(this.objects);
    for (const { object, previous } of later.reverse()) {
      if (previous) objects.set(keyOf(object), previous);
      else objects.delete(keyOf(object));
    }
    return [...objects.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** Writes after a revision; undefined when the history does not reach back so far. */
  since(revision: number): readonly Change[] | undefined {
    if (revision < this.compacted) return undefined;
    return this.history.filter((change) => change.revision > revision);
  }

  /** Creates or replaces an object; returns it as stored, with its new resourceVersion. */
  put(object: ApiObject): ApiObject {
    const key = keyOf(object);
    const previous = this.objects.get(key);
    const revision = this.revisions.next();
    const stored = withRevision(object, revision);
    this.objects.set(key, stored);
    if (!previous) this.sorted = undefined;
    this.record({ revision, type: previous ? "MODIFIED" : "ADDED", object: stored, previous });
    return stored;
  }

  /** Removes an object, if it is there. */
  remove(key: string): void {
    const previous = this.objects.get(key);
    if (!previous) return;
    const revision = this.revisions.next();
    this.objects.delete(key);
    this.sorted = undefined;
    this.record({ revision, type: "DELETED", object: withRevision(previous, revision), previous });
  }

  /** Calls the listener after each write, until the returned function is called. */
  subscribe(listener: (change: Change) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Forgets the history up to a revision. */
  compact(revision: number): void {
    this.compacted = Math.max(this.compacted, revision);
    this.history = this.history.filter((change) => change.revision > this.compacted);
  }

  private record(change: Change): void {
    this.history.push(change);
    this.revisions.written(change, this);
    for (const listener of [...this.listeners]) listener(change);
  }
}

/** Key of an object in its collection; orders as the API server does. */
export function keyOf({ metadata }: ApiObject): string {
  return objectKey(metadata.namespace, metadata.name);
}

/** Key of an object by its names. */
export function objectKey(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function withRevision(object: ApiObject, revision: number): ApiObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
