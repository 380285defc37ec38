/** What the results of a probe say of its target: thresholds and flap damping. Pure: times come in, and are those of the schedule. */

import { FLAP_FIRST_WAIT_MS, FLAP_LONGEST_WAIT_MS, FLAP_WINDOW_MS } from "../timings.js";

export type ProbeResult = { readonly ok: true } | { readonly ok: false; readonly error: string };

export interface Thresholds {
  readonly intervalMs: number;
  /** Failures in a row that make the target a failed one. */
  readonly failureThreshold: number;
  /** Successes in a row that make a failed target well again. */
  readonly successThreshold: number;
}

export interface ProbeState {
  /** `unknown`: there is no result yet, or too few failures to tell. */
  readonly verdict: "unknown" | "passed" | "failed";
  /** The latest results, all alike. */
  readonly run?: { readonly ok: boolean; readonly count: number; readonly since: number };
  /** What the result said that made the target a failed one. */
  readonly error?: string;
  /** When the target failed, within the flap window; the latest one last. */
  readonly failedAt: readonly number[];
  /** The failure up to which no failure keeps the target waiting any more. */
  readonly calmAfter?: number;
}

export const UNPROBED: ProbeState = { verdict: "unknown", failedAt: [] };

/** @param at monotonic ms: the time at which the schedule placed the probe. */
export function afterResult(state: ProbeState, result: ProbeResult, at: number, thresholds: Thresholds): ProbeState {
  const { run } = state;
  const next = run?.ok === result.ok ? { ...run, count: run.count + 1 } : { ok: result.ok, count: 1, since: at };
  const known = { ...state, run: next };
  if (result.ok) return hasPassed(known, at, thresholds) ? passed(known) : known;
  if (state.verdict === "failed" || !lasts(next, at, thresholds.failureThreshold, thresholds)) return known;
  const failedAt = [...state.failedAt.filter((time) => at - time < FLAP_WINDOW_MS), at];
  return { ...known, verdict: "failed", error: result.error, failedAt };
}

/** When the results began to be failures, monotonic ms. `undefined`: the latest one was a success. */
export function suspectedAt({ run }: ProbeState): number | undefined {
  return run?.ok === false ? run.since : undefined;
}

/** Until when a target that is well again counts as failed, because it failed repeatedly. `undefined`: it does not. */
export function dampedUntil(state: ProbeState, now: number): number | undefined {
  const { verdict, run, failedAt, calmAfter } = state;
  if (verdict !== "passed" || failedAt.at(-1) === calmAfter) return undefined;
  const recent = failedAt.filter((time) => now - time < FLAP_WINDOW_MS).length;
  if (recent < 2) return undefined;
  // A target that is not probed at the moment does not stay well meanwhile.
  const until =
    (run?.ok === true ? run.since : now) + Math.min(FLAP_FIRST_WAIT_MS * 2 ** (recent - 2), FLAP_LONGEST_WAIT_MS);
  return until > now ? until : undefined;
}

/** Until the target fails again, its failures no longer keep it waiting. */
export function withoutDamping(state: ProbeState): ProbeState {
  const last = state.failedAt.at(-1);
  return state.verdict === "passed" && last !== undefined ? { ...state, calmAfter: last } : state;
}

/** A target without results is well with its first success: there is no failure to recover from. */
function hasPassed({ verdict, run }: ProbeState, at: number, thresholds: Thresholds): boolean {
  if (verdict !== "failed") return true;
  return run !== undefined && lasts(run, at, thresholds.successThreshold, thresholds);
}

function passed({ error: _over, ...state }: ProbeState): ProbeState {
  return { ...state, verdict: "passed" };
}

/** A target shared with a resource that probes more often yields more results: the time counts as well. */
function lasts(run: NonNullable<ProbeState["run"]>, at: number, count: number, { intervalMs }: Thresholds): boolean {
  return run.count >= count && at - run.since >= (count - 1) * intervalMs - ROUNDING;
}

/** Times are sums of fractions. */
const ROUNDING = 1;
