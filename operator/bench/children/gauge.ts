import { monitorEventLoopDelay } from "node:perf_hooks";
import { heapUsed } from "../../test/support/heap.js";

/** How long before all young objects of a finished sync have died, ms. */
const REST_MS = 500;

/** What a process measures of itself; memory is measured from outside. */
export class Gauge {
  private readonly start = performance.now();
  private readonly delay = monitorEventLoopDelay({ resolution: 1 });
  private readonly before = heapUsed();

  constructor() {
    this.delay.enable();
  }

  get seconds(): number {
    return (performance.now() - this.start) / 1000;
  }

  get blockMs(): number {
    return this.delay.max / 1e6;
  }

  /** Bytes of heap that the objects hold, for each. */
  async heapPer(objects: number): Promise<number> {
    this.delay.disable();
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    return (heapUsed() - this.before) / objects;
  }
}
