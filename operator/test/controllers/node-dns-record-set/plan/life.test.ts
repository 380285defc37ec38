import { expect } from "chai";
import { providerError } from "../../../records/fake-dns.js";
import { NAME, settled, World, ZONE } from "../world.js";

const MINUTE = 60_000;
const SET = { zone: ZONE, recordName: NAME };

describe("the life of a node record set: names, claims, failures, deletion", () => {
  it("leaves a renamed set under Retain, and deletes it under Delete once the new one stands", async () => {
    for (const deletionPolicy of ["Retain", "Delete"] as const) {
      const world = await settled(["n1"], { dnsRecordSet: { ...SET, deletionPolicy } });
      const from = world.dns.calls.length;
      world.edit("game", { dnsRecordSet: { ...SET, recordName: "new.example.com", deletionPolicy } });
      await world.run("game");
      expect(world.dns.values("new.example.com")).to.deep.equal(["203.0.113.1"]);
      expect(world.dns.values(NAME)).to.deep.equal(deletionPolicy === "Delete" ? [] : ["203.0.113.1"]);
      const changes = world.dns.calls.slice(from).filter((call) => !call.startsWith("read"));
      expect(changes[0]).to.equal("create new.example.com");
      expect(world.resource("game").status.dns?.recordName).to.equal("new.example.com");
      expect(world.plan("game").sequences).to.deep.equal([]);
    }
  });

  it("deletes a type that is dropped under Delete, and no other", async () => {
    const families = { ipFamilies: ["IPv4", "IPv6"] as const };
    const world = await settled(["n1"], { ...families, dnsRecordSet: { ...SET, deletionPolicy: "Delete" } });
    expect(world.dns.values(NAME)).to.have.length(2);
    world.edit("game", { ipFamilies: ["IPv4"] });
    await world.run("game");
    expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.1"]);
    expect(world.resource("game").status.dns?.types).to.deep.equal(["A"]);
  });

  it("does not take one zone under its two names for a renamed set", async () => {
    const id = "0123456789abcdef0123456789abcdef";
    const spec = { ...SET, provider: "cloudflare", deletionPolicy: "Delete" as const };
    const world = new World();
    world.cloudflare.zones.set(id, ZONE);
    world.addNode("n1");
    world.add("game", { dnsRecordSet: { ...spec, zone: id } });
    await world.run("game");
    world.edit("game", { dnsRecordSet: spec });
    await world.run("game");
    expect(world.cloudflare.values(NAME)).to.deep.equal(["203.0.113.1"]);
    expect(world.resource("game").status.dns?.zone).to.equal(ZONE);
  });

  it("sets the finalizer before the first record under Delete, and cleans up when it is deleted, paused or not", async () => {
    for (const paused of [false, true]) {
      const world = await settled(["n1", "n2"], { dnsRecordSet: { ...SET, deletionPolicy: "Delete" } });
      expect(world.done[0]).to.equal("add-finalizer");
      world.dns.set("other.example.com", ["198.51.100.1"]);
      world.edit("game", { paused });
      world.delete("game");
      await world.run("game");
      expect(world.dns.values(NAME)).to.deep.equal([]);
      expect(world.dns.values("other.example.com")).to.have.length(1);
      expect(world.resource("game").metadata.finalizers).to.deep.equal([]);
    }
  });

  it("needs no finalizer under Retain, and drops one that is not needed any more", async () => {
    const world = await settled(["n1"]);
    expect(world.done).to.not.include("add-finalizer");
    world.edit("game", { dnsRecordSet: { ...SET, deletionPolicy: "Delete" } });
    await world.run("game");
    expect(world.resource("game").metadata.finalizers).to.have.length(1);
    world.edit("game", { dnsRecordSet: SET });
    await world.run("game");
    expect(world.resource("game").metadata.finalizers).to.deep.equal([]);
  });

  it("cleans up what it wrote though the spec can't be read any more", async () => {
    const world = await settled(["n1"], { dnsRecordSet: { ...SET, deletionPolicy: "Delete" } });
    const { dnsRecordSet: _unreadable, ...spec } = world.resource("game").spec;
    world.patch("game", { spec });
    expect((await world.run("game")).sequences).to.deep.equal([]);
    world.delete("game");
    await world.run("game");
    expect(world.dns.values(NAME)).to.deep.equal([]);
    expect(world.resource("game").metadata.finalizers).to.deep.equal([]);
  });

  it("lets a set go at the deadline of its cleanup, and names what stays behind", async () => {
    const world = await settled(["n1"], { dnsRecordSet: { ...SET, deletionPolicy: "Delete" } });
    world.dns.fault = () => ({ error: providerError("Unauthorized") });
    world.delete("game");
    await world.pass("game", 59 * MINUTE);
    expect(world.resource("game").metadata.finalizers).to.have.length(1);
    await world.pass("game", 180 * MINUTE);
    expect(world.resource("game").metadata.finalizers).to.deep.equal([]);
  });

  it("writes nothing under a name that another resource has, names it, and gives up its own claim", async () => {
    const world = await settled(["n1"]);
    await world.clock.advance(MINUTE);
    world.add("late", { match: { nodeLabel: "pool=other" } });
    world.addNode("n7", { labels: { pool: "other" } });
    const from = world.dns.calls.length;
    await world.run("late");
    expect(world.dns.calls.length).to.equal(from);
    expect(world.condition("late", "DNSReady")).to.equal("False/ClaimedByOther");
    expect(world.condition("late", "Conflict")).to.equal("True/ClaimedByOther");
    const { error, state, addresses } = world.resource("late").status;
    expect(error).to.contain("NodeDNSRecordSet default/game");
    expect({ state, addresses }).to.deep.equal({ state: "error", addresses: [] });
  });

  it("clears status.dns for a name that it loses", async () => {
    const world = await settled(["n1"]);
    await world.clock.advance(MINUTE);
    const { status } = world.resource("game");
    world.add("late");
    // As after a restore from a backup: both say that they have it.
    world.patch("late", { status });
    await world.run("late");
    expect(world.resource("late").status.dns).to.equal(undefined);
    expect(world.plan("game").sequences).to.deep.equal([]);
  });

  it("leaves what it lost to another resource alone when it is deleted", async () => {
    const delete_ = { dnsRecordSet: { ...SET, deletionPolicy: "Delete" as const } };
    const world = await settled(["n1"], delete_);
    await world.clock.advance(MINUTE);
    const { status } = world.resource("game");
    world.add("late", delete_);
    world.patch("late", { status });
    const { metadata } = world.resource("late");
    world.patch("late", { metadata: { ...metadata, finalizers: ["flipop.digitalocean.com/cleanup"] } });
    world.delete("late");
    await world.run("late");
    expect(world.resource("late").metadata.finalizers).to.deep.equal([]);
    expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.1"]);
  });

  it("steps back after three foreign changes, then tries every 10 minutes", async () => {
    const world = await settled(["n1"]);
    const fight = (until: number) => {
      world.dns.afterStep = () => {
        if (world.clock.now() < until) world.dns.set(NAME, ["198.51.100.9"]);
      };
    };
    fight(world.clock.now() + 60 * MINUTE);
    world.dns.set(NAME, ["198.51.100.9"]);
    await world.pass("game", 16 * MINUTE);
    expect(world.condition("game", "DNSReady")).to.equal("False/ForeignWriter");
    expect(world.condition("game", "Conflict")).to.equal("True/ForeignWriter");
    const from = world.dns.calls.length;
    await world.pass("game", 20 * MINUTE);
    const writes = world.dns.calls.slice(from).filter((call) => !call.startsWith("read"));
    expect(writes.length).to.be.within(1, 3);
    await world.pass("game", 61 * MINUTE);
    expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.1"]);
    expect(world.condition("game", "Conflict")).to.equal("False/Observed");
  });

  it("says what failed, keeps the set, and tries again on the schedule", async () => {
    const world = await settled(["n1"]);
    world.addNode("n2");
    world.dns.fault = () => ({ error: providerError("NotFound", { seen: "no such zone" }) });
    await world.run("game");
    expect(world.condition("game", "DNSReady")).to.equal("False/ZoneNotFound");
    const { state, error } = world.resource("game").status;
    expect(state).to.equal("error");
    expect(error).to.contain("no such zone");
    expect(world.dns.values(NAME)).to.deep.equal(["203.0.113.1"]);
    expect((await world.run("game")).requeueAt).to.equal(world.clock.now() + MINUTE);
    world.dns.fault = () => undefined;
    await world.pass("game", 2 * MINUTE);
    expect(world.resource("game").status).to.deep.include({ state: "active" });
    expect(world.resource("game").status).to.not.have.property("error");
    expect(world.dns.values(NAME)).to.have.length(2);
  });
});
