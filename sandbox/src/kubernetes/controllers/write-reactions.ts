import type { Cluster } from "../cluster.js";
import type { Change, Collection } from "../store/collection.js";

/** Something that follows from writes, as a controller of a real cluster does it: it reacts to each write. */
export type Reaction = (cluster: Cluster, change: Change, collection: Collection) => void;

/** Runs reactions to writes, and to the writes that they make, until nothing more follows. */
export class Reconciler {
  private readonly pending: (readonly [Change, Collection])[] = [];
  private running = false;

  constructor(
    private readonly cluster: Cluster,
    private readonly reactions: readonly Reaction[],
  ) {
    cluster.store.subscribe((change, collection) => this.pending.push([change, collection]));
  }

  /** Brings everything that follows from past writes to its end. */
  settle(): void {
    if (this.running) return;
    this.running = true;
    try {
      for (let next = this.pending.shift(); next; next = this.pending.shift()) {
        for (const react of this.reactions) react(this.cluster, ...next);
      }
    } finally {
      this.running = false;
    }
  }
}
