import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { Killer, type Moment } from "../killer.js";

const NODES = ["n1", "n2"] as const;
/** Scenes that run at the same time. */
const AT_ONCE = 6;
const TAINT = "flipop.digitalocean.com/routed-ip";

/** What happens to a RoutedIP in its life, each with what it comes to. */
const CHAPTERS: readonly {
  readonly happens: (made: RoutedWorld) => void;
  readonly comesTo: (made: RoutedWorld) => boolean;
}[] = [
  { happens: (made) => made.addRouted("a", ROUTED), comesTo: (made) => isSettled(made, "n1") },
  {
    happens: (made) => made.serve({ node: "n1", ready: false }, { node: "n2" }),
    comesTo: (made) => isSettled(made, "n2"),
  },
  {
    happens: (made) => {
      const { routedIP, inferred } = made.status("a");
      if (inferred === true && routedIP !== undefined) inferredIn.set(made, routedIP);
      made.world.kubernetes.delete(made.refTo("a"));
    },
    comesTo: isGone,
  },
];

/** The address that no answer gave to its RoutedIP: the process died first. It is never released. */
const inferredIn = new WeakMap<RoutedWorld, string>();

const ROUTED = {
  holderLabel: true,
  dnsRecordSet: { zone: "example.com", recordName: "www", deletionPolicy: "Delete" },
} as const;

/** @returns how many changes the first operator made. */
async function survive(at: number, moment: Moment): Promise<number> {
  const made = await RoutedWorld.create(NODES);
  const { world } = made;
  try {
    made.addIssuer({ routedIPReclaimPolicy: "Delete" });
    made.serve({ node: "n1" });
    let labels = 0;
    world.kubernetes.onRequest(() => {
      labels = Math.max(labels, made.labelled("a").length);
    });
    const killer = new Killer(world, "first", at, moment);
    const first = world.start({}, killer.identity);
    killer.watch(first);
    let succeeded = false;
    for (const { happens, comesTo } of CHAPTERS) {
      happens(made);
      await made.until("killed or done", () => succeeded || killer.killed !== undefined || comesTo(made));
      if (killer.killed !== undefined && !succeeded) {
        await killer.killed;
        world.digitalocean.faults.clear();
        world.start();
        succeeded = true;
      }
      await made.until(`as it should be after a kill ${moment} change ${at}`, () => comesTo(made));
    }
    const creations = world.digitalocean.journal.calls({ on: "POST /v2/reserved_ips" });
    expect(creations.filter(({ processed }) => processed > 0).length, "addresses that were made").to.equal(1);
    expect(labels, "nodes with the holder label at a time").to.equal(1);
    return killer.seen;
  } finally {
    await made.close();
  }
}

/** Address, firewall, taint, label and record stand for this node, and for no other. */
function isSettled(made: RoutedWorld, node: string): boolean {
  const up = ["Ready", "Assigned", "FirewallReady", "DNSReady"].every((type) =>
    made.condition("a", type).startsWith("True"),
  );
  const { routedIP, assignedNode, pendingCreation } = made.status("a");
  const { state } = made.world.digitalocean;
  const published = state.dns.records("example.com", "www").map(({ data }) => data);
  return (
    up &&
    made.nodeOf("a") === node &&
    assignedNode === node &&
    pendingCreation === undefined &&
    published.join() === routedIP &&
    state.addresses().length === 1 &&
    made.labelled("a").join() === node &&
    JSON.stringify(made.firewall()) === JSON.stringify({ nodes: [node], ports: ["443"] }) &&
    NODES.every((name) => made.taints(name).join() === (name === node ? TAINT : ""))
  );
}

/** Nothing of it is left anywhere. */
function isGone(made: RoutedWorld): boolean {
  const { state } = made.world.digitalocean;
  const issuer = made.object("do", "RoutedIPIssuer")?.metadata.finalizers ?? [];
  return (
    made.world.kubernetes.list(GROUP_VERSION, "RoutedIP").length === 0 &&
    state
      .addresses()
      .map(({ ip }) => ip)
      .join() === (inferredIn.get(made) ?? "") &&
    state.dns.records("example.com", "www").length === 0 &&
    made.firewall() === undefined &&
    issuer.length === 0 &&
    made.labelled("a").length === 0 &&
    NODES.every((name) => made.taints(name).length === 0)
  );
}

describe("operator in process: RoutedIP, killed at every change that it makes", function () {
  this.timeout(600_000);

  for (const moment of ["before", "after"] as const) {
    it(`leaks nothing and makes one address at most, killed ${moment} it`, async () => {
      for (let at = 1; ; at += AT_ONCE) {
        const batch = Array.from({ length: AT_ONCE }, (_, index) => at + index);
        const seen = await Promise.all(batch.map((one) => survive(one, moment)));
        if (seen.some((changes, index) => changes < at + index)) break;
      }
    });
  }
});
