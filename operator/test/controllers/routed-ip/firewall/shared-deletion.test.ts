import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { FIREWALL, RoutedWorld } from "../routed-world.js";

const RUNS = 6;
const NODES = ["n1", "n2", "n3"] as const;
const NAMES = ["a", "b", "c"] as const;
type Name = (typeof NAMES)[number];
const RECORDS = { zone: "example.com", provider: "digitalocean", ttl: 30 };

interface Deletion {
  /** In this order. */
  readonly order: readonly Name[];
  /** ms of the clock between two of them. */
  readonly apartMs: number;
  readonly reclaim: "Delete" | "Retain";
  readonly names: "Delete" | "Retain" | "none";
  /** Somebody made the firewall, and has a node and a rule in it. */
  readonly isOfUser: boolean;
  /** ms that the API server takes for a write of a status, and the cloud for one of a record. */
  readonly statusMs: number;
  readonly recordMs: number;
}

/** RoutedIPs on a node each, which share the rule of port 443, go. @returns what is left in the firewall, if there is one. */
async function deleteAll({ order, apartMs, reclaim, names, isOfUser, statusMs, recordMs }: Deletion) {
  const made = await RoutedWorld.create(NODES, { speed: 60 });
  const { kubernetes, digitalocean, clock } = made.world;
  const { droplet } = isOfUser ? userFirewall(made) : {};
  try {
    made.addIssuer({ routedIPReclaimPolicy: reclaim, allowedZones: ["example.com"] });
    for (const name of order) {
      const dnsRecordSet = { ...RECORDS, recordName: name, deletionPolicy: names === "none" ? "Retain" : names };
      made.addRouted(name, names === "none" ? {} : { dnsRecordSet });
    }
    made.serve(...NODES.map((node) => ({ node })));
    made.world.start();
    for (const name of order) await made.ready(name);
    await made.until("each node is in it", () => made.firewall()?.nodes.length === order.length + Number(isOfUser));
    digitalocean.faults.inject({ kind: "delay", ms: recordMs }, { on: /\/records/, times: Infinity });
    const isSlow = ({ method, path }: { readonly method: string; readonly path: string }) =>
      method === "PATCH" && path.includes("/status");
    kubernetes.setFaults((request) => (isSlow(request) ? { kind: "delay", ms: statusMs } : undefined));
    for (const name of order) {
      kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "RoutedIP", name, namespace: "default" });
      if (apartMs > 0) await clock.sleep(apartMs);
    }
    await made.until("all gone", () => order.every((name) => made.object(name) === undefined));
    const { config } = digitalocean.state.firewalls.byName(FIREWALL) ?? {};
    return (
      config && {
        ports: config.inbound.map(({ ports }) => `${ports}`),
        others: config.dropletIds.filter((id) => id !== droplet),
      }
    );
  } finally {
    await made.close();
  }
}

function userFirewall({ world }: RoutedWorld): { readonly droplet: number } {
  const droplet = Number(world.addNode("bastion").replace("digitalocean://", ""));
  const inbound = [{ protocol: "tcp" as const, ports: "22", target: { addresses: ["198.18.0.1/32"] } }];
  world.digitalocean.state.firewalls.add({ name: FIREWALL, dropletIds: [droplet], inbound });
  return { droplet };
}

const DELETION: fc.Arbitrary<Deletion> = fc.record({
  order: fc.shuffledSubarray([...NAMES], { minLength: 2 }),
  apartMs: fc.constantFrom(0, 0, 100, 2000),
  reclaim: fc.constantFrom("Delete", "Retain"),
  names: fc.constantFrom("Delete", "Retain", "none"),
  isOfUser: fc.boolean(),
  statusMs: fc.constantFrom(0, 20, 300),
  recordMs: fc.constantFrom(0, 300, 3000),
});

/** Each decides while the other writes or waits. */
const TOGETHER: Deletion = {
  ...{ order: ["a", "b"], apartMs: 0, reclaim: "Retain", names: "Delete", isOfUser: true, statusMs: 0, recordMs: 3000 },
};
const OWN: Deletion = { ...TOGETHER, order: ["b", "a"], reclaim: "Delete", isOfUser: false, recordMs: 300 };

describe("operator in process: RoutedIPs that share a rule are deleted together", function () {
  this.timeout(300_000);

  it("and leave neither the rule nor a node of theirs in the firewall", async () => {
    const samples = [TOGETHER, OWN, ...fc.sample(DELETION, RUNS)];
    const left = await Promise.all(samples.map(deleteAll));
    const wrong = samples.flatMap((sample, index) => {
      const { ports = [], others = [] } = left[index] ?? {};
      const isRight =
        others.length === 0 && ports.join() === (left[index] === undefined || !sample.isOfUser ? "" : "22");
      return isRight ? [] : [JSON.stringify([sample, left[index]])];
    });
    expect(wrong).to.deep.equal([]);
  });
});
