/**
 * `tsx bench/main.ts [--only NAME]... [--rounds COUNT] [--kills COUNT] [--list] [--markdown]`: measures the Kubernetes edge, the clouds,
 * and the operator as a whole on the work that the Go operator was measured on. Memory is sampled from outside, every
 * measured process is bundled and fresh, and the library's informer runs beside ours on the same pods. Several rounds
 * are told as one table, with the spread over all of them.
 *
 * Ends with 1 where a target is missed or a case fails; the other cases run all the same.
 */

import { cpus, loadavg, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { Bench, type Case } from "./bench.js";
import { CASES } from "./cases/index.js";
import { type Failure, isMissed, joined, markdownTable, type Row, textTable } from "./table.js";

/** Of the leader, for its median: each takes as long as a Lease lasts. */
const KILLS = 10;
/** For one case. */
const LONG_MS = 400_000;

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    rounds: { type: "string" },
    kills: { type: "string" },
    list: { type: "boolean" },
    markdown: { type: "boolean" },
  },
});
if (values.list === true) {
  for (const { name, about } of CASES) console.log(`${name.padEnd(10)} ${about}`);
} else {
  const seen: Seen = { rows: new Map(), failures: [] };
  const chosen = choose(values.only);
  const rounds = Array.from({ length: Number(values.rounds ?? 1) }, () => chosen);
  const loadBefore = load();
  const bench = await Bench.create({ kills: Number(values.kills ?? KILLS) });
  try {
    for (const one of rounds.flat()) await measure(bench, one, seen);
  } finally {
    await bench.close();
  }
  const rows = [...seen.rows.values()].flat();
  const { failures } = seen;
  tell(rows, failures, loadBefore);
  // Whatever a case that ran out of time has left behind must not keep the process up.
  process.exit(failures.length > 0 || rows.some(isMissed) ? 1 : 0);
}

interface Seen {
  /** By case. */
  readonly rows: Map<string, readonly Row[]>;
  readonly failures: Failure[];
}

async function measure(bench: Bench, { name, run }: Case, { rows, failures }: Seen): Promise<void> {
  console.error(`bench: ${name} ...`);
  const begun = performance.now();
  try {
    const seen = (await inTime(run(bench))).map((row) => ({ ...row, load: load() }));
    console.error(textTable(seen));
    rows.set(name, joined(rows.get(name) ?? [], seen));
  } catch (error) {
    failures.push({ case: name, error });
    console.error(error);
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

function tell(rows: readonly Row[], failures: readonly Failure[], loadBefore: number): void {
  const [{ model = "unknown" } = {}] = cpus();
  const machine = `${cpus().length} x ${model}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;
  // Seconds and blocks of a busy machine are those of its other work, too; CPU and memory are not.
  console.log(`\n${machine}; load ${loadBefore.toFixed(1)} before, ${load().toFixed(1)} after\n`);
  console.log(values.markdown === true ? markdownTable(rows) : textTable(rows));
  const targets = rows.filter(({ target }) => target !== undefined).length;
  console.log(`\n${rows.filter(isMissed).length} of ${targets} targets missed, ${failures.length} cases failed`);
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
