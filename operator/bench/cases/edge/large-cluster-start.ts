import type { ControlPlane } from "flipop-testbed";
import { loadClusterConfig } from "../../../src/kube/config/load-config.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import { ROUTES } from "../../../test/e2e/support/clouds.js";
import type { Machine } from "../../../test/e2e/support/fleet.js";
import { spare } from "../../../test/e2e/support/spare.js";
import type { World } from "../../../test/e2e/support/world.js";
import { until } from "../../../test/support/time/until.js";
import type { Case } from "../../bench.js";
import { type Contender, compare } from "../../contenders.js";
import { followCalls, inWorld, onPlane } from "../../in-world.js";
import { AT_ONCE, NO_LIMITS } from "../../instant-cloud.js";
import { newPod, podWriter } from "../../pods.js";
import { cpuSecondsOf, memoryOf } from "../../usage.js";

const NODES = 1_000;
const PODS = 20_000;
/** With what the server adds, its pods come out at 11 KB. */
const WRITTEN_BYTES = 12_300;
const PARALLEL = 32;
const RUNS = 3;
const ADDRESSES = 10;
const LABEL = "app.kubernetes.io/part-of";
const LONG_MS = 120_000;
const CLOUD = { digitalocean: { durations: AT_ONCE, limits: NO_LIMITS, account: { reservedIpLimit: 1_000 } } };

type Figure = "first" | "cpu" | "peak";

/** A real API server with a real number of objects, all of which the pool's selector matches. */
export const largeCase: Case = {
  name: "large",
  about: "1,000 nodes and 20,000 pods of 11 KB on a real API server: start to the first assignment",
  run: ({ options: { goFile } }) =>
    onPlane((plane) =>
      inWorld(plane, CLOUD, async (world) => {
        const machines = await fill(plane, world);
        const name = `kube-apiserver, ${NODES} nodes, ${PODS} pods of ${await podKb(world)} KB`;
        return compare<Figure>(
          goFile,
          async (contender) => {
            const runs = [];
            for (let run = 0; run < RUNS; run++) runs.push(await startOnce(world, contender, machines));
            return {
              first: runs.map(({ first }) => first),
              cpu: runs.map(({ cpu }) => cpu),
              peak: runs.map(({ peak }) => peak),
            };
          },
          ({ first, cpu, peak }) => [
            { key: "first", case: name, figure: "start to first assign call, s", ours: first, target: 2.5 },
            { key: "cpu", case: name, figure: "CPU until all are assigned, s", ours: cpu, target: 2.5 },
            { key: "peak", case: name, figure: "peak RSS, MB", ours: peak, target: 110 },
          ],
        );
      }),
    ),
};

let pools = 0;

/** Each start finds a new pool, addresses that nothing holds, and serving pods on nodes that hold none. */
async function startOnce(world: World, contender: Contender, machines: readonly Machine[]) {
  const own = machines.slice(pools * ADDRESSES, ++pools * ADDRESSES);
  const namespace = "default";
  await Promise.all(own.map((machine) => world.fleet.runPod(machine, namespace, { [LABEL]: "shop" })));
  const ips = spare(world, ADDRESSES);
  const match = { nodeLabel: world.fleet.nodeLabel, podNamespace: namespace, podLabel: `${LABEL}=shop` };
  const pool = await world.pool(`web-${pools}`, { ips, match });
  const calls = followCalls(world);
  const begun = performance.now();
  const { pid, kill } = await contender.start(world);
  const assigned = () => ips.every((ip) => world.fleet.holderOf(ip) !== undefined);
  await until("all addresses are assigned", assigned, LONG_MS);
  const figures = { cpu: cpuSecondsOf(pid), peak: memoryOf(pid).peakMb };
  const first = ((calls.first(ROUTES.act) ?? Number.NaN) - begun) / 1000;
  calls.close();
  await kill();
  await endLeases(world);
  await world.client.must.patch(pool.path, { metadata: { finalizers: null } });
  await world.client.delete(pool.path);
  return { ...figures, first };
}

/** The next start waits for no Lease of the operator that was killed. */
async function endLeases({ client, install: { namespace } }: World): Promise<void> {
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const { body } = await client.list(leases);
  for (const { metadata } of body.items) await client.delete(`${leases}/${metadata.name}`);
}

/** The pods are not ready; those that serve come with each start. */
async function fill(plane: ControlPlane, world: World): Promise<readonly Machine[]> {
  const config = loadClusterConfig({ kubeconfig: await plane.kubeconfig(), env: {} });
  const admin = new Transport({ config, env: {} });
  const machines: Machine[] = [];
  await inParallel(NODES, async (index) => {
    machines.push(await world.fleet.add(`n${index}`));
  });
  const write = podWriter(WRITTEN_BYTES);
  await inParallel(PODS, async (index) => {
    const { metadata, spec } = newPod(write, index);
    const nodeName = machines[index % NODES]?.name;
    const body = { metadata, spec: { ...(spec as object), nodeName } };
    await admin.request({ method: "POST", path: "/api/v1/namespaces/default/pods", body });
  });
  await admin.close();
  return machines;
}

async function podKb(world: World): Promise<string> {
  const { body } = await world.client.list("/api/v1/namespaces/default/pods?limit=1");
  return (JSON.stringify(body.items[0]).length / 1024).toFixed(0);
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}
