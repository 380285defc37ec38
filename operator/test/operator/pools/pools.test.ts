import { Annotation, Finalizer } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

const ASSIGN = /^POST \/v2\/reserved_ip(s|v6)\/[^/]+\/actions$/;
const CREATE = /^POST \/v2\/reserved_ips$/;

describe("operator in process: pools", function () {
  this.timeout(240_000);
  let world: World;

  const times = (on: RegExp) => world.digitalocean.journal.calls({ on }).map(({ at }) => at);

  afterEach(() => world.close());

  it("lets no two assignments of a pool come closer than its cool-off", async () => {
    world = await World.create({ nodes: 4 });
    world.addPool("web", { ips: world.addAddresses(4), assignmentCoolOffSeconds: 30 });
    world.start();
    await world.fulfilled("web");
    const at = times(ASSIGN);
    expect(at).to.have.length(4);
    for (const [index, time] of at.slice(1).entries()) expect(time - (at[index] ?? 0)).to.be.at.least(30_000);
  });

  it("keeps the cool-off over a restart", async () => {
    world = await World.create({ nodes: 2 });
    world.addPool("web", { ips: world.addAddresses(2), assignmentCoolOffSeconds: 60 });
    const first = world.start();
    await world.until("the first is assigned", () => times(ASSIGN).length === 1);
    await world.until("the status shows when", () => world.status("web").lastAssignmentTime !== undefined);
    await first.stop();
    world.start();
    await world.fulfilled("web");
    const [a = 0, b = 0, ...more] = times(ASSIGN);
    expect(b - a).to.be.at.least(60_000);
    expect(more).to.be.empty;
  });

  it("leaves a failed holder its address for the grace period", async () => {
    world = await World.create({ nodes: 2 });
    const [ip = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [ip], gracePeriodSeconds: 120 });
    world.start();
    await world.fulfilled("web");
    const before = world.holder(ip);
    const failedAt = world.clock.now();
    world.setReady(world.status("web").ips?.[ip]?.nodeName ?? "", false);
    await world.until("grace", () => world.status("web").ips?.[ip]?.reason === "InGrace");
    expect(world.status("web").ips?.[ip]?.state).to.equal("active");
    await world.until("it has moved", () => world.holder(ip) !== before);
    expect((times(ASSIGN).at(-1) ?? 0) - failedAt).to.be.at.least(120_000);
  });

  it("keeps an address where it is when the holder returns within its grace", async () => {
    world = await World.create({ nodes: 2 });
    const [ip = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [ip], gracePeriodSeconds: 600 });
    world.start();
    await world.fulfilled("web");
    const name = world.status("web").ips?.[ip]?.nodeName ?? "";
    world.setReady(name, false);
    await world.until("grace", () => world.status("web").ips?.[ip]?.graceSince !== undefined);
    world.setReady(name, true);
    await world.until("well again", () => world.status("web").ips?.[ip]?.graceSince === undefined);
    expect(times(ASSIGN)).to.have.length(1);
  });

  it("creates IPv6 addresses by region and assigns them, with their own annotation", async () => {
    world = await World.create({ nodes: 2 });
    world.addPool("web", { desiredIPs: 2, ipFamily: "IPv6" });
    world.start();
    await world.fulfilled("web");
    const { createdIPs = [] } = world.status("web");
    expect(createdIPs).to.have.length(2);
    await world.until("annotations", () =>
      ["node-1", "node-2"].every((name) => world.annotations(name)[Annotation.reservedIpv6] !== undefined),
    );
    expect(world.annotations("node-1")).not.to.have.property(Annotation.reservedIpv4);
  });

  it("creates the first address on the waiting node, in one mutating call", async () => {
    world = await World.create({ nodes: 1 });
    world.addPool("web", { desiredIPs: 1 });
    world.start();
    await world.fulfilled("web");
    expect(world.digitalocean.journal.calls({ mutating: true }).map(({ path }) => path)).to.deep.equal([
      "/v2/reserved_ips",
    ]);
  });

  it("appends what it created to the spec once, and creates nothing when that is reverted", async () => {
    world = await World.create({ nodes: 2 });
    world.addPool("web", { desiredIPs: 2, ips: [] });
    world.start();
    await world.fulfilled("web");
    await world.until(
      "appended",
      () => world.status("web").createdIPs?.every(({ inSpec }) => inSpec === true) ?? false,
    );
    world.edit("web", { ips: [] });
    const { generation } = world.pool("web").metadata;
    await world.until("seen", () => world.status("web").observedGeneration === generation);
    await world.rest();
    expect(world.pool("web").spec.ips).to.deep.equal([]);
    expect(times(CREATE)).to.have.length(2);
    expect(world.condition("web", "Fulfilled")?.status).to.equal("True");
  });

  for (const { reclaimPolicy, states, end } of [
    { reclaimPolicy: "Delete", states: ["active"], end: "releases" },
    { reclaimPolicy: "Retain", states: ["active", "disabled"], end: "disables" },
  ] as const) {
    it(`${end} an address that is not wanted any more when its creation ends, and does not append it`, async () => {
      world = await World.create({ nodes: 2 });
      const [listed = ""] = world.addAddresses(1);
      world.digitalocean.faults.inject({ kind: "delay", ms: 5_000 }, { on: CREATE, times: 1 });
      world.addPool("web", { desiredIPs: 1, reclaimPolicy });
      world.start();
      await world.until("created, not answered", () => world.digitalocean.state.addresses().length === 2, 8_000);
      world.edit("web", { desiredIPs: 0, ips: [listed] });
      await world.until("answered", () => world.status("web").createdIPs !== undefined, 8_000);
      await world.fulfilled("web");
      const left = () => Object.values(world.status("web").ips ?? {}).map(({ state }) => state);
      await world.until(end, () => left().sort().join() === states.join(), 10_000);
      await world.rest();
      expect(world.pool("web").spec.ips).to.deep.equal([listed]);
      expect(left().sort()).to.deep.equal(states);
      expect(world.digitalocean.state.addresses()).to.have.length(states.length);
    });
  }

  it("writes nothing while a pool is paused, and goes on afterwards", async () => {
    world = await World.create({ nodes: 2 });
    const [ip = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [ip], paused: true });
    world.start();
    await world.until("paused", () => world.condition("web", "Accepted")?.reason === "Paused");
    await world.rest();
    expect(world.digitalocean.journal.calls({ mutating: true })).to.be.empty;
    world.edit("web", { paused: false });
    await world.fulfilled("web");
  });

  it("gives created addresses back under Delete, and only then lets the pool go", async () => {
    world = await World.create({ nodes: 2 });
    const [listed = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [listed], desiredIPs: 2, reclaimPolicy: "Delete" });
    world.start();
    await world.fulfilled("web");
    expect(world.pool("web").metadata.finalizers).to.deep.equal([Finalizer.cleanup]);
    world.digitalocean.faults.inject({ kind: "status", status: 500 }, { on: /^DELETE .*reserved_ips/, times: 8 });
    world.kubernetes.delete(world.refTo("web"));
    await world.until("Ready names the failure", () => {
      const { status, message = "" } = world.condition("web", "Ready") ?? {};
      return status === "False" && /until the operator has removed address .*: .*answer 500/.test(message);
    });
    expect(world.condition("web", "Reconciling")?.status).to.equal("True");
    await world.until("gone", () => world.kubernetes.get(world.refTo("web")) === undefined);
    expect(world.digitalocean.state.addresses().map(({ ip }) => ip)).to.deep.equal([listed]);
    await world.until("no annotation", () =>
      ["node-1", "node-2"].every((name) => world.annotations(name)[Annotation.reservedIpv4] === undefined),
    );
  });

  it("cleans the annotations of a deleted pool under Retain, and leaves its addresses where they are", async () => {
    world = await World.create({ nodes: 2 });
    world.addPool("web", { desiredIPs: 2 });
    world.start();
    await world.fulfilled("web");
    expect(world.pool("web").metadata.finalizers ?? []).to.be.empty;
    world.kubernetes.delete(world.refTo("web"));
    await world.until("no annotation", () =>
      ["node-1", "node-2"].every((name) => Object.keys(world.annotations(name)).length === 0),
    );
    const held = world.digitalocean.state.addresses().filter(({ dropletId }) => dropletId !== undefined);
    expect(held).to.have.length(2);
  });

  it("shrinks under Delete to what is wanted", async () => {
    world = await World.create({ nodes: 3 });
    world.addPool("web", { desiredIPs: 3, reclaimPolicy: "Delete" });
    world.start();
    await world.fulfilled("web");
    world.edit("web", { desiredIPs: 1 });
    await world.until("released", () => world.digitalocean.state.addresses().length === 1);
    await world.until("forgotten", () => world.status("web").createdIPs?.length === 1);
    await world.fulfilled("web");
  });

  it("writes nothing at rest", async () => {
    world = await World.create({ nodes: 3 });
    world.addPool("web", {
      ips: world.addAddresses(2),
      desiredIPs: 3,
      dnsRecordSet: { zone: "example.com", recordName: "www" },
    });
    world.start();
    await world.fulfilled("web");
    await world.until("dns", () => world.condition("web", "DNSReady")?.status === "True");
    await world.rest();
    const { resourceVersion } = world.pool("web").metadata;
    const { revision } = world.kubernetes;
    const mutations = world.digitalocean.journal.calls({ mutating: true }).length;
    await world.clock.sleep(6 * 60_000);
    expect(world.pool("web").metadata.resourceVersion).to.equal(resourceVersion);
    expect(world.kubernetes.revision).to.equal(revision);
    expect(world.digitalocean.journal.calls({ mutating: true })).to.have.length(mutations);
  });
});
