import type { Clock } from "../../clock.js";
import { STALE_AFTER_MS } from "../../timings.js";

/** The set is no longer known to be the server's. */
export interface Staleness {
  /** ms since the epoch: when it was last known to be. */
  readonly since: number;
  /** How long ago that was, in ms. */
  readonly ms: number;
}

/** How long ago a set was last known to equal that of the server: while a watch follows it, or when a list succeeded. */
export class Freshness {
  private following = false;
  private last: { readonly monotonic: number; readonly wall: number } | undefined;

  constructor(private readonly clock: Pick<Clock, "monotonic" | "now">) {}

  /** `undefined`: fresh, or never complete. */
  get stale(): Staleness | undefined {
    if (this.following || this.last === undefined) return undefined;
    const ms = this.clock.monotonic() - this.last.monotonic;
    return ms < STALE_AFTER_MS ? undefined : { since: this.last.wall, ms };
  }

  /** It is complete now. */
  noteSet(): void {
    this.last = { monotonic: this.clock.monotonic(), wall: this.clock.now() };
  }

  /** A watch delivers each change of the complete set from now on. */
  follow(): void {
    this.following = true;
  }

  /** The round is over, and its watch, if it had one. */
  end(): void {
    if (this.following) this.noteSet();
    this.following = false;
  }
}
