/**
 * Keeps one resource's index on the pods that its match asks for. An edited match takes hold in one step, when its pods
 * have been read: until then the previous match stays in force with the previous pods, so that missing data causes no move.
 */

import type { PodView } from "../kube/cache/pod-view.js";
import type { SharedWatches } from "../kube/cache/shared-watches.js";
import type { SlimPod } from "../kube/cache/slim.js";
import type { StoreEvent } from "../kube/cache/store.js";
import type { CompiledMatch } from "./compile-match.js";
import { MatchIndex, type VerdictChange, type Wanted } from "./match-index.js";
import type { NodeDirectory } from "./node-directory.js";
import { podScopeOf } from "./pod-scope.js";
import { nodesOfPodEvent, PodWorkload } from "./workload.js";

export interface MatchFeedProps {
  /** Of synced nodes. */
  readonly nodes: NodeDirectory;
  readonly watches: Pick<SharedWatches, "podView">;
  /** The index is there, another match has taken hold, or a node changed. */
  readonly onChange: (change: VerdictChange | "rematched") => void;
}

export class MatchFeed {
  private view: PodView | undefined;
  /** The match asked for last, until it takes hold. */
  private pending: CompiledMatch | undefined;
  private current: MatchIndex | undefined;
  private closed = false;

  constructor(private readonly props: MatchFeedProps) {}

  /** `undefined` until the pods of the first match have been read. */
  get index(): MatchIndex | undefined {
    return this.current;
  }

  /** The index is that of the match asked for last. */
  get settled(): boolean {
    return this.current !== undefined && this.pending === undefined;
  }

  /** Asks for another match. Resolves when it has taken hold or is no longer asked for. */
  async select(match: CompiledMatch): Promise<void> {
    if (this.closed) return;
    this.pending = match;
    if (match.pods === undefined) {
      const view = this.view;
      this.view = undefined;
      this.takeHold({ match });
      await view?.close();
      return;
    }
    this.view ??= this.props.watches.podView((event) => this.podChanged(event));
    await this.view.select(podScopeOf(match.pods));
    const store = this.view?.store;
    if (this.pending !== match || store === undefined) return;
    this.takeHold({ match, workload: new PodWorkload(store, match.pods) });
  }

  async close(): Promise<void> {
    this.closed = true;
    this.current?.close();
    this.current = undefined;
    await this.view?.close();
  }

  /** After a swap, the index still reads the former pods until the new match takes hold: it comes to no harm. */
  private podChanged(event: StoreEvent<SlimPod>): void {
    for (const name of nodesOfPodEvent(event)) this.current?.workloadChanged(name);
  }

  private takeHold(wanted: Wanted): void {
    this.pending = undefined;
    if (this.current === undefined) this.current = new MatchIndex(this.props.nodes, wanted, this.props.onChange);
    else this.current.rematch(wanted);
    this.props.onChange("rematched");
  }
}
