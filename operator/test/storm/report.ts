/** What a person reads of a round: its figures, the timeline around a violation, and the folder with everything. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Call, History, Violation } from "./history.js";
import type { RoundResult } from "./stage/round.js";
import { isWrite } from "./truth.js";

const BEFORE_MS = 12_000;
const AFTER_MS = 1_500;
const MOST_LINES = 90;

interface Line {
  readonly at: number;
  readonly text: string;
}

/** What happened around a violation: steps, writes, signals, the Lease, and the calls that the message speaks of. */
export function timeline(history: History, violation: Violation): string {
  const from = violation.at - BEFORE_MS;
  const to = violation.at + AFTER_MS;
  const lines = linesOf(history, violation.message).filter(({ at }) => at >= from && at <= to);
  const shown = [...lines, { at: violation.at, text: `>>> ${violation.check}: ${violation.message}` }]
    .sort((a, b) => a.at - b.at)
    .slice(-MOST_LINES);
  return shown.map(({ at, text }) => `  ${stamp(history, at)} ${text}`).join("\n");
}

/** Seconds since the round's start, as in the log's `time`. */
function stamp({ startedAt }: History, at: number): string {
  return `${((at - startedAt) / 1000).toFixed(3).padStart(8)} s`;
}

function linesOf(history: History, message: string): readonly Line[] {
  return [
    ...history.steps.map(({ at, text }) => ({ at, text: `step   ${text}` })),
    ...history.calls.filter((call) => isWrite(call) || message.includes(call.path)).map(callLine),
    ...leaseLines(history),
    ...history.processes.flatMap(({ name, signals, exit, startedAt }) => [
      { at: startedAt, text: `process ${name} starts` },
      ...signals.map(({ at, signal }) => ({ at, text: `process ${name} gets ${signal}` })),
      ...(exit === undefined ? [] : [{ at: exit.at, text: `process ${name} ends: ${exit.signal ?? exit.code}` }]),
    ]),
    ...history.holders.map(({ at, ip, holder, by }) => {
      return {
        at,
        text: `holder ${ip} ${holder === undefined ? "not in the account" : (holder ?? "unassigned")} (${by})`,
      };
    }),
    ...history.records.map(({ at, key, values, by }) => ({
      at,
      text: `record ${key}: [${values.join(", ")}] (${by})`,
    })),
    ...[...history.blind, ...history.unsure].map(({ from, what }) => ({ at: from, text: `span   ${what}` })),
  ];
}

function callLine({ at, caller, cloud, method, path, body, processed, status, fault }: Call): Line {
  const sent = body === undefined ? "" : ` ${JSON.stringify(body)}`;
  const damage = fault === undefined ? "" : ` fault ${fault}`;
  const done = processed > 0 ? "done" : "not done";
  return {
    at,
    text: `call   ${caller} ${cloud} ${method} ${path}${sent} -> ${status ?? "no answer"}, ${done}${damage}`,
  };
}

/** Only where the holder changes: a renewal every 300 ms says nothing. */
function leaseLines({ leases, processes }: History): readonly Line[] {
  const nameOf = (holder: string) => processes.find(({ identity }) => identity === holder)?.name ?? holder;
  return leases.flatMap(({ at, holder }, place) =>
    holder === leases[place - 1]?.holder ? [] : [{ at, text: `lease  held by ${nameOf(holder) || "no process"}` }],
  );
}

/** Leaves everything that is known of a round in a folder. */
export async function save(folder: string, result: RoundResult): Promise<void> {
  const { history, violations, logs, picture } = result;
  await mkdir(folder, { recursive: true });
  const texts = violations.map(
    (violation) => `${violation.check}: ${violation.message}\n${timeline(history, violation)}\n`,
  );
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write("violations.txt", texts.join("\n"));
  await write("history.json", JSON.stringify(history));
  await write("picture.json", JSON.stringify(picture ?? {}, undefined, 1));
  for (const { name, text } of logs) await write(`${name}.log`, text);
}

export interface Figures {
  readonly rounds: number;
  readonly events: number;
  readonly calls: number;
  readonly struck: number;
  readonly kills: number;
  readonly restarts: number;
  readonly violations: number;
}

export const NO_FIGURES: Figures = { rounds: 0, events: 0, calls: 0, struck: 0, kills: 0, restarts: 0, violations: 0 };

export function figuresOf({ history, violations, struck }: RoundResult): Figures {
  const { steps, calls, processes, blind } = history;
  const kills = processes.filter(({ signals }) => signals.some(({ signal }) => signal === "SIGKILL")).length;
  const restarts = blind.filter(({ what }) => what === "API server restarts").length;
  return {
    rounds: 1,
    events: steps.length,
    calls: calls.length,
    struck,
    kills,
    restarts,
    violations: violations.length,
  };
}

export function sum(a: Figures, b: Figures): Figures {
  const names = Object.keys(a) as (keyof Figures)[];
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as Record<keyof Figures, number>;
}

export function figuresText({ rounds, events, calls, struck, kills, restarts, violations }: Figures): string {
  return `${rounds} rounds, ${events} events, ${calls} cloud calls of which ${struck} failed on purpose, ${kills} kills, ${restarts} API server restarts, ${violations} violations`;
}
