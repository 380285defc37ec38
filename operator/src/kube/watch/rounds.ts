/** One round of a reflector: a listing, a watch list, or a watch that resumes. What follows is `reflector-rules.ts`. */

import { Pacer } from "../../async.js";
import type { Clock } from "../../clock.js";
import { WATCH_LIST_IDLE_MS, WATCH_LIST_TOTAL_MS, WATCH_LONGEST_GAP_MS } from "../../timings.js";
import type { KubeClient } from "../client.js";
import type { Cached, KubeObject, WatchEvent } from "../objects.js";
import {
  InitialSet,
  isInitialEventsEnd,
  listPages,
  probeVersion,
  type SafeTransform,
  type WatchTarget,
} from "./list.js";
import type { Round } from "./reflector-rules.js";
import { OutageError, runWatch, Watchdog, type WatchEnd, type WatchHandle } from "./watch.js";

/** A complete set that was read. */
export interface Snapshot<T extends Cached> {
  readonly objects: InitialSet<T>;
  /** The resource version to watch from. */
  readonly version: string;
  /** From the first request to the last object. */
  readonly seconds: number;
  readonly pacer: Pacer;
}

export interface RoundProps<T extends Cached> {
  readonly client: KubeClient;
  readonly target: WatchTarget;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly transform: SafeTransform<T>;
  readonly signal: AbortSignal;
  /** Takes a complete set. */
  readonly adopt: (snapshot: Snapshot<T>) => Promise<void>;
  /** Takes one event or bookmark after the set. */
  readonly apply: (event: WatchEvent) => void;
  /** A watch has been answered with 200. */
  readonly onOpen: () => void;
  /** ms since the server was last known to be there. */
  readonly gapMs: () => number;
}

/** What a round that was no watch says of watches. */
export const NO_WATCH = { opened: false, synced: false, events: 0, complete: false, seconds: 0 } as const;

/** Reads the set page by page. Rejects with what went wrong. */
export async function listRound<T extends Cached>(props: RoundProps<T>): Promise<Round> {
  const start = props.clock.monotonic();
  const pacer = new Pacer(props.clock, props.signal);
  const objects = new InitialSet(props.transform);
  const onPage = async (items: readonly KubeObject[]) => {
    for (const item of items) {
      objects.add(item);
      if (pacer.due) await pacer.yieldOnce();
    }
  };
  const version = await listPages(props, onPage, () => objects.clear());
  const seconds = (props.clock.monotonic() - start) / 1000;
  await props.adopt({ objects, version, seconds, pacer });
  return { ...NO_WATCH, phase: "list", error: undefined };
}

/** Reads the set as initial events of a watch, and goes on with that watch until it ends. */
export async function watchListRound<T extends Cached>(props: RoundProps<T>): Promise<Round> {
  const start = props.clock.monotonic();
  const objects = new InitialSet(props.transform);
  let deadline: InitialDeadline | undefined;
  let synced = false;
  let events = 0;
  const finish = (event: WatchEvent) => {
    synced = true;
    deadline?.stop();
    const pacer = new Pacer(props.clock, props.signal);
    const seconds = (props.clock.monotonic() - start) / 1000;
    return props.adopt({ objects, version: event.object.metadata.resourceVersion, seconds, pacer });
  };
  const onEvent = (event: WatchEvent) => {
    if (synced) {
      events++;
      props.apply(event);
      return undefined;
    }
    deadline?.progress();
    if (isInitialEventsEnd(event)) return finish(event);
    if (event.type !== "BOOKMARK") objects.apply(event);
    return undefined;
  };
  const onOpen = (handle: WatchHandle) => {
    deadline = new InitialDeadline(props.clock, props.target.name, handle);
    props.onOpen();
  };
  const end = await runWatch({ ...props, resourceVersion: "", initialEvents: true, onEvent }, onOpen);
  deadline?.stop();
  return { ...end, phase: "watch-list", synced, events };
}

/**
 * Watches from `resourceVersion` on until the watch ends.
 * @param probe ask first whether the server knows that version; rejects with its refusal.
 */
export async function watchRound<T extends Cached>(
  props: RoundProps<T>,
  resourceVersion: string,
  probe: boolean,
): Promise<Round> {
  if (probe) await probeVersion(props, resourceVersion);
  let events = 0;
  const onEvent = (event: WatchEvent) => {
    events++;
    props.apply(event);
    return undefined;
  };
  const onOpen = (handle: WatchHandle) => {
    const gapMs = props.gapMs();
    if (gapMs > WATCH_LONGEST_GAP_MS) handle.fail(new OutageError(props.target.name, gapMs));
    else props.onOpen();
  };
  const end: WatchEnd = await runWatch({ ...props, resourceVersion, initialEvents: false, onEvent }, onOpen);
  return { ...end, phase: "watch", synced: false, events };
}

class EndBookmarkError extends Error {
  constructor(target: string, ms: number, events: number) {
    super(
      `watch list of ${target}: no end bookmark after ${events} initial events and ${ms / 1000} s without progress; listing in pages instead`,
    );
    this.name = "EndBookmarkError";
  }
}

/** The deadline of a watch list's first part; `stop` it once the end bookmark is there or the watch is over. */
class InitialDeadline {
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
