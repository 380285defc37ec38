import { type Case, SkippedCase } from "../bench.js";
import { median, type Row } from "../table.js";
import { networkProblem, runDeaths } from "../traffic/run.js";

const RUNS = 200;
const PERCENTILE = 0.99;
const TARGET_SECONDS = 3;
/** Of holder and leader together. */
const LEADERS = 60;
const LEADER_TARGET_SECONDS = 8;
/** The kubelet's default, and the shortest that the docs name. */
const LEASES = [40, 4];

/** From the silent death of a holder to the call that assigns its address to another node. */
export const deathsCase: Case = {
  name: "deaths",
  about: `${RUNS} holders die in silence, and ${LEADERS} with the leader: how long until their addresses are assigned elsewhere`,
  run: async () => {
    const problem = networkProblem();
    if (problem !== undefined) throw new SkippedCase(problem);
    const rows: Row[] = [];
    for (const leaseSeconds of LEASES) rows.push(...(await deathsWith(leaseSeconds)));
    return rows;
  },
};

async function deathsWith(leaseSeconds: number): Promise<readonly Row[]> {
  const alone = await runDeaths({ runs: RUNS, leaseSeconds, withLeader: false });
  const both = await runDeaths({ runs: LEADERS, leaseSeconds, withLeader: true });
  const lease = `Lease of ${leaseSeconds} s`;
  return [
    ...rowsOf(`a holder dies in silence, ${RUNS} times, ${lease}`, alone, TARGET_SECONDS),
    ...rowsOf(`holder and leader die together, ${LEADERS} times, ${lease}`, both, LEADER_TARGET_SECONDS),
  ];
}

function rowsOf(name: string, seconds: readonly number[], target: number): readonly Row[] {
  const sorted = [...seconds].sort((a, b) => a - b);
  const p99 = sorted[Math.ceil(sorted.length * PERCENTILE) - 1] ?? Number.NaN;
  const figure = (what: string, value: number): Row => ({
    ...{ case: name, figure: `death to assign call, s, ${what}`, ours: [value] },
  });
  return [
    { ...figure("p99", p99), target },
    figure("median", median(seconds)),
    figure("largest", sorted.at(-1) ?? Number.NaN),
  ];
}
