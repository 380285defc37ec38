import { WATCH_LIST_IDLE_MS, WATCH_LIST_TOTAL_MS } from "../../bounds.js";
import type { Clock } from "../../clock.js";
import type { WatchHandle } from "./watch.js";
import { Watchdog } from "./watchdog.js";

export class EndBookmarkError extends Error {
  constructor(target: string, ms: number, events: number) {
    super(
      `watch list of ${target}: no end bookmark after ${events} initial events and ${ms / 1000} s without progress; listing in pages instead`,
    );
    this.name = "EndBookmarkError";
  }
}

/** The deadline of a watch list's first part; `stop` it once the end bookmark is there or the watch is over. */
export class InitialDeadline {
  private readonly idle: Watchdog;
  private readonly total: Watchdog;
  private events = 0;

  constructor(clock: Clock, target: string, handle: WatchHandle) {
    const bite = (ms: number) => () => handle.fail(new EndBookmarkError(target, ms, this.events));
    this.idle = new Watchdog(clock, WATCH_LIST_IDLE_MS, bite(WATCH_LIST_IDLE_MS));
    this.total = new Watchdog(clock, WATCH_LIST_TOTAL_MS, bite(WATCH_LIST_TOTAL_MS));
  }

  progress(): void {
    this.events++;
    this.idle.feed();
  }

  stop(): void {
    this.idle.stop();
    this.total.stop();
  }
}
