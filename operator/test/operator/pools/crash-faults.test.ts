import { Annotation, type IpFamily } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { Killer, type Moment } from "../killer.js";
import { inWorld, World } from "../world.js";

const NODES = ["node-1", "node-2", "node-3"];
const DESIRED = 3;

/** @returns how many changes the first operator made. */
async function survive(at: number, moment: Moment): Promise<number> {
  const world = await World.create();
  try {
    for (const name of NODES) world.addNode(name);
    const { ip } = world.digitalocean.state.addAddress();
    world.addPool("web", {
      ips: [ip],
      desiredIPs: DESIRED,
      reclaimPolicy: "Delete",
      dnsRecordSet: { zone: "example.com", recordName: "www" },
    });
    const killer = new Killer(world, "first", at, moment);
    const first = world.start({}, killer.identity);
    killer.watch(first);
    await world.until("killed or done", () => killer.killed !== undefined || isSettled(world));
    if (killer.killed === undefined) return killer.seen;
    await killer.killed;
    world.digitalocean.faults.clear();
    world.start();
    await world.until("settled", () => isSettled(world));
    check(world, ip);
    return killer.seen;
  } finally {
    await world.close();
  }
}

function isSettled(world: World): boolean {
  const { createdIPs = [], pendingCreation } = world.status("web");
  const up =
    world.condition("web", "Fulfilled")?.status === "True" && world.condition("web", "DNSReady")?.status === "True";
  const appended = createdIPs.length === DESIRED - 1 && createdIPs.every(({ inSpec }) => inSpec === true);
  const annotated = NODES.filter((name) => Object.keys(world.annotations(name)).length > 0).length === DESIRED;
  return up && appended && annotated && pendingCreation === undefined;
}

function check(world: World, listed: string): void {
  const { createdIPs = [], ips = {} } = world.status("web");
  const there = world.digitalocean.state.addresses().map(({ ip }) => ip);
  expect(there, "addresses of the account").to.have.members([listed, ...createdIPs.map(({ ip }) => ip)]);
  expect(there, "no more than desired").to.have.length(DESIRED);
  expect(Object.keys(ips)).to.have.members(there);
  expect(new Set(there.map((ip) => world.holder(ip))).size, "one node for each").to.equal(DESIRED);
  const published = world.digitalocean.state.dns.records("example.com", "www").map(({ data }) => data);
  expect(published, "record set").to.have.members(there);
}

/** One address, created in a region; @param wiped the status is lost while no operator runs. */
async function surviveInRegion(at: number, moment: Moment, { ipFamily, wiped }: Region): Promise<number> {
  const world = await World.create();
  const addresses = () => world.digitalocean.state.addresses().map(({ ip }) => ip);
  const isMade = () => {
    const { pendingCreation, ips = {} } = world.status("web");
    const [ip = "", ...more] = addresses();
    // One that only the annotation knows counts, and is not appended.
    const listed = wiped || world.pool("web").spec.ips?.includes(ip) === true;
    return pendingCreation === undefined && more.length === 0 && listed && ips[ip] !== undefined;
  };
  try {
    world.addPool("web", { desiredIPs: 1, ipFamily });
    const killer = new Killer(world, "first", at, moment);
    const first = world.start({}, killer.identity);
    killer.watch(first);
    await world.until("killed or done", () => killer.killed !== undefined || isMade());
    if (killer.killed === undefined) return killer.seen;
    await killer.killed;
    world.digitalocean.faults.clear();
    if (wiped) world.kubernetes.change(world.refTo("web"), (object) => ({ ...object, status: {} }), "status");
    world.start();
    await world.until(`made, after a kill ${moment} change ${at}`, isMade);
    await world.rest();
    expect(addresses(), `addresses after a kill ${moment} change ${at}`).to.have.length(1);
    expect(world.pool("web").metadata.annotations).not.to.have.property(Annotation.pendingCreation);
    return killer.seen;
  } finally {
    await world.close();
  }
}

interface Region {
  readonly ipFamily: IpFamily;
  readonly wiped: boolean;
}

describe("operator in process: killed at every change that it makes", function () {
  this.timeout(600_000);

  for (const moment of ["before", "after"] as const) {
    for (const wiped of [false, true]) {
      for (const ipFamily of ["IPv4", "IPv6"] as const) {
        const loss = wiped ? ", and with its status lost then" : "";
        it(`creates one ${ipFamily} address in a region, killed ${moment} it${loss}`, async () => {
          for (let at = 1; ; at++) {
            const seen = await surviveInRegion(at, moment, { ipFamily, wiped });
            if (seen < at) break;
          }
        });
      }
    }
  }

  for (const moment of ["before", "after"] as const) {
    it(`loses no address and creates none too many, killed ${moment} it`, async () => {
      for (let at = 1; ; at++) {
        const seen = await survive(at, moment);
        if (seen < at) break;
      }
    });
  }
});

describe("operator in process: the answer to the intent of a pool's creation is lost", function () {
  this.timeout(60_000);

  /** The API server takes the first write of an intent, and the connection ends before the answer. @param down it takes no later write of a pool */
  const loseIntent = (world: World, down = false): void => {
    let lost = false;
    world.kubernetes.setFaults(({ method, path, body }) => {
      if (method !== "PATCH" || !path.includes("/floatingippools/")) return undefined;
      if (lost) return down ? { kind: "reset" } : undefined;
      lost = body.includes("startedAt");
      return lost ? { kind: "lose-answer" } : undefined;
    });
  };
  const written = (world: World) => world.status("web").pendingCreation !== undefined;
  const creations = (world: World) => world.digitalocean.journal.count({ on: "POST /v2/reserved_ips" });

  it("and no creation was sent, so the next one follows at once", () =>
    inWorld({ nodes: 1 }, async (world) => {
      loseIntent(world);
      world.addPool("web", { desiredIPs: 1 });
      world.start();
      await world.until("the intent is there", () => written(world));
      const began = world.clock.now();
      await world.fulfilled("web");
      expect(world.clock.now() - began).to.be.below(15_000);
      expect(creations(world)).to.equal(1);
      expect(world.status("web").createdIPs?.map(({ inferred }) => inferred)).to.deep.equal([undefined]);
      expect(world.events("CreationUnsettled")).to.deep.equal([]);
    }));

  it("and the process ends: the next one cannot know that no creation was sent", () =>
    inWorld({ nodes: 1 }, async (world) => {
      loseIntent(world, true);
      world.addPool("web", { desiredIPs: 1 });
      const first = world.start();
      await world.until("the intent is there", () => written(world));
      await first.kill();
      world.kubernetes.setFaults(() => undefined);
      const began = world.clock.now();
      world.start();
      await world.until("it is in doubt", () => world.condition("web", "Accepted")?.reason === "CreationUnsettled");
      await world.fulfilled("web");
      expect(world.clock.now() - began).to.be.above(60_000);
      expect(creations(world)).to.equal(1);
    }));
});
