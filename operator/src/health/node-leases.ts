/** The Leases that the kubelets of suspected and serving nodes renew: one watch for each node, a bounded number of them. */

import type { Clock } from "../clock.js";
import type { Cache } from "../kube/cache/cache.js";
import type { WholeObject } from "../kube/cache/slim-objects.js";
import type { KubeObject } from "../kube/objects.js";
import { LEASE_SILENT_SHARE, MAX_LEASE_WATCHES, NODE_LEASE_SECONDS, SECOND_MS } from "../timings.js";
import { omitUndefined } from "../values.js";
import type { LeaseFacts } from "./witness.js";

export interface NodeLease extends KubeObject {
  readonly spec?: { readonly renewTime?: string; readonly leaseDurationSeconds?: number };
}

export type NodeLeaseWatch = Pick<Cache<WholeObject<NodeLease>>, "store" | "state" | "stop">;

export interface NodeLeasesProps {
  readonly clock: Pick<Clock, "monotonic">;
  /** Opens the watch of one node's Lease. */
  readonly open: (node: string) => NodeLeaseWatch;
  /** The Lease of the node was renewed. */
  readonly onRenewed: (node: string) => void;
}

interface Watched {
  readonly watch: NodeLeaseWatch;
  renewTime?: string;
  readAt?: number;
  renewedAt?: number;
  connectedSince?: number;
  silentMs: number;
}

const USUAL_SILENT_MS = NODE_LEASE_SECONDS * LEASE_SILENT_SHARE * SECOND_MS;

export class NodeLeases {
  private readonly watched = new Map<string, Watched>();
  private readonly ending = new Set<Promise<void>>();

  constructor(private readonly props: NodeLeasesProps) {}

  get size(): number {
    return this.watched.size;
  }

  /** Watches the Leases of these nodes and of no others. @param nodes the most urgent first */
  async watch(nodes: readonly string[]): Promise<void> {
    const wanted = new Set(nodes.slice(0, MAX_LEASE_WATCHES));
    const ended = [...this.watched].filter(([name]) => !wanted.has(name));
    for (const [name] of ended) this.watched.delete(name);
    for (const name of wanted) if (!this.watched.has(name)) this.start(name);
    await Promise.all(ended.map(([, { watch }]) => this.end(watch)));
  }

  facts(node: string): LeaseFacts {
    const watched = this.watched.get(node);
    if (watched === undefined) return { silentMs: USUAL_SILENT_MS };
    this.noteConnection(watched);
    const { readAt, renewedAt, connectedSince, silentMs } = watched;
    return { silentMs, ...omitUndefined({ readAt, renewedAt, connectedSince }) };
  }

  /** Call at least every second: a break of a watch that ended unnoticed must not count as silence of a kubelet. */
  noteConnections(): void {
    for (const watched of this.watched.values()) this.noteConnection(watched);
  }

  async close(): Promise<void> {
    await this.watch([]);
    await Promise.all(this.ending);
  }

  private async end(watch: NodeLeaseWatch): Promise<void> {
    const ended = watch.stop().finally(() => this.ending.delete(ended));
    this.ending.add(ended);
    await ended;
  }

  private start(name: string): void {
    const watched: Watched = { watch: this.props.open(name), silentMs: USUAL_SILENT_MS };
    this.watched.set(name, watched);
    watched.watch.store.listen(({ type, object }) => {
      if (type !== "deleted") this.seen(name, watched, object.object);
    });
  }

  private seen(name: string, watched: Watched, { spec = {} }: NodeLease): void {
    const { renewTime = "", leaseDurationSeconds = NODE_LEASE_SECONDS } = spec;
    watched.silentMs = leaseDurationSeconds * LEASE_SILENT_SHARE * SECOND_MS;
    if (renewTime === watched.renewTime) return;
    watched.renewTime = renewTime;
    // The clocks of nodes may differ from that of the operator: only changes count, by the operator's own clock.
    const now = this.props.clock.monotonic();
    if (watched.readAt === undefined) {
      watched.readAt = now;
      return;
    }
    watched.renewedAt = now;
    this.props.onRenewed(name);
  }

  private noteConnection(watched: Watched): void {
    if (!watched.watch.state.connected) delete watched.connectedSince;
    else watched.connectedSince ??= this.props.clock.monotonic();
  }
}
