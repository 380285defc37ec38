/**
 * `tsx bench/main.ts [--only NAME]... [--rounds COUNT] [--kills COUNT] [--quiet MINUTES] [--go FILE] [--list] [--markdown]`: measures the Kubernetes edge, the clouds,
 * and the operator as a whole on the work that the Go operator was measured on. Memory is sampled from outside, every
 * measured process is bundled and fresh, and the library's informer runs beside ours on the same pods. Several rounds
 * are reported as one table, with the spread over all of them.
 *
 * Ends with 1 where a target is missed or a case fails; the other cases run all the same.
 */

import { realpathSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { Bench, type Case, SkippedCase } from "./bench.js";
import { CASES } from "./cases/index.js";
import { type Failure, isMissed, joined, markdownTable, type Row, textTable } from "./table.js";

/** Of the leader, for its median: each takes as long as a Lease lasts. */
const KILLS = 10;
/** For one case. */
const LONG_MS = 1_500_000;
/** For the CPU time of a quiet operator. */
const QUIET_MINUTES = 10;

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    rounds: { type: "string" },
    kills: { type: "string" },
    quiet: { type: "string" },
    go: { type: "string" },
    list: { type: "boolean" },
    markdown: { type: "boolean" },
  },
});
if (values.list === true) {
  for (const { name, about } of CASES) console.log(`${name.padEnd(10)} ${about}`);
} else {
  const seen: Seen = { rows: new Map(), failures: [], skipped: [] };
  const chosen = choose(values.only);
  const rounds = Array.from({ length: Number(values.rounds ?? 1) }, () => chosen);
  const loadBefore = load();
  const goFile = goOperator();
  console.error(`bench: Node ${process.versions.node}`);
  const bench = await Bench.create({
    kills: Number(values.kills ?? KILLS),
    quietMinutes: Number(values.quiet ?? QUIET_MINUTES),
    goFile,
  });
  try {
    for (const one of rounds.flat()) await measure(bench, one, seen);
  } finally {
    await bench.close();
  }
  const rows = [...seen.rows.values()].flat();
  const { failures } = seen;
  tell(rows, seen, loadBefore);
  // Whatever a case that ran out of time has left behind must not keep the process up.
  process.exit(failures.length > 0 || rows.some(isMissed) ? 1 : 0);
}

/** By `--go` or FLIPOP_GO_OPERATOR. */
function goOperator(): string | undefined {
  const file = values.go ?? process.env["FLIPOP_GO_OPERATOR"] ?? "";
  if (file !== "") return realpathSync(file);
  console.error("bench: the Go operator is not measured: give its executable by --go or FLIPOP_GO_OPERATOR");
  return undefined;
}

interface Seen {
  /** By case. */
  readonly rows: Map<string, readonly Row[]>;
  readonly failures: Failure[];
  /** Cases that this machine cannot run. */
  readonly skipped: Failure[];
}

async function measure(bench: Bench, { name, run }: Case, { rows, failures, skipped }: Seen): Promise<void> {
  console.error(`bench: ${name} ...`);
  const begun = performance.now();
  try {
    const seen = (await inTime(run(bench))).map((row) => ({ ...row, load: load() }));
    console.error(textTable(seen));
    rows.set(name, joined(rows.get(name) ?? [], seen));
  } catch (error) {
    if (error instanceof SkippedCase) skipped.push({ case: name, error });
    else {
      failures.push({ case: name, error });
      console.error(error);
    }
  }
  await bench.endProcesses();
  console.error(`bench: ${name} took ${((performance.now() - begun) / 1000).toFixed(0)} s`);
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${LONG_MS / 1000} s`)), LONG_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function tell(rows: readonly Row[], { failures, skipped }: Seen, loadBefore: number): void {
  const [{ model = "unknown" } = {}] = cpus();
  const machine = `${cpus().length} x ${model}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;
  // Seconds and blocks of a busy machine are those of its other work, too; CPU and memory are not.
  console.log(`\n${machine}; load ${loadBefore.toFixed(1)} before, ${load().toFixed(1)} after\n`);
  console.log(values.markdown === true ? markdownTable(rows) : textTable(rows));
  const targets = rows.filter(({ target }) => target !== undefined).length;
  console.log(`\n${rows.filter(isMissed).length} of ${targets} targets missed, ${failures.length} cases failed`);
  for (const { case: name, error } of skipped) console.log(`SKIPPED ${name}: ${(error as Error).message}`);
  for (const failure of failures) console.log(`FAILED ${failure.case}: ${String(failure.error).split("\n")[0]}`);
}

/** Of the last minute: how many processes wanted a core. */
function load(): number {
  return loadavg()[0] ?? 0;
}

function choose(names: readonly string[] | undefined): readonly Case[] {
  const unknown = names?.find((name) => !CASES.some((known) => known.name === name));
  if (unknown !== undefined) {
    throw new Error(`no case "${unknown}": there is ${CASES.map(({ name }) => name).join(", ")}`);
  }
  return CASES.filter(({ name }) => names === undefined || names.includes(name));
}
