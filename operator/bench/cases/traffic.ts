import { type Case, SkippedCase } from "../bench.js";
import type { Row } from "../table.js";
import { FAULTS, type FaultName } from "../traffic/faults.js";
import type { Outcome, Signal } from "../traffic/play.js";
import { networkProblem, runTraffic } from "../traffic/run.js";

const SECOND_MS = 1_000;
/** Of a kubelet's Lease: the default, and the shortest that the docs name. */
const USUAL_SECONDS = 40;
const SHORT_SECONDS = 4;
const COMMON = { runs: 3, lossMs: 15_000, replicas: 2 } as const;

/** What a client sees of a fault: network namespaces, a router in user space, 200 requests a second. */
export const trafficCase: Case = {
  name: "traffic",
  about: "what a client of an address sees while its node fails, in network namespaces",
  run: async () => {
    const problem = networkProblem();
    if (problem !== undefined) throw new SkippedCase(problem);
    const all = await runTraffic({ ...COMMON, faults: FAULTS, withoutCheck: true, leaseSeconds: USUAL_SECONDS });
    const single = (leaseSeconds: number) =>
      runTraffic({ ...COMMON, faults: ["link down"], withoutCheck: false, leaseSeconds, replicas: 1 });
    const of = (fault: FaultName, signal: Signal) => all.filter((one) => one.fault === fault && one.signal === signal);
    return [
      ...FAULTS.flatMap((fault) => [
        ...rowsOf(`${fault}, with healthCheck`, of(fault, "health check")),
        ...rowsOf(`${fault}, by the Go operator's signal`, of(fault, "Kubernetes")),
      ]),
      ...rowsOf("link down, with healthCheck, one replica", await single(USUAL_SECONDS)),
      ...rowsOf(`link down, with healthCheck, one replica, Leases of ${SHORT_SECONDS} s`, await single(SHORT_SECONDS)),
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
