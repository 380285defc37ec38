import { type Change, Collection } from "./collection.js";

// Well above the small numbers that tests take for "long ago".
const FIRST_REVISION = 100;

/** How many writes are remembered for watches and pages; older ones are compacted away. */
export const DEFAULT_HISTORY = 20_000;

/** All collections. Revisions are unique over all of them, as etcd's are. */
export class Store {
  private readonly collections = new Map<string, Collection>();
  private current = FIRST_REVISION;
  private changes = 0;
  private readonly listeners = new Set<(change: Change, collection: Collection) => void>();

  constructor(private readonly historyLimit: number) {}

  /** Revision of the newest write. */
  get revision(): number {
    return this.current;
  }

  /** The collection of that name, made when it is not there. */
  collection(name: string): Collection {
    const known = this.collections.get(name);
    if (known) return known;
    const revisions = {
      next: () => ++this.current,
      written: (change: Change, collection: Collection) => this.written(change, collection),
    };
    // A new collection has no past: watching it from before its time is refused, as by the API server.
    const made = new Collection(revisions, this.current);
    this.collections.set(name, made);
    return made;
  }

  /** Removes a collection with its history. */
  drop(name: string): void {
    this.collections.delete(name);
  }

  /** All collections. */
  all(): readonly Collection[] {
    return [...this.collections.values()];
  }

  /** Calls the listener after each write to any collection. */
  subscribe(listener: (change: Change, collection: Collection) => void): void {
    this.listeners.add(listener);
  }

  /** Forgets the history: watches and pages from before now get 410. */
  compact(revision = this.current): void {
    this.changes = 0;
    for (const collection of this.collections.values()) collection.compact(revision);
  }

  private written(change: Change, collection: Collection): void {
    this.changes += 1;
    // Half is kept, so that this is rare and running watches never notice.
    if (this.changes > this.historyLimit) {
      this.compact(this.current - Math.floor(this.historyLimit / 2));
      this.changes = Math.floor(this.historyLimit / 2);
    }
    for (const listener of this.listeners) listener(change, collection);
  }
}
