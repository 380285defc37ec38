import { type Case, SkippedCase } from "../bench.js";
import type { Row } from "../table.js";
import { FAULTS, type FaultName } from "../traffic/faults.js";
import type { Outcome, Signal } from "../traffic/play.js";
import { networkProblem, runTraffic } from "../traffic/run.js";

const RUNS = 3;
const SECOND_MS = 1_000;
/** The kubelet's default, and the shortest that the docs name. */
const LEASES = [40, 4];
const LOSS_MS = 15_000;

/** What a client sees of a fault: network namespaces, a router in user space, 200 requests a second. */
export const trafficCase: Case = {
  name: "traffic",
  about: "what a client of an address sees while its node fails, in network namespaces",
  run: async () => {
    const problem = networkProblem();
    if (problem !== undefined) throw new SkippedCase(problem);
    const [usual = 0, short = 0] = LEASES;
    const common = { runs: RUNS, lossMs: LOSS_MS };
    const all = await runTraffic({ ...common, faults: FAULTS, withoutCheck: true, leaseSeconds: usual });
    const quick = await runTraffic({ ...common, faults: ["link down"], withoutCheck: false, leaseSeconds: short });
    const of = (fault: FaultName, signal: Signal) => all.filter((one) => one.fault === fault && one.signal === signal);
    return [
      ...FAULTS.flatMap((fault) => [
        ...rowsOf(`${fault}, with healthCheck`, of(fault, "health check")),
        ...rowsOf(`${fault}, by the Go operator's signal`, of(fault, "Kubernetes")),
      ]),
      ...rowsOf(`link down, with healthCheck, Leases of ${short} s`, quick),
    ];
  },
};

function rowsOf(name: string, group: readonly Outcome[]): readonly Row[] {
  const [first] = group;
  if (first === undefined) return [];
  const figure = (text: string, value: (one: Outcome) => number): Row => ({
    ...{ case: name, figure: text, ours: group.map(value) },
  });
  const moves = figure("moves", (one) => one.moves);
  const shared = [
    figure("gap of TCP requests, s", ({ gap }) => gap.tcp / SECOND_MS),
    figure("gap of UDP requests, s", ({ gap }) => gap.udp / SECOND_MS),
  ];
  if (first.split === undefined) {
    const answered = figure("TCP requests answered within 1 s, %", (one) => one.answered.tcp * 100);
    return [...shared, answered, { ...moves, target: 0 }];
  }
  return [
    ...shared,
    figure("fault to decision (detection), s", ({ split }) => (split?.detection ?? Number.NaN) / SECOND_MS),
    figure("decision to assign call, ms", ({ split }) => split?.decision ?? Number.NaN),
    figure("assign call to new route (action), s", ({ split }) => (split?.action ?? Number.NaN) / SECOND_MS),
    moves,
  ];
}
