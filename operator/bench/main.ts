/**
 * `tsx bench/main.ts [--only NAME]... [--kills COUNT]`: measures the Kubernetes edge, and the operator as a whole on
 * the work that the Go operator was measured on. Memory is sampled from outside, every measured process is bundled and
 * fresh, and the library's informer runs beside ours on the same pods.
 */

import { cpus, loadavg, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { Bench, type Case } from "./bench.js";
import { bundleCase } from "./cases/bundle.js";
import { cloudsCase } from "./cases/clouds.js";
import { clusterCase } from "./cases/cluster.js";
import { eventsCase } from "./cases/events.js";
import { idleCase } from "./cases/idle.js";
import { latencyCase, startCase } from "./cases/latency.js";
import { leaderCase } from "./cases/leader.js";
import { outageCase } from "./cases/outage.js";
import { overlapCase } from "./cases/overlap.js";
import { scaleCase } from "./cases/scale.js";
import { surgeCase } from "./cases/surge.js";
import { syncCases } from "./cases/sync.js";
import { isMissed, type Row, tableOf } from "./table.js";

const EDGE: readonly Case[] = [bundleCase, ...syncCases, eventsCase, cloudsCase, clusterCase];
const WHOLE: readonly Case[] = [
  latencyCase,
  startCase,
  surgeCase,
  idleCase,
  overlapCase,
  outageCase,
  leaderCase,
  scaleCase,
];
/** Of the leader, for its median: each takes as long as a Lease lasts. */
const KILLS = 10;
const CASES = [...EDGE, ...WHOLE];

const { values } = parseArgs({ options: { only: { type: "string", multiple: true }, kills: { type: "string" } } });
const chosen = choose(values.only);
const loadBefore = load();
const bench = await Bench.create({ kills: Number(values.kills ?? KILLS) });
const rows: Row[] = [];
try {
  for (const { name, run } of chosen) {
    console.error(`bench: ${name} ...`);
    const seen = await run(bench);
    rows.push(...seen.map((row) => ({ ...row, load: load() })));
    await bench.endProcesses();
  }
} finally {
  await bench.close();
}
const { model = "unknown" } = cpus()[0] ?? {};
const machine = `${cpus().length} x ${model}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;
// Seconds and blocks of a busy machine are those of its other work, too; CPU and memory are not.
console.log(`\n${machine}; load ${loadBefore.toFixed(1)} before, ${load().toFixed(1)} after\n`);
console.log(tableOf(rows));
console.log(
  `\n${rows.filter(isMissed).length} of ${rows.filter((row) => row.target !== undefined).length} targets missed`,
);

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
