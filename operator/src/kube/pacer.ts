import { SLICE_MS } from "../bounds.js";
import type { Clock } from "../clock.js";

/** Keeps long work (parsing, diffing, notifying) from blocking the event loop. */
export class Pacer {
  private sliceStart: number;

  constructor(
    private readonly clock: Pick<Clock, "monotonic">,
    private readonly signal?: AbortSignal,
    private readonly sliceMs = SLICE_MS,
  ) {
    this.sliceStart = clock.monotonic();
  }

  /** Whether `turn` should be awaited: the slice is used up, or the work is no longer wanted. */
  get due(): boolean {
    return this.signal?.aborted === true || this.clock.monotonic() - this.sliceStart >= this.sliceMs;
  }

  /** Lets everything else run once. Throws the signal's reason if it aborted meanwhile. */
  async iteration(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.sliceStart = this.clock.monotonic();
    this.signal?.throwIfAborted();
  }
}
