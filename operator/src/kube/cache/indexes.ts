/** The values under which an object is found; none leaves it out of the index. */
export type IndexFn<T> = (object: T) => readonly string[];

/** One incremental index: value -> the objects that have it. */
export class Index<T> {
  private readonly buckets = new Map<string, Set<T>>();

  constructor(private readonly valuesOf: IndexFn<T>) {}

  get(value: string): ReadonlySet<T> {
    return this.buckets.get(value) ?? EMPTY;
  }

  values(): IterableIterator<string> {
    return this.buckets.keys();
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
