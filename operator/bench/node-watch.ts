import type { World } from "../test/e2e/support/world.js";

interface NodeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Follows nodes as an operator does. */
export class NodeWatch {
  private readonly stop = new AbortController();
  private readonly waiting = new Map<string, (at: number) => void>();
  private readonly ended: Promise<void>;

  constructor(private readonly world: World) {
    this.ended = this.follow();
  }

  /** Resolves to the moment in which the watch reports it, performance.now(). */
  notReady(name: string): Promise<number> {
    return new Promise((resolve) => this.waiting.set(name, resolve));
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.ended;
  }

  private async follow(): Promise<void> {
    const query = { labelSelector: this.world.fleet.nodeLabel };
    for await (const { object } of this.world.client.watch<NodeObject>("/api/v1/nodes", query, this.stop.signal)) {
      const at = performance.now();
      const { name } = object.metadata;
      if (object.status.conditions?.some(({ type, status }) => type === "Ready" && status === "False") !== true)
        continue;
      this.waiting.get(name)?.(at);
      this.waiting.delete(name);
    }
  }
}
