import { setTimeout as sleep } from "node:timers/promises";
import { ControlPlane } from "flipop-testbed";
import { loadClusterConfig } from "../../../src/kube/config/load-config.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import { installKinds } from "../../../test/e2e/support/install.js";
import type { Bench, Case, Sync } from "../../bench.js";
import { newPod, podWriter } from "../../pods.js";
import type { Row } from "../../table.js";
import { library, syncRows } from "./sync.js";

const NODES = 1_000;
const PODS = 20_000;
/** With what the server adds, its pods come out at 6 KB. */
const WRITTEN_BYTES = 7_200;
const WRITERS = 32;
const RUNS = 3;
const SETTLE_SECONDS = 10;
const QUIET_SECONDS = 60;

/** A real API server with a real number of objects: sync, memory, and what a quiet operator costs. */
export const clusterCase: Case = {
  name: "cluster",
  about: "a real API server with 20,000 pods: sync, memory, a quiet operator",
  run: async (bench) => {
    const plane = await ControlPlane.start();
    try {
      const kubeconfig = await plane.kubeconfig();
      await installKinds(plane.client());
      const bytes = await fill(kubeconfig);
      const ours: Sync[] = [];
      for (let run = 0; run < RUNS; run++) ours.push(await bench.sync("ours", kubeconfig));
      const theirs = await library(bench, kubeconfig, 1);
      const name = `kube-apiserver, ${NODES} nodes, ${PODS} pods of ${(bytes / 1024).toFixed(1)} KB`;
      const rows = syncRows(name, ours, theirs, { seconds: 4, peakMb: 150 });
      // With the usual informers.
      const beside = rows.map((row) => (row.figure === "peak RSS, MB" ? { ...row, go: 854 } : row));
      return [...beside, ...(await quiet(bench, kubeconfig, name))];
    } finally {
      await plane.stop();
    }
  },
};

/** CPU of the bundled operator when nothing happens, its lease included. */
async function quiet(bench: Bench, kubeconfig: string, name: string): Promise<Row[]> {
  const operator = await bench.startOperator(kubeconfig);
  await sleep(SETTLE_SECONDS * 1000);
  const before = operator.cpuSeconds();
  await sleep(QUIET_SECONDS * 1000);
  const percent = ((operator.cpuSeconds() - before) / QUIET_SECONDS) * 100;
  await operator.kill();
  return [{ case: name, figure: "quiet operator, CPU % of a core", ours: [percent], target: 0.5 }];
}

/** @returns bytes of a pod as the server sends it. */
async function fill(kubeconfig: string): Promise<number> {
  const admin = new Transport({ config: loadClusterConfig({ kubeconfig, env: {} }), env: {} });
  const write = podWriter(WRITTEN_BYTES);
  await inParallel(NODES, async (index) => {
    const labels = { "topology.kubernetes.io/zone": `zone-${index % 3}` };
    await admin.request({
      method: "POST",
      path: "/api/v1/nodes",
      body: { metadata: { name: `node-${index}`, labels } },
    });
  });
  const path = "/api/v1/namespaces/default/pods";
  await inParallel(PODS, async (index) => {
    await admin.request({ method: "POST", path, body: newPod(write, index) });
  });
  const query = { limit: 1 };
  const { items } = await admin.request<{ items: readonly unknown[] }>({ method: "GET", path, query });
  await admin.close();
  return JSON.stringify(items[0]).length;
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: WRITERS }, worker));
}
