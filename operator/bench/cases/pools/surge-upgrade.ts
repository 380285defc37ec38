import { DOMAIN, ROUTES } from "../../../test/e2e/support/clouds.js";
import type { Machine } from "../../../test/e2e/support/fleet.js";
import { spare } from "../../../test/e2e/support/spare.js";
import type { World } from "../../../test/e2e/support/world.js";
import { runSurge, SURGE } from "../../../test/operator/scenes/surge.js";
import type { Case } from "../../bench.js";
import { inWorld, onPlane, QUIET } from "../../in-world.js";
import type { Row } from "../../table.js";
import { cpuSecondsOf, memoryOf } from "../../usage.js";

const OLD = "v1.34.6";
const NEW = "v1.35.4";
const LABELS = { app: "ingress" };
/** Completed assignments are counted, for both operators: here no accepted action errs. */
const ACCEPTED = 201;
const NAME = `surge upgrade of ${SURGE.nodes} nodes, ${SURGE.addresses} addresses`;

/** Each node gives way to a new one, as fast as the operator follows; and at a usual pace, on a virtual clock. */
export const surgeCase: Case = {
  name: "surge",
  about: "each of 40 nodes gives way to a new one",
  run: async () => {
    const rows = await onPlane((plane) => inWorld(plane, {}, upgrade));
    const { moves, calls } = await runSurge();
    const name = `${NAME}, at a usual pace`;
    return [
      ...rows,
      { case: name, figure: "moves", ours: [moves], target: 8, go: 32 },
      { case: name, figure: "cloud calls", ours: [calls], target: 250, go: "868 - 921" },
    ];
  },
};

async function upgrade(world: World): Promise<readonly Row[]> {
  const { state, journal } = world.clouds.digitalocean;
  for (let index = 0; index < SURGE.foreignRecords; index++) {
    state.dns.addRecord(DOMAIN, { type: "A", name: `foreign-${index}`, data: "192.0.2.1" });
  }
  const names = Array.from({ length: SURGE.nodes }, (_, index) => `old${index}`);
  const machines = await world.fleet.addAll(names, { kubeletVersion: OLD });
  await Promise.all(machines.map((machine) => world.fleet.runPod(machine, world.namespace, LABELS)));
  const match = { nodeLabel: world.fleet.nodeLabel, podNamespace: world.namespace, podLabel: "app=ingress" };
  const dns = (recordName: string) => ({ provider: "digitalocean", zone: DOMAIN, recordName });
  const ips = spare(world, SURGE.addresses);
  const pool = await world.pool("web", { ips, match, dnsRecordSet: dns("www") });
  const set = await world.recordSet("nodes", { match, dnsRecordSet: dns("nodes") });
  const { pid } = await world.start(QUIET);
  const settled = async () => {
    await pool.is("Fulfilled", "True");
    await pool.is("DNSReady", "True");
    await set.is("DNSReady", "True");
  };
  await settled();
  const after = journal.mark;
  const begun = performance.now();
  for (const [index, machine] of machines.entries()) await replace(world, machine, index);
  await settled();
  const seconds = (performance.now() - begun) / 1000;
  const moves = journal.calls({ on: ROUTES.act, after }).filter(({ status }) => status === ACCEPTED).length;
  return [
    { case: NAME, figure: "moves", ours: [moves], target: 8, go: 32 },
    { case: NAME, figure: "cloud calls", ours: [journal.count({ after })], target: 250, go: "868 - 921" },
    { case: NAME, figure: "CPU, start included, s", ours: [cpuSecondsOf(pid)], target: 3, go: 1.5 },
    { case: NAME, figure: "peak RSS, MB", ours: [memoryOf(pid).peakMb], target: 85, go: 46 },
    { case: NAME, figure: "seconds", ours: [seconds] },
  ];
}

/** The new node serves, and the operator has seen it, before the old one is drained and goes. */
async function replace(world: World, old: Machine, index: number): Promise<void> {
  const fresh = await world.fleet.add(`new${index}`, { kubeletVersion: NEW });
  await world.fleet.runPod(fresh, world.namespace, LABELS);
  await world.until("the new node's record", () => world.clouds.published("nodes").includes(fresh.publicIp));
  await old.node.cordon();
  await world.client.must.delete(`/api/v1/namespaces/${world.namespace}/pods`, undefined, {
    fieldSelector: `spec.nodeName=${old.name}`,
  });
  await world.until(`${old.name} to hold nothing`, () => ![...world.clouds.holders().values()].includes(old.dropletId));
  await world.fleet.remove(old);
}
