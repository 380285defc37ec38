/** How replicas end, and what they leave in their logs. */

import type { History, ProcessFact, Violation } from "../history.js";
import { overlaps } from "../truth.js";
import { BOUNDS } from "./bounds.js";
import { runningSpans } from "./health.js";

/** The Lease was lost: Kubernetes starts the process again. */
const LEASE_LOST = 3;

/** A process ends only by a signal of the storm, or with code 3 when it lost the Lease. */
export function noCrash(history: History): readonly Violation[] {
  return history.processes.flatMap((process) => {
    const problem = endProblem(process);
    return problem === undefined ? [] : [{ check: "no crash", ...problem }];
  });
}

function endProblem(process: ProcessFact): Omit<Violation, "check"> | undefined {
  const { name, exit, signals, startedAt } = process;
  if (exit === undefined || signals.some(({ signal }) => signal === "SIGKILL")) return undefined;
  const asked = signals.find(({ signal }) => signal === "SIGTERM");
  if (exit.code === LEASE_LOST || (asked !== undefined && exit.code === 0)) return undefined;
  // Nothing handles signals before the process has loaded its code.
  if (asked !== undefined && exit.signal === "SIGTERM" && ranMs(process, asked.at) < BOUNDS.loadMs) return undefined;
  const how = exit.signal ?? `code ${exit.code}`;
  return { at: exit.at, message: `${name} ended with ${how}, ${exit.at - startedAt} ms after its start` };
}

/** How long it has run until then, without the times for which it was stopped. */
function ranMs({ startedAt, signals }: Pick<ProcessFact, "startedAt" | "signals">, until: number): number {
  let [since, ran]: [number | undefined, number] = [startedAt, 0];
  for (const { signal, at } of signals.filter((each) => each.at <= until)) {
    if (signal === "SIGSTOP" && since !== undefined) [since, ran] = [undefined, ran + at - since];
    if (signal === "SIGCONT") since ??= at;
  }
  return since === undefined ? ran : ran + until - since;
}

/** A process that gets SIGTERM ends in time, and gives the Lease back before that. */
export function goesInTime(history: History): readonly Violation[] {
  return history.processes.flatMap((process) => {
    const asked = process.signals.find(({ signal }) => signal === "SIGTERM");
    if (asked === undefined || process.signals.some(({ signal }) => signal === "SIGKILL")) return [];
    return [...lateEnd(history, process, asked.at), ...keptLease(history, process, asked.at)];
  });
}

/** A process that is stopped hears of SIGTERM only when it goes on. */
function lateEnd(history: History, process: ProcessFact, toldAt: number): readonly Violation[] {
  const spans = runningSpans(process, history.until);
  const ranMs = spans.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, toldAt)), 0);
  if (ranMs <= BOUNDS.shutdownMs) return [];
  const at = process.exit?.at ?? history.until;
  return [{ check: "goes in time", at, message: `${process.name} ran on for ${ranMs} ms after SIGTERM` }];
}

/** Where the API server was out of reach, the Lease could not be given back. */
function keptLease(history: History, { name, exit, identity }: ProcessFact, toldAt: number): readonly Violation[] {
  if (exit?.code !== 0 || identity === undefined || exit.at + BOUNDS.observationMs > history.until) return [];
  if (overlaps([...history.blind, ...history.unsure], toldAt - BOUNDS.recoveryMs, exit.at)) return [];
  const last = history.leases.filter(({ at }) => at <= exit.at + BOUNDS.observationMs).at(-1);
  if (last?.holder !== identity) return [];
  return [{ check: "goes in time", at: exit.at, message: `${name} ended and kept the Lease` }];
}

const CRASHES = /unhandled|uncaught|\b(?:Type|Range|Reference)Error\b|Cannot read propert|is not a function/i;

/** Lines of a log that hold a secret, or words of a bug. */
export function logProblems(name: string, log: string, secrets: readonly string[]): readonly string[] {
  const lines = log.split("\n");
  const leaks = lines.filter((line) => secrets.some((secret) => line.includes(secret)));
  const crashes = lines.filter((line) => CRASHES.test(line));
  return [
    ...leaks.map((line) => `${name} wrote a token into its log: ${shortened(line)}`),
    ...crashes.map((line) => `${name} logged a bug: ${shortened(line)}`),
  ];
}

function shortened(line: string): string {
  return line.length > 400 ? `${line.slice(0, 400)}...` : line;
}
