/** Pure: what a reflector does after each round, and how long it waits. */

import {
  WATCH_BACKOFF_MS,
  WATCH_HEALTHY_SECONDS,
  WATCH_MAX_SILENT,
  WATCH_RETRY_AFTER_MS,
  WATCH_SHORT_SECONDS,
} from "../../timings.js";
import {
  isExpired,
  isInitializing,
  isInvalid,
  isTooLargeResourceVersion,
  isTooManyRequests,
  StatusError,
} from "../client.js";
import { OutageError, SilentWatchError } from "./watch.js";

export type Phase = "watch-list" | "list" | "probe" | "watch";

/** How a round ended. */
export interface Round {
  readonly phase: Phase;
  /** `undefined`: a list that succeeded, a watch that the server ended. */
  readonly error: unknown;
  /** Of a watch: the server has answered 200. */
  readonly opened: boolean;
  /** Of a watch list: the end bookmark has come. */
  readonly synced: boolean;
  /** Events and bookmarks of the watch, initial events left out. */
  readonly events: number;
  /** Of a watch: lasted as long as asked for. */
  readonly complete: boolean;
  readonly seconds: number;
}

/** `lost`: no answer, or a link that broke. `refused`: an answer that was an error. `outdated`: the set is read anew. */
type FailureKind = "lost" | "refused" | "outdated";

export interface Memory {
  readonly silentWatches: number;
  /** Failed rounds in a row. */
  readonly failures: number;
  /** The same by kind: a server that was away for long and refuses once, as it knows no roles yet, is asked again soon. */
  readonly counts: Readonly<Record<FailureKind, number>>;
}

export const NO_FAILURES: Memory["counts"] = { lost: 0, refused: 0, outdated: 0 };

export interface Verdict extends Memory {
  readonly pace: Pace;
  /** Failures of this kind in a row, this one included; 0: none. */
  readonly attempt: number;
  /** Why the whole set must be read anew; `undefined`: resume from the last resource version. */
  readonly relist: RelistReason | undefined;
  /** Whether the next watch needs a probe first. */
  readonly probe: boolean;
  /** `unsupported`: never again on this server. `skip`: a paged list next time. */
  readonly watchList: "unsupported" | "skip" | "allowed";
}

type RelistReason = "expired" | "resource-version-too-large" | "silence" | "silent-watches" | "outage";

export function judge(round: Round, memory: Memory): Verdict {
  const silentWatches = countSilent(round, memory);
  const relist = relistReason(round, silentWatches);
  const watchList = judgeWatchList(round);
  const failed = (isFailure(round) && watchList !== "unsupported") || relist !== undefined;
  const kind = failed ? kindOf(round, relist) : undefined;
  return {
    silentWatches: relist === undefined ? silentWatches : 0,
    relist,
    watchList,
    ...counted(round, memory, kind),
    pace: paceOf(round, kind),
    probe: round.phase !== "list" && !round.complete,
  };
}

function paceOf({ error }: Round, kind: FailureKind | undefined): Pace {
  if (kind === undefined) return "none";
  if (isInitializing(error)) return "soon";
  return kind === "refused" ? "slow" : "fast";
}

function counted(
  round: Round,
  memory: Memory,
  kind: FailureKind | undefined,
): Pick<Verdict, "failures" | "counts" | "attempt"> {
  const { failures, counts } = isHealthy(round) ? { failures: 0, counts: NO_FAILURES } : afterSet(round, memory);
  if (kind === undefined) return { failures, counts, attempt: 0 };
  const attempt = counts[kind] + 1;
  return { failures: failures + 1, counts: { ...counts, [kind]: attempt }, attempt };
}

/** A set that a watch delivered shows that the server answers; not that what follows is worth another set. */
function afterSet({ synced }: Round, { failures, counts }: Memory): Pick<Memory, "failures" | "counts"> {
  return { failures, counts: synced ? { ...NO_FAILURES, outdated: counts.outdated } : counts };
}

function kindOf({ error }: Round, relist: RelistReason | undefined): FailureKind {
  if (relist !== undefined) return "outdated";
  return error instanceof StatusError ? "refused" : "lost";
}

function countSilent({ phase, opened, synced, events }: Round, memory: Memory): number {
  if (phase === "list" || phase === "probe" || !opened) return memory.silentWatches;
  return events === 0 && !synced ? memory.silentWatches + 1 : 0;
}

function relistReason({ phase, error }: Round, silentWatches: number): RelistReason | undefined {
  if (isTooLargeResourceVersion(error)) return "resource-version-too-large";
  if (isExpired(error)) return "expired";
  if (error instanceof OutageError) return "outage";
  // It is unknown for how much of it the server was away: as after an outage.
  if (error instanceof SilentWatchError) return "silence";
  return phase === "watch" && silentWatches >= WATCH_MAX_SILENT ? "silent-watches" : undefined;
}

function isFailure({ phase, error, events, seconds }: Round): boolean {
  if (error !== undefined) return true;
  return (phase === "watch" || phase === "watch-list") && events === 0 && seconds < WATCH_SHORT_SECONDS;
}

/** Only what a watch delivers proves health: a list that works and a watch that never does must not spin. */
function isHealthy({ phase, opened, synced, events, seconds }: Round): boolean {
  const lasted = seconds >= WATCH_HEALTHY_SECONDS;
  if (phase === "watch-list") return synced && lasted;
  return phase === "watch" && opened && (events > 0 || lasted);
}

function judgeWatchList({ phase, error, opened, synced }: Round): Verdict["watchList"] {
  if (phase !== "watch-list" || synced) return "allowed";
  if (isRefusedFeature(error)) return "unsupported";
  // An answer that was no complete set: a list makes progress where the same again might not.
  const answered = opened || (error instanceof StatusError && !isTooManyRequests(error));
  return answered ? "skip" : "allowed";
}

/** 422 naming `sendInitialEvents`; servers that don't know it at all refuse `resourceVersionMatch` on a watch. */
function isRefusedFeature(error: unknown): boolean {
  return isInvalid(error) && /sendInitialEvents|resourceVersionMatch/.test(error.message);
}

/**
 * `none`: at once. `fast`: nothing listens or the link broke. `slow`: the server is there and refuses. `soon`: it will
 * serve the collection in a moment, sooner than its Retry-After says.
 */
type Pace = "none" | "fast" | "slow" | "soon";

interface BackoffInput {
  readonly pace: Pace;
  /** Failures in a row, this one included; from 1. */
  readonly failures: number;
  readonly retryAfterSeconds: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}

/** ms to wait: doubling, with up to as much again as jitter, within the pace's bounds and never before Retry-After, which `soon` ignores. */
export function backoffMs({ pace, failures, retryAfterSeconds, random }: BackoffInput): number {
  if (pace === "none") return 0;
  const { firstMs, longestMs } = WATCH_BACKOFF_MS[pace];
  const base = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 16));
  const asked = pace === "soon" ? 0 : Math.min((retryAfterSeconds ?? 0) * 1000, WATCH_RETRY_AFTER_MS);
  return Math.max(Math.min(longestMs, base * (1 + random)), asked > 0 ? asked * (1 + random * 0.1) : 0);
}
