import type { Bench, Case } from "../bench.js";
import type { Row } from "../table.js";

const SECONDS = 15;
const START_SECONDS = 20;
const LATE_SECONDS = 60;
const SIZES = [
  { targets: 1_000, cpuPercent: 15 },
  { targets: 5_000, cpuPercent: 100 },
];

/** Probes as the operator sends them, each to a port that is open. */
export const probesCase: Case = {
  name: "probes",
  about: "health checks of 1,000 and 5,000 targets each second",
  run: async (bench) => {
    const rows: Row[] = [];
    for (const { targets, cpuPercent } of SIZES) rows.push(...(await probe(bench, targets, cpuPercent)));
    return rows;
  },
};

async function probe(bench: Bench, targets: number, cpuPercent: number): Promise<readonly Row[]> {
  const listener = bench.startChild("listener", []);
  const { port } = await listener.message("listening", START_SECONDS);
  const probes = bench.startChild("probes", [targets, port, SECONDS].map(String));
  const seen = await probes.message("probed", SECONDS + LATE_SECONDS);
  await bench.endProcesses();
  const row = { case: `${targets} targets, a TCP probe of each every second` };
  return [
    { ...row, figure: "CPU, % of a core", ours: [seen.cpuPercent], target: cpuPercent },
    { ...row, figure: "probes that succeed, each second", ours: [seen.successes] },
    { ...row, figure: "probes that fail, each second", ours: [seen.failures], target: 0 },
    { ...row, figure: "probes without room or with a late timer, each second", ours: [seen.skipped] },
    { ...row, figure: "sockets left at the end", ours: [seen.sockets], target: 0 },
  ];
}
