import type { KubeClient } from "../../../src/kube/client.js";
import type { Cached, KubeObject } from "../../../src/kube/objects.js";
import { Reflector } from "../../../src/kube/watch/reflector.js";

interface ManagedFields {
  readonly manager: string;
  readonly fieldsV1?: { readonly "f:metadata"?: { readonly "f:annotations"?: Readonly<Record<string, unknown>> } };
}

/** Who wrote an annotation of nodes, in the order in which the API server took the writes. */
export class WriteLog {
  readonly writers: string[] = [];
  private readonly values = new Map<string, string>();
  private readonly controller = new AbortController();
  private readonly running: Promise<void>;

  constructor(
    client: KubeClient,
    private readonly annotation: string,
  ) {
    const reflector = new Reflector<Cached>({
      client,
      target: { name: "nodes", path: "/api/v1/nodes" },
      transform: (raw) => this.note(raw),
      sink: { replace: async () => {}, upsert: () => {}, remove: () => {} },
    });
    this.running = reflector.run(this.controller.signal);
  }

  count(writer: string): number {
    return this.writers.filter((seen) => seen === writer).length;
  }

  /** Writers without repetitions in a row: `a b` when b followed a; `a b a` when a wrote once more. */
  get turns(): string[] {
    return this.writers.filter((writer, index) => writer !== this.writers[index - 1]);
  }

  stop(): Promise<void> {
    this.controller.abort();
    return this.running;
  }

  private note(raw: KubeObject): Cached {
    const { name, uid, annotations = {} } = raw.metadata;
    const value = annotations[this.annotation];
    if (value !== undefined && value !== this.values.get(uid)) this.writers.push(this.writerOf(raw));
    if (value !== undefined) this.values.set(uid, value);
    return { name, uid, namespace: undefined };
  }

  private writerOf(raw: KubeObject): string {
    const { managedFields = [] } = raw.metadata as { managedFields?: readonly ManagedFields[] };
    const owner = managedFields.find(
      ({ fieldsV1 }) => fieldsV1?.["f:metadata"]?.["f:annotations"]?.[`f:${this.annotation}`] !== undefined,
    );
    return owner?.manager ?? "no manager";
  }
}
