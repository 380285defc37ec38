import { expect } from "chai";
import { DRIFT_READ_SHARE } from "../../../src/bounds.js";
import { DRIFT_MS, NAME, type Spec, settled, World, ZONE } from "./world.js";

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

  it("publishes the type of address, and the families, that are asked for", async () => {
    const cases: readonly (readonly [Spec, readonly string[]])[] = [
      [{}, ["203.0.113.1"]],
      [{ addressType: "" }, ["203.0.113.1"]],
      [{ addressType: "InternalIP" }, ["10.0.0.1"]],
      [{ ipFamilies: ["IPv6"] }, ["2001:db8::1"]],
      [{ ipFamilies: ["IPv6", "IPv4"] }, ["2001:db8::1", "203.0.113.1"]],
      [{ addressType: "flipop.digitalocean.com/ipv4-reserved-ip" }, ["192.0.2.1"]],
      [{ addressType: "flipop.digitalocean.com/ipv6-reserved-ip" }, ["2001:db8:f::1"]],
    ];
    for (const [spec, expected] of cases) {
      const world = new World();
      world.addNode("n1", {
        annotations: {
          "flipop.digitalocean.com/ipv4-reserved-ip": "192.0.2.1",
          "flipop.digitalocean.com/ipv6-reserved-ip": "2001:db8:f::1",
        },
      });
      world.add("game", spec);
      await world.run("game");
      expect(world.dns.values(NAME), JSON.stringify(spec)).to.deep.equal(expected);
    }
  });

  it("leaves a family alone whose last node has gone, and says so", async () => {
    const world = await settled(["n1", "n2"], { ipFamilies: ["IPv4", "IPv6"] });
    for (const name of ["n1", "n2"]) {
      world.change(name, { addresses: [{ type: "ExternalIP", address: `203.0.113.${name.slice(1)}` }] });
    }
    world.removeNode("n2");
    await world.run("game");
    expect(world.dns.values(NAME)).to.deep.equal(["2001:db8::1", "2001:db8::2", "203.0.113.1"]);
    expect(world.condition("game", "DNSReady")).to.equal("False/KeptLastKnown");
    expect((await world.run("game")).sequences).to.deep.equal([]);
  });

  it("counts nodes without an address of the type, and names them", async () => {
    const world = await settled(["n1"]);
    world.addNode("n2", { addresses: [{ type: "Hostname", address: "n2" }] });
    await world.run("game");
    expect(world.resource("game").status.counts).to.deep.equal({ candidates: 2, published: 1 });
    const { message } = world.plan("game").conditions[1] ?? { message: "" };
    expect(message).to.contain("n2");
  });

  it("leaves an existing TTL where none is asked for, takes 60 for new records, and corrects a wrong one", async () => {
    const cases: readonly (readonly [number | undefined, number | undefined, number])[] = [
      [undefined, 300, 300],
      [0, 300, 300],
      [undefined, undefined, 60],
      [120, 300, 120],
      [10, 300, 30],
    ];
    for (const [asked, existing, expected] of cases) {
      const world = new World();
      if (existing !== undefined) world.dns.set(NAME, ["203.0.113.1"], existing);
      world.addNode("n1");
      world.addNode("n2");
      world.add("game", { dnsRecordSet: { ...SET, ...(asked === undefined ? {} : { ttl: asked }) } });
      await world.run("game");
      const ttls = world.dns.records.get(NAME)?.map(({ ttl }) => ttl);
      expect(ttls, `${asked} over ${existing}`).to.deep.equal([expected, expected]);
    }
  });

  it("says where a TTL was raised", async () => {
    const world = await settled(["n1"], { dnsRecordSet: { ...SET, ttl: 10 } });
    expect(world.condition("game", "DNSReady")).to.equal("True/TTLRaised");
  });

  it("warns of a name that looks complete and ends otherwise than the zone, until it is written in full", async () => {
    const world = await settled(["n1"], { dnsRecordSet: { ...SET, recordName: "nodes.example.org" } });
    const full = `nodes.example.org.${ZONE}`;
    expect(world.dns.values(full)).to.deep.equal(["203.0.113.1"]);
    expect(world.condition("game", "DNSReady")).to.equal("True/Invalid");
    expect(world.plan("game").conditions.find(({ type }) => type === "DNSReady")?.message).to.equal(
      `record ${full} holds 1 address; recordName nodes.example.org does not end with the name of the zone, so the operator appends that: if you mean nodes.example.org, correct zone; if you mean ${full}, write that in recordName, and this warning ends`,
    );
    world.edit("game", { dnsRecordSet: { ...SET, recordName: full } });
    await world.run("game");
    expect(world.condition("game", "DNSReady")).to.equal("True/Observed");
    expect(world.dns.values(full)).to.deep.equal(["203.0.113.1"]);
  });

  it("takes spec.provider where the record set names none", async () => {
    const world = await settled(["n1"], { provider: "cloudflare" });
    expect([world.cloudflare.values(NAME), world.dns.values(NAME)]).to.deep.equal([["203.0.113.1"], []]);
    world.edit("game", { dnsRecordSet: { ...SET, provider: "digitalocean" } });
    await world.run("game");
    expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.1"]);
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
    expect(world.plan("game").explanation).to.equal("game: + 203.0.113.3 (n3); - 203.0.113.1 (n1: NodeNotReady)");
    await world.run("game");
    expect(world.plan("game").explanation).to.equal("");
  });
});
