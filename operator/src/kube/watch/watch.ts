import type { Clock, Timer } from "../../clock.js";
import { WATCH_END_TOLERANCE_MS, WATCH_LEAST_SECONDS, WATCH_OPEN_SECONDS, WATCH_SILENCE_MS } from "../../timings.js";
import type { KubeClient, KubeStream } from "../client.js";
import type { WatchEvent } from "../objects.js";
import { decoding, selectors, type WatchTarget } from "./list.js";
import { readEvents } from "./read-events.js";

interface WatchProps {
  readonly client: KubeClient;
  readonly target: WatchTarget;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Where to start; empty together with `initialEvents` for the most recent state. */
  readonly resourceVersion: string;
  /** Ask for the whole set as events first (WatchList). */
  readonly initialEvents: boolean;
  readonly onEvent: (event: WatchEvent) => Promise<void> | undefined;
}

export interface WatchEnd {
  /** The server has answered 200. */
  readonly opened: boolean;
  /** `undefined` when the server ended it between two events. */
  readonly error: unknown;
  /** It lasted as long as asked for: nothing points to a fault. */
  readonly complete: boolean;
  readonly seconds: number;
}

export class SilentWatchError extends Error {
  constructor(target: string) {
    super(
      `watch of ${target}: no byte for ${WATCH_SILENCE_MS / 1000} s, not even a bookmark; the connection may be dead, or nothing of this kind has changed since the API server started`,
    );
    this.name = "SilentWatchError";
  }
}

/** A long outage may be a restore of etcd, which gives versions out again: resuming would miss what it undid. */
export class OutageError extends Error {
  constructor(target: string, ms: number) {
    super(`watch of ${target}: the server was away for ${Math.round(ms / 1000)} s, perhaps for a restore of etcd`);
    this.name = "OutageError";
  }
}

/** A watch that the caller may end, with the reason as its error. */
export interface WatchHandle {
  fail(error: Error): void;
}

/** One watch request from start to end; never rejects. */
export async function runWatch(props: WatchProps, onOpen: (handle: WatchHandle) => void): Promise<WatchEnd> {
  const { clock, signal } = props;
  const start = clock.monotonic();
  const timeoutSeconds = Math.round(WATCH_LEAST_SECONDS * (1 + props.random()));
  const end = (opened: boolean, error: unknown): WatchEnd => {
    const ms = clock.monotonic() - start;
    const complete = error === undefined && ms >= timeoutSeconds * 1000 - WATCH_END_TOLERANCE_MS;
    return { opened, error, complete, seconds: ms / 1000 };
  };
  let stream: KubeStream;
  try {
    stream = await open(props, timeoutSeconds);
  } catch (error) {
    return end(false, error ?? new Error("aborted"));
  }
  if (signal.aborted) {
    stream.close();
    return end(true, signal.reason);
  }
  return end(true, await consume(stream, props, onOpen));
}

/** @returns what ended the stream; `undefined` for a clean end. */
async function consume(stream: KubeStream, props: WatchProps, onOpen: (handle: WatchHandle) => void): Promise<unknown> {
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    stream.close();
  };
  const watchdog = new Watchdog(props.clock, WATCH_SILENCE_MS, () => fail(new SilentWatchError(props.target.name)));
  onOpen({ fail });
  try {
    await readEvents(stream, { ...props, decoder: props.target.decoder, onBytes: () => watchdog.feed() });
    return failure;
  } catch (error) {
    return failure ?? error ?? new Error("aborted");
  } finally {
    watchdog.stop();
    stream.close();
  }
}

function open(props: WatchProps, timeoutSeconds: number): Promise<KubeStream> {
  const { target, resourceVersion, signal } = props;
  const initial = props.initialEvents ? { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" } : {};
  return props.client.open({
    method: "GET",
    path: target.path,
    query: {
      ...selectors(target),
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: resourceVersion || undefined,
      timeoutSeconds,
      ...initial,
    },
    ...decoding(target),
    deadlineSeconds: WATCH_OPEN_SECONDS,
    signal,
  });
}

/** Bites once when it has not been fed for `ms`. Feeding is cheap: it only notes the time. */
export class Watchdog {
  private fedAt: number;
  private timer: Timer;
  private done = false;

  constructor(
    private readonly clock: Clock,
    private readonly ms: number,
    private readonly bite: () => void,
  ) {
    this.fedAt = clock.monotonic();
    this.timer = this.arm(ms);
  }

  feed(): void {
    this.fedAt = this.clock.monotonic();
  }

  stop(): void {
    this.done = true;
    this.timer.cancel();
  }

  private arm(ms: number): Timer {
    return this.clock.setTimer(ms, () => this.check());
  }

  private check(): void {
    if (this.done) return;
    const left = this.fedAt + this.ms - this.clock.monotonic();
    if (left > 0) {
      this.timer = this.arm(left);
      return;
    }
    this.done = true;
    this.bite();
  }
}
