import { expect } from "chai";
import { DRIFT_READ_SHARE } from "../../../src/timings.js";
import { DRIFT_MS, NAME, settled, World, ZONE } from "./world.js";

const MINUTE = 60_000;
const SET = { zone: ZONE, recordName: NAME };

describe("the plan of a node record set", () => {
  it("publishes the address of every node that matches, in one record set", async () => {
    const world = await settled(["n1", "n2", "n3"]);
    expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.1", "203.0.113.2", "203.0.113.3"]);
    const { addresses, dns, counts, state } = world.resource("game").status;
    expect(addresses?.map(({ nodeName, address }) => `${nodeName} ${address}`)).to.deep.equal([
      "n1 203.0.113.1",
      "n2 203.0.113.2",
      "n3 203.0.113.3",
    ]);
    expect(dns).to.deep.equal({ provider: "digitalocean", ...SET, types: ["A"], values: world.dns.values(NAME) });
    expect({ counts, state }).to.deep.equal({ counts: { candidates: 3, published: 3 }, state: "active" });
    expect(world.condition("game", "DNSReady")).to.equal("True/Observed");
  });

  it("needs one read, then as many calls as records change", async () => {
    const world = await settled(["n1", "n2", "n3"]);
    const from = world.dns.calls.length;
    expect(from).to.equal(4);
    world.setReady("n1", false);
    world.addNode("n4");
    await world.run("game");
    expect(world.dns.calls.slice(from)).to.deep.equal([`update ${NAME}`]);
  });

  it("has nothing to do then, and looks again after the drift period only", async () => {
    const world = await settled(["n1", "n2"]);
    const before = world.resource("game").status;
    const made = await world.run("game");
    expect(made.sequences).to.deep.equal([]);
    expect(made.requeueAt).to.equal(world.clock.now() + DRIFT_MS * DRIFT_READ_SHARE);
    expect(world.resource("game").status).to.deep.equal(before);
    const from = world.dns.calls.length;
    await world.pass("game", 95 * MINUTE);
    expect(world.dns.calls.slice(from)).to.deep.equal(Array(9).fill(`read ${NAME} A`));
  });

  it("corrects what somebody else has changed, at the drift check", async () => {
    const world = await settled(["n1", "n2"]);
    world.dns.set(NAME, ["198.51.100.7"]);
    await world.pass("game", 10 * MINUTE);
    expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.1", "203.0.113.2"]);
  });

  it("takes a node that is not ready out at once without a grace period", async () => {
    const world = await settled(["n1", "n2"]);
    world.setReady("n1", false);
    await world.run("game");
    expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.2"]);
  });

  it("keeps it for the grace period, over a restart, and counts from the first look", async () => {
    const world = await settled(["n1", "n2"], { gracePeriodSeconds: 60 });
    world.setReady("n1", false);
    const made = await world.run("game");
    expect(made.requeueAt).to.equal(world.clock.now() + MINUTE);
    await world.clock.advance(40_000);
    world.restart();
    await world.run("game");
    expect(world.dns.values(NAME)).to.have.length(2);
    await world.clock.advance(19_999);
    await world.run("game");
    expect(world.dns.values(NAME)).to.have.length(2);
    await world.clock.advance(1);
    await world.run("game");
    expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.2"]);
  });

  it("ends grace at once for a node that is cordoned, gone, or another machine by now", async () => {
    const ends: readonly ((world: World) => void)[] = [
      (world) => world.change("n1", { unschedulable: true }),
      (world) => world.removeNode("n1"),
      (world) => world.change("n1", { addresses: [{ type: "ExternalIP", address: "203.0.113.99" }] }),
    ];
    for (const end of ends) {
      const world = await settled(["n1", "n2"], { gracePeriodSeconds: 600 });
      world.setReady("n1", false);
      await world.run("game");
      expect(world.dns.values(NAME)).to.have.length(2);
      end(world);
      await world.run("game");
      expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.2"]);
    }
  });

  it("reports that the name keeps the addresses of cordoned nodes when all are cordoned", async () => {
    const world = await settled(["n1", "n2"]);
    for (const name of ["n1", "n2"]) world.change(name, { unschedulable: true });
    await world.run("game");
    const made = await world.run("game");
    expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.1", "203.0.113.2"]);
    expect(made.counts).to.deep.equal({ candidates: 0, published: 2 });
    const ready = made.conditions.find(({ type }) => type === "DNSReady");
    expect(`${ready?.status}/${ready?.reason}`).to.equal("False/KeptLastKnown");
    expect(ready?.message).to.contain("keeps them; 0 of 2 nodes match; 2 Cordoned");
    world.change("n2", { unschedulable: false });
    await world.run("game");
    const after = (await world.run("game")).conditions.find(({ type }) => type === "DNSReady");
    expect(after?.status).to.equal("True");
  });

  it("keeps the last known addresses when no node is left, whatever has become of them, and lists them", async () => {
    for (const end of [(world: World) => world.setReady("n1", false), (world: World) => world.removeNode("n1")]) {
      const world = await settled(["n1"]);
      const from = world.dns.calls.length;
      end(world);
      await world.run("game");
      await world.pass("game", 20 * MINUTE);
      expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.1"]);
      expect(world.dns.calls.slice(from)).to.deep.equal([]);
      expect(world.condition("game", "DNSReady")).to.equal("False/KeptLastKnown");
      const { conditions = [], state, error } = world.resource("game").status;
      expect(conditions.find(({ type }) => type === "DNSReady")?.message).to.contain("203.0.113.1");
      expect({ state, error }).to.deep.equal({ state: "active", error: undefined });
    }
  });

  it("replaces stale addresses by the first node that comes back", async () => {
    const world = await settled(["n1", "n2"]);
    for (const name of ["n1", "n2"]) world.removeNode(name);
    await world.run("game");
    world.addNode("n3");
    await world.run("game");
    expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.3"]);
    expect(world.condition("game", "DNSReady")).to.equal("True/Observed");
  });

  it("deletes the set under emptyPolicy Delete once no node has had the labels for 5 minutes", async () => {
    const world = await settled(["n1"], { emptyPolicy: "Delete" });
    world.removeNode("n1");
    const made = await world.run("game");
    expect(made.requeueAt).to.equal(world.clock.now() + 5 * MINUTE);
    await world.pass("game", 5 * MINUTE - 1);
    expect(world.dns.values(NAME)).to.have.length(1);
    await world.clock.advance(1);
    await world.run("game");
    expect(world.dns.values(NAME)).to.deep.equal([]);
    expect(world.resource("game").status.dns?.values).to.deep.equal([]);
    expect(world.condition("game", "DNSReady")).to.equal("True/Observed");
    expect(world.plan("game").sequences).to.deep.equal([]);
    world.addNode("n2");
    await world.run("game");
    expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.2"]);
  });

  it("deletes nothing under emptyPolicy Delete while a node has the labels, the API is out of reach, or after a restart", async () => {
    const world = await settled(["n1", "n2"], { emptyPolicy: "Delete" });
    world.removeNode("n2");
    world.setReady("n1", false);
    await world.pass("game", 30 * MINUTE);
    expect(world.dns.values(NAME)).to.have.length(2);
    world.removeNode("n1");
    world.connected = false;
    await world.pass("game", 6 * MINUTE);
    expect(world.dns.values(NAME)).to.have.length(2);
    world.connected = true;
    world.restart();
    await world.pass("game", 4 * MINUTE);
    expect(world.dns.values(NAME)).to.have.length(2);
    await world.pass("game", 2 * MINUTE);
    expect(world.dns.values(NAME)).to.deep.equal([]);
  });

  it("never deletes under emptyPolicy Delete what it has not written", async () => {
    const world = new World();
    world.dns.set(NAME, ["198.51.100.1"]);
    world.add("game", { emptyPolicy: "Delete" });
    await world.pass("game", 20 * MINUTE);
    expect(world.dns.values(NAME)).to.deep.equal(["198.51.100.1"]);
    expect(world.condition("game", "DNSReady")).to.equal("False/KeptLastKnown");
  });

  it("writes nothing while it is paused, nor before its caches are complete", async () => {
    const world = new World();
    world.addNode("n1");
    world.cachesComplete = false;
    world.add("game", { dnsRecordSet: { ...SET, deletionPolicy: "Delete" } });
    expect((await world.run("game")).sequences).to.deep.equal([]);
    expect(world.condition("game", "Accepted")).to.equal("Unknown/NotObserved");
    world.cachesComplete = true;
    world.edit("game", { paused: true });
    expect((await world.run("game")).sequences).to.deep.equal([]);
    expect(world.condition("game", "Accepted")).to.equal("True/Paused");
    expect([world.dns.calls, world.done]).to.deep.equal([[], []]);
    world.edit("game", { paused: false });
    await world.run("game");
    expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.1"]);
    const status = world.resource("game").status;
    world.edit("game", { paused: true });
    world.removeNode("n1");
    await world.pass("game", 40 * MINUTE);
    expect(world.resource("game").status.addresses).to.deep.equal(status.addresses);
    expect(world.condition("game", "DNSReady")).to.equal("True/Observed");
  });

  it("reads a change aloud", async () => {
    const world = await settled(["n1", "n2"]);
    world.setReady("n1", false);
    world.addNode("n3");
    expect(world.plan("game").explanation).to.equal(
      "game: + 203.0.113.3 (n3); - 203.0.113.1 (n1: NodeNotReady); gracePeriodSeconds is 0",
    );
    await world.run("game");
    expect(world.plan("game").explanation).to.equal("");
  });

  it("says that a node has lost the address that it publishes", async () => {
    const annotation = "flipop.digitalocean.com/ipv4-reserved-ip";
    const world = new World();
    for (const name of ["n1", "n2"]) world.addNode(name, { annotations: { [annotation]: `192.0.2.${name.slice(1)}` } });
    world.add("game", { addressType: annotation });
    await world.run("game");
    world.change("n2", { annotations: {} });
    expect(world.plan("game").explanation).to.equal(
      `game: - 192.0.2.2 (n2: it has no IPv4 address in annotation ${annotation} any more)`,
    );
  });

  it("says which refusal the grace period does not cover", async () => {
    const world = await settled(["n1", "n2", "n3"], { gracePeriodSeconds: 60 });
    world.change("n1", { unschedulable: true });
    world.removeNode("n2");
    expect(world.plan("game").explanation).to.equal(
      "game: - 203.0.113.1 (n1: Cordoned); - 203.0.113.2 (n2: NodeGone); gracePeriodSeconds does not cover Cordoned",
    );
  });
});
