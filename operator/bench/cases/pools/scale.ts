import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "flipop-testbed";
import { bundledOperator } from "../../../test/support/bundle.js";
import { until } from "../../../test/support/time/until.js";
import type { Bench, Case } from "../../bench.js";
import { LargeCluster, SIZE } from "../../large-cluster.js";
import type { MeasuredProcess } from "../../measured-process.js";
import type { Row } from "../../table.js";

const FLIPS = 20;
const PAUSE_MS = 500;
const LONG_MS = 180_000;
/** At rest it uses less than a fifth of a core, resync included. */
const REST = { seconds: 10, cpuSeconds: 2 } as const;
const NAME = `${SIZE.pools} pools, ${SIZE.pools * SIZE.nodesOfPool} nodes, ${SIZE.pools * SIZE.nodesOfPool * SIZE.podsOfNode} pods`;

/** A large cluster on the emulator, whose addresses are where they should be; the operator is a process of its own. */
export const scaleCase: Case = {
  name: "scale",
  about: "1,000 pools, 5,000 nodes, 50,000 pods on the emulator",
  run: async (bench) => {
    const cluster = await LargeCluster.start();
    try {
      return await measure(bench, cluster);
    } finally {
      await bench.endProcesses();
      await cluster.close();
    }
  },
};

async function measure(bench: Bench, cluster: LargeCluster): Promise<readonly Row[]> {
  const metrics = await freePort();
  const operator = await start(bench, cluster, metrics);
  await until("all pools have a status", () => cluster.written.size === SIZE.pools, LONG_MS);
  const [first = 0, last = 0] = [cluster.firstWritten, cluster.lastWritten];
  const started = operator.startedAtMs - performance.timeOrigin;
  await atRest(operator);
  const startCpu = operator.cpuSeconds();
  const flips = await flipNodes(cluster);
  const rounds = await resync(operator, metrics);
  return [
    { case: NAME, figure: "start to all pools reported, s", ours: [(last - started) / 1000] },
    { case: NAME, figure: "start to rest, CPU s", ours: [startCpu] },
    // The emulator's time for the writes is in it.
    { case: NAME, figure: "first to last first status write, s", ours: [(last - first) / 1000] },
    { case: NAME, figure: "full reconcile at rest, s in runs", ours: [rounds.seconds], target: 2 },
    { case: NAME, figure: "full reconcile at rest, CPU s", ours: [rounds.cpuSeconds] },
    { case: NAME, figure: `node event to assign call, ms, median of ${FLIPS}`, ours: flips, by: "median", target: 20 },
    { case: NAME, figure: "peak RSS, MB", ours: [operator.memory().peakMb], target: 600 },
    { case: NAME, figure: "RSS at rest, MB", ours: [operator.memory().nowMb] },
  ];
}

/** The start is over. What was read of the addresses is too old to move one by then. */
async function atRest(operator: MeasuredProcess): Promise<void> {
  for (let quiet = 0; quiet < 2; ) {
    const before = operator.cpuSeconds();
    await new Promise((resolve) => setTimeout(resolve, REST.seconds * 1000));
    quiet = operator.cpuSeconds() - before < REST.cpuSeconds ? quiet + 1 : 0;
  }
}

async function start(bench: Bench, { kubernetes, cloud }: LargeCluster, metrics: number): Promise<MeasuredProcess> {
  const kubeconfig = join(bench.dir, "large.kubeconfig");
  writeFileSync(kubeconfig, kubernetes.kubeconfig());
  const binds = [`--metrics-bind-addr=127.0.0.1:${metrics}`, "--health-bind-addr=127.0.0.1:0"];
  const env = {
    KUBECONFIG: kubeconfig,
    DIGITALOCEAN_API_URL: cloud.url,
    DIGITALOCEAN_ACCESS_TOKEN: cloud.token,
  };
  return bench.startScript(await bundledOperator(), ["run", "--namespace=default", ...binds], env);
}

/** ms from each event to the assignment that it leads to; what was read of the address is too old to move it. */
async function flipNodes(cluster: LargeCluster): Promise<readonly number[]> {
  const seen: number[] = [];
  for (let flip = 0; flip < FLIPS; flip++) {
    // Pools with a watch of their own pods, and pools that share one.
    const pool = Math.floor((flip * SIZE.pools) / FLIPS);
    const assigned = cluster.nextAssignment();
    const at = performance.now();
    cluster.setReady(cluster.holderOf(pool), false);
    seen.push((await assigned) - at);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return seen;
}

interface Round {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** What it takes to run each pool once, though nothing has happened. */
async function resync(operator: MeasuredProcess, port: number): Promise<Round> {
  const before = await runs(port);
  const cpu = operator.cpuSeconds();
  let now = before;
  await until(
    "a resync",
    async () => {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 10));
      now = await runs(port);
      return now.count - before.count >= SIZE.pools;
    },
    LONG_MS,
  );
  const share = SIZE.pools / (now.count - before.count);
  return { seconds: (now.seconds - before.seconds) * share, cpuSeconds: operator.cpuSeconds() - cpu };
}

async function runs(port: number): Promise<{ readonly count: number; readonly seconds: number }> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const value = (what: string) => {
    const series = `controller_runtime_reconcile_time_seconds_${what}{controller="floating-ip-pool"} `;
    const line = text.split("\n").find((candidate) => candidate.startsWith(series));
    return Number(line?.slice(series.length));
  };
  return { count: value("count"), seconds: value("sum") };
}
