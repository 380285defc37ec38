import type { KubeObject } from "../../../src/kube/objects.js";

export interface CollectionEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
  readonly version: number;
}

/** One collection of a tiny API server: objects, history, resource versions. No HTTP. */
export class FakeCollection {
  readonly objects = new Map<string, KubeObject>();
  history: CollectionEvent[] = [];
  /** The newest version of the collection. */
  version = 100;
  /** Versions at or below have no history any more. */
  compactedAt = 0;
  private uids = 0;
  private readonly watchers = new Set<() => void>();

  /** Creates or changes the object `name`; `labels` and `body` replace what was there. */
  put(
    name: string,
    body: { readonly labels?: Record<string, string>; readonly status?: unknown; readonly spec?: unknown } = {},
  ): KubeObject {
    const old = this.objects.get(name);
    const { labels = {}, ...rest } = body;
    const metadata = {
      name,
      namespace: "default",
      uid: old?.metadata.uid ?? `uid-${++this.uids}`,
      resourceVersion: String(++this.version),
      labels,
    };
    const object: KubeObject = { ...rest, metadata };
    this.objects.set(name, object);
    this.record(old === undefined ? "ADDED" : "MODIFIED", object);
    return object;
  }

  remove(name: string): void {
    const old = this.objects.get(name);
    if (old === undefined) return;
    this.objects.delete(name);
    this.record("DELETED", { ...old, metadata: { ...old.metadata, resourceVersion: String(++this.version) } });
  }

  /** Forgets the history: older watches get 410. */
  compact(): void {
    this.compactedAt = this.version;
    this.history = [];
  }

  /** As after a restore of etcd: an older state and an older version, with no memory of what came after. */
  restore(version: number, names: readonly string[]): void {
    for (const name of [...this.objects.keys()]) if (!names.includes(name)) this.objects.delete(name);
    this.version = version;
    this.history = [];
    this.compactedAt = version - 1;
  }

  since(version: number): CollectionEvent[] {
    return this.history.filter((event) => event.version > version);
  }

  onChange(fn: () => void): () => void {
    this.watchers.add(fn);
    return () => this.watchers.delete(fn);
  }

  private record(type: CollectionEvent["type"], object: KubeObject): void {
    this.history.push({ type, object, version: this.version });
    for (const watcher of [...this.watchers]) watcher();
  }
}
