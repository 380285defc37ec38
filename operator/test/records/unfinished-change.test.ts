import type { FloatingIPPoolSpec } from "cdk8s-flipop/api";
import { expect } from "chai";
import { NAME, World } from "../controllers/node-dns-record-set/world.js";
import { A, B, cloudOf, DNS, seenOf } from "../situations/pool-scenes.js";

const NODES = Array.from({ length: 10 }, (_, index) => `n${index + 1}`);

/** A change from ten addresses to two waits for a limit of calls after some steps. */
async function waiting(after: number) {
  const world = new World();
  world.dns.asksAgain = true;
  for (const node of NODES) world.addNode(node);
  world.add("game");
  await world.run("game");
  let admit = () => {};
  let steps = 0;
  world.dns.beforeStep = () => {
    steps += 1;
    return steps <= after ? Promise.resolve() : new Promise((resolve) => (admit = resolve));
  };
  for (const node of NODES.slice(0, 8)) world.change(node, { labels: { pool: "other" } });
  const change = world.run("game");
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  return { world, change, admit: () => admit() };
}

const shown = (world: World) => {
  const { counts, state, addresses } = world.plan("game");
  return { ...counts, addresses: addresses.length, state, ready: world.condition("game", "DNSReady") };
};

describe("a node record set whose change stands still half-way", () => {
  it("says what the zone holds by now, also when the nodes match again meanwhile", async () => {
    const { world, change, admit } = await waiting(6);
    expect(world.dns.values(NAME)).to.have.length(4);
    const now = { published: 4, addresses: 4, state: "in-progress", ready: "Unknown/UnderWay" };
    expect(shown(world)).to.deep.equal({ ...now, candidates: 2 });
    for (const node of NODES) world.change(node, { labels: { pool: "game" } });
    expect(shown(world), "they match again").to.deep.equal({ ...now, candidates: 10 });
    world.dns.duringRead = () => new Promise(() => undefined);
    admit();
    await Promise.race([change, Promise.resolve()]);
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    expect(shown(world), "it is withdrawn, and not read yet").to.deep.equal({ ...now, candidates: 10 });
  });

  it("is ready once the zone holds all", async () => {
    const { world, change, admit } = await waiting(6);
    for (const node of NODES) world.change(node, { labels: { pool: "game" } });
    world.dns.beforeStep = () => Promise.resolve();
    admit();
    await change;
    await world.run("game");
    expect(world.dns.values(NAME)).to.have.length(10);
    const held = { published: 10, addresses: 10, candidates: 10 };
    expect(shown(world)).to.deep.equal({ ...held, state: "active", ready: "True/Observed" });
  });

  it("changes nothing that a status says before its first call is sent", async () => {
    const { world } = await waiting(0);
    for (const node of NODES) world.change(node, { labels: { pool: "game" } });
    expect(shown(world)).to.include({ published: 10, state: "active" });
  });
});

describe("a pool whose change of records stands still half-way", () => {
  function readyOf(held: readonly string[], spec: Partial<FloatingIPPoolSpec> = {}) {
    const scene = { spec: { ips: [A], dnsRecordSet: DNS, ...spec }, held: { [A]: "node-1" } };
    const cloud = cloudOf({ ...scene, spec: { ...scene.spec, paused: false } });
    for (let round = 0; round < 3; round++) cloud.run("web");
    const { status } = cloud.pool("web");
    expect(status.dns?.values).to.deep.equal([A]);
    const { dns } = cloud.snapshot("web");
    return seenOf({ ...scene, status, change: () => (dns === undefined ? {} : { dns: { ...dns, held } }) }, "DNSReady");
  }

  it("is not ready, although its last whole change is the one that it wants", () => {
    const seen = readyOf([B]);
    expect(seen).to.include({ where: "DNSReady", reason: "UnderWay" });
    expect(seen.message).to.contain(`the operator changes www.example.com, which held ${B}`);
  });

  it("says that it is paused: the operator does not end the change before the pause ends", () => {
    const seen = readyOf([A, B], { paused: true });
    expect(seen).to.include({ where: "DNSReady", reason: "Paused" });
    expect(seen.message).to.contain("spec.paused is true");
    expect(readyOf([A], { paused: true }).message, "it holds all").to.contain(`A records of www.example.com hold ${A}`);
  });
});
