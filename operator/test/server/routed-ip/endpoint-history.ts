/** What the endpoints of the Service were, and when: by a watch of the EndpointSlices. */

import { type Client, eventually } from "flipop-testbed";

export type EndpointState = "ready" | "terminating" | "silent";

interface Slice {
  readonly metadata: { readonly name: string };
  readonly endpoints?: readonly {
    readonly nodeName?: string;
    readonly conditions?: { readonly ready?: boolean; readonly serving?: boolean };
  }[];
}

interface Moment {
  /** ms since the epoch, when the change was seen. */
  readonly at: number;
  /** By node; one that is not there is silent. */
  readonly states: ReadonlyMap<string, EndpointState>;
}

export class EndpointHistory {
  private readonly moments: Moment[] = [];
  private readonly slices = new Map<string, Slice>();
  private readonly abort = new AbortController();
  private readonly loop: Promise<void>;

  constructor(
    private readonly client: Client,
    private readonly namespace: string,
  ) {
    this.loop = this.follow();
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.loop;
  }

  /** The state of a node's endpoint at a time. */
  at(node: string, at: number): EndpointState {
    const before = this.moments.filter((moment) => moment.at <= at).at(-1) ?? this.moments[0];
    return before?.states.get(node) ?? "silent";
  }

  /** Times in a span at which the node did not answer, as text. */
  silences(node: string, from: number, to: number): readonly string[] {
    const inside = this.moments.filter(({ at }) => at > from && at < to).map(({ at }) => at);
    const silent = [from, ...inside].filter((at) => this.at(node, at) === "silent");
    return silent.map((at) => `${node} at ${new Date(at).toISOString()}`);
  }

  async until(what: string, holds: (now: ReadonlyMap<string, EndpointState>) => boolean): Promise<void> {
    const now = () => this.moments.at(-1)?.states ?? new Map<string, EndpointState>();
    await eventually(() => holds(now()), { what, timeoutMs: 60_000 });
  }

  private async follow(): Promise<void> {
    const path = `/apis/discovery.k8s.io/v1/namespaces/${this.namespace}/endpointslices`;
    const { signal } = this.abort;
    try {
      for await (const { type, object } of this.client.watch<Slice>(path, {}, signal)) {
        if (type === "DELETED") this.slices.delete(object.metadata.name);
        else if (type !== "BOOKMARK") this.slices.set(object.metadata.name, object);
        this.moments.push({ at: Date.now(), states: statesOf(this.slices.values()) });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/** A ready endpoint counts for more than one that ends. */
function statesOf(slices: Iterable<Slice>): ReadonlyMap<string, EndpointState> {
  const states = new Map<string, EndpointState>();
  for (const { nodeName = "", conditions } of [...slices].flatMap(({ endpoints }) => endpoints ?? [])) {
    if (conditions?.ready === true) states.set(nodeName, "ready");
    else if (conditions?.serving === true && !states.has(nodeName)) states.set(nodeName, "terminating");
  }
  return states;
}
