import type { Clock, Timer } from "flipop-operator/clock";
import { expired, tooLarge } from "../api-status.js";
import { type Cluster, collectionOf } from "../cluster.js";
import type { ApiObject } from "../objects.js";
import type { ResourceType } from "../resources/resource-type.js";
import type { Change } from "../store/collection.js";
import { readWatchOptions, type WatchOptions } from "./list-options.js";
import { readSelector, type Selector } from "./selectors.js";

/** An event of a watch. */
export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: ApiObject }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string; readonly endOfInitialEvents: boolean }
  | { readonly type: "ERROR"; readonly status: ReturnType<typeof expired> };

/** Where a watch sends its events. */
export interface WatchSink {
  event(event: WatchEvent): void;
  /** The server ends the watch. */
  end(): void;
}

/** Longest watch where the client names no time. */
const LONGEST_SECONDS = 30 * 60;
const BOOKMARK_SECONDS = 60;
/** A bookmark comes this long before the watch ends, so that the next one can begin there. */
const LAST_BOOKMARK_SECONDS = 2;

interface Watch {
  readonly cluster: Cluster;
  readonly type: ResourceType;
  readonly options: WatchOptions;
  readonly selects: Selector;
  readonly sink: WatchSink;
}

/** A watch that is not yet started; reading its options has thrown what is wrong with them. */
export interface PreparedWatch {
  /** Starts telling; the returned function ends it from the client's side. */
  start(sink: WatchSink, clock: Clock): () => void;
}

/** Prepares a watch of a resource; throws 400 and 422. */
export function watch(
  cluster: Cluster,
  type: ResourceType,
  namespace: string | undefined,
  query: URLSearchParams,
): PreparedWatch {
  const options = readWatchOptions(query);
  const { selects } = readSelector(type, query, namespace);
  return { start: (sink, clock) => run({ cluster, type, options, selects, sink }, clock) };
}

function run(watch: Watch, clock: Clock): () => void {
  const collection = collectionOf(watch.cluster, watch.type);
  const from = begin(watch);
  if (from === undefined) {
    watch.sink.end();
    return () => {};
  }
  const unsubscribe = collection.subscribe((change) => tell(watch, change, from));
  const stopTimers = startTimers(watch, { clock, from }, () => {
    unsubscribe();
    watch.sink.end();
  });
  return () => {
    unsubscribe();
    stopTimers();
  };
}

/** Sends the objects that exist already. @returns the revision after which writes are sent; undefined: the watch has ended */
function begin(watch: Watch): number | undefined {
  const { resourceVersion = 0, sendInitialEvents } = watch.options;
  if (sendInitialEvents ?? resourceVersion === 0) return tellState(watch, resourceVersion);
  const from = resourceVersion === 0 ? watch.cluster.store.revision : resourceVersion;
  const collection = collectionOf(watch.cluster, watch.type);
  const missed = collection.since(from);
  if (!missed) return fail(watch.sink, expired(`too old resource version: ${from} (${collection.compactedRevision})`));
  for (const change of missed) tell(watch, change, from);
  return from;
}

/** The current state, as creations; the end bookmark is for those who asked for initial events. */
function tellState(watch: Watch, atLeast: number): number | undefined {
  const { cluster, type, options, sink, selects } = watch;
  const { revision } = cluster.store;
  if (atLeast > revision) return fail(sink, tooLarge(atLeast, revision));
  for (const object of collectionOf(cluster, type).list()) {
    if (selects(object)) sink.event({ type: "ADDED", object });
  }
  if (options.sendInitialEvents && options.allowBookmarks) bookmark(watch, true);
  return revision;
}

function fail(sink: WatchSink, status: ReturnType<typeof expired>): undefined {
  sink.event({ type: "ERROR", status });
  return undefined;
}

/** Sends a write as seen through the selector: an object that no longer matches is deleted for this watch. */
function tell({ selects, sink }: Watch, { type, object, previous, revision }: Change, from: number): void {
  // From a version of the future on: nothing until it is reached.
  if (revision <= from) return;
  const before = previous !== undefined && selects(previous);
  const after = type !== "DELETED" && selects(object);
  if (after) sink.event({ type: before ? "MODIFIED" : "ADDED", object });
  else if (before)
    sink.event({ type: "DELETED", object: type === "DELETED" ? object : atRevision(previous, revision) });
}

function atRevision(object: ApiObject, revision: number): ApiObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

function bookmark({ cluster, sink }: Watch, endOfInitialEvents: boolean): void {
  sink.event({ type: "BOOKMARK", resourceVersion: String(cluster.store.revision), endOfInitialEvents });
}

interface Start {
  readonly clock: Clock;
  /** Revision after which writes are sent. */
  readonly from: number;
}

function startTimers(watch: Watch, { clock, from }: Start, timedOut: () => void): () => void {
  const { timeoutSeconds = LONGEST_SECONDS, allowBookmarks } = watch.options;
  const timers = new Set<Timer>();
  const later = (seconds: number, action: () => void) => {
    const timer = clock.setTimer(seconds * 1000, () => {
      timers.delete(timer);
      action();
    });
    timers.add(timer);
  };
  const stop = () => {
    for (const timer of timers) timer.cancel();
    timers.clear();
  };
  // It says only what is new: a watch from the future must not be sent back in time.
  const remind = () => {
    if (watch.cluster.store.revision >= from) bookmark(watch, false);
  };
  const remindAgain = () => {
    remind();
    later(BOOKMARK_SECONDS, remindAgain);
  };
  later(timeoutSeconds, () => {
    stop();
    timedOut();
  });
  if (allowBookmarks) {
    later(BOOKMARK_SECONDS, remindAgain);
    if (timeoutSeconds > LAST_BOOKMARK_SECONDS) later(timeoutSeconds - LAST_BOOKMARK_SECONDS, remind);
  }
  return stop;
}
