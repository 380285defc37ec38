/** A surge upgrade: each node is replaced by a new one that serves before the old one goes. For a test. */

import { GROUP_VERSION } from "cdk8s-flipop/api";
import { inWorld, type World } from "../world.js";

export const SURGE = { nodes: 40, addresses: 4, foreignRecords: 400 } as const;
const OLD = "v1.34.6";
const NEW = "v1.35.4";
const ASSIGN = "POST /v2/reserved_ips/{reserved_ip}/actions";
const ACCEPTED = 201;
const ZONE = "example.com";
const POD_START_MS = 20_000;
const DRAIN_MS = 10_000;

export interface SurgeFigures {
  /** Completed assignments: the provider accepted them, and no action of this scene errs. */
  readonly moves: number;
  readonly calls: number;
  /** Records of the pool, of the nodes, and of others, at the end. */
  readonly records: { readonly pool: number; readonly nodes: number; readonly foreign: number };
  /** By route, for the message of a failed test. */
  readonly byRoute: Readonly<Record<string, number>>;
}

/** From the first new node until the statuses and records are written; what the start cost is not in it. */
export function runSurge(): Promise<SurgeFigures> {
  return inWorld({ perMinute: 250 }, async (world) => {
    await prepare(world);
    const { journal, state } = world.digitalocean;
    const after = journal.mark;
    for (let index = 0; index < SURGE.nodes; index++) await replace(world, index);
    await settle(world, "new");
    const records = state.dns.records(ZONE).filter(({ type }) => type === "A");
    const count = (test: (name: string) => boolean) => records.filter(({ name }) => test(name)).length;
    return {
      moves: journal.calls({ on: ASSIGN, after }).filter(({ status }) => status === ACCEPTED).length,
      calls: journal.count({ after }),
      records: {
        pool: count((name) => name === "www"),
        nodes: count((name) => name === "nodes"),
        foreign: count((name) => name.startsWith("foreign-")),
      },
      byRoute: Object.fromEntries(journal.countByRoute({ after })),
    };
  });
}

async function prepare(world: World): Promise<void> {
  const { state } = world.digitalocean;
  for (let index = 0; index < SURGE.foreignRecords; index++) {
    state.dns.addRecord(ZONE, { type: "A", name: `foreign-${index}`, data: "192.0.2.1" });
  }
  for (let index = 0; index < SURGE.nodes; index++) addServingNode(world, `old-${index}`, OLD);
  const ips = Array.from({ length: SURGE.addresses }, () => state.addAddress().ip);
  const match = { podNamespace: "default", podLabel: "app=ingress" };
  world.addPool("web", { ips, match, dnsRecordSet: { zone: ZONE, recordName: "www" } });
  world.kubernetes.create({
    apiVersion: GROUP_VERSION,
    kind: "NodeDNSRecordSet",
    metadata: { name: "nodes", namespace: "default" },
    spec: { match, dnsRecordSet: { provider: "digitalocean", zone: ZONE, recordName: "nodes" } },
  });
  world.start();
  await settle(world, "old");
}

/** The addresses are held, and the records are those of the nodes with this prefix. */
async function settle(world: World, prefix: string): Promise<void> {
  await world.fulfilled("web");
  await world.until("DNS of the pool", () => world.condition("web", "DNSReady")?.status === "True");
  await world.until(`the records are those of ${prefix}-*`, () => {
    const wanted = Array.from({ length: SURGE.nodes }, (_, index) => world.droplet(`${prefix}-${index}`).publicIp);
    const published = world.digitalocean.state.dns.records(ZONE, "nodes").map(({ data }) => data);
    return `${published.sort()}` === `${wanted.sort()}`;
  });
  await world.rest();
}

async function replace(world: World, index: number): Promise<void> {
  const old = `old-${index}`;
  addServingNode(world, `new-${index}`, NEW);
  await world.clock.sleep(POD_START_MS);
  const node = { apiVersion: "v1", kind: "Node", name: old };
  world.kubernetes.change(node, (object) => ({
    ...object,
    spec: { ...(object["spec"] as object), unschedulable: true },
  }));
  await world.clock.sleep(DRAIN_MS);
  world.kubernetes.delete({ apiVersion: "v1", kind: "Pod", name: podOn(old), namespace: "default" });
  const { id } = world.droplet(old);
  const holds = () => world.digitalocean.state.addresses().some(({ dropletId }) => dropletId === id);
  await world.until(`${old} holds nothing`, () => !holds());
  world.removeNode(old);
}

function addServingNode(world: World, name: string, kubeletVersion: string): void {
  world.addNode(name, { kubeletVersion });
  world.kubernetes.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: podOn(name), namespace: "default", labels: { app: "ingress" } },
    spec: { nodeName: name, containers: [{ name: "web", image: "web" }] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });
}

function podOn(node: string): string {
  return `ingress-${node}`;
}
