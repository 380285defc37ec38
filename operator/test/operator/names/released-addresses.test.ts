import { Annotation, type FloatingIPPoolSpec, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { disabledText } from "../../../src/commands/explain/status-notes.js";
import type { OwnObject } from "../../../src/commands/list-objects.js";
import { inWorld, type Running, World } from "../world.js";

const TTL_MS = 300_000;

describe("operator in process: created addresses that a NodeDNSRecordSet publishes", function () {
  this.timeout(240_000);
  let world: World;
  let running: Running;

  beforeEach(async () => {
    world = await World.create({ nodes: 3 });
    world.kubernetes.create({ ...names(), spec: { ...SPEC } });
    world.addPool("web", { desiredIPs: 3, reclaimPolicy: "Delete" });
    running = world.start();
    await world.fulfilled("web");
    await world.until("the name", () => published().length === 3);
  });

  afterEach(() => world.close());

  const SPEC = {
    addressType: Annotation.reservedIpv4,
    emptyPolicy: "Delete",
    dnsRecordSet: {
      provider: "digitalocean",
      zone: "example.com",
      recordName: "www",
      ttl: 300,
      deletionPolicy: "Delete",
    },
  };
  const names = () => ({
    apiVersion: GROUP_VERSION,
    kind: "NodeDNSRecordSet",
    metadata: { name: "names", namespace: "default" },
  });
  const ref = () => ({ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", namespace: "default", name: "names" });

  const published = (): readonly string[] =>
    world.digitalocean.state.dns.records("example.com", "www").map(({ data }) => data);
  const existing = (): readonly string[] => world.digitalocean.state.addresses().map(({ ip }) => ip);

  it("keeps an address for the TTL after it has left the name", async () => {
    world.change(world.refTo("web"), "spec", { desiredIPs: 2 });
    await world.until("one to leave the name", () => published().length === 2);
    const leftAt = world.clock.now();
    await world.until("its release", () => existing().length === 2);
    expect(world.clock.now() - leftAt).to.be.at.least(TTL_MS - 2000);
    expect(published()).to.have.members([...existing()]);
  });

  it("keeps the wait over a restart", async () => {
    world.change(world.refTo("web"), "spec", { desiredIPs: 2 });
    await world.until("the wait", () => Object.values(world.status("web").ips ?? {}).some(({ retryAt }) => retryAt));
    const leftAt = world.clock.now();
    await running.kill();
    world.start();
    await world.until("its release", () => existing().length === 2);
    expect(world.clock.now() - leftAt).to.be.at.least(TTL_MS - 5000);
  });

  it("keeps the wait over a restart also for a deleted pool whose own records stay", async () => {
    world.edit("web", { dnsRecordSet: { provider: "digitalocean", zone: "example.com", recordName: "own" } });
    await world.until("its own name", () => world.condition("web", "DNSReady")?.status === "True");
    world.kubernetes.delete(ref());
    world.kubernetes.delete(world.refTo("web"));
    await world.until("the wait", () => Object.values(world.status("web").ips ?? {}).some(({ retryAt }) => retryAt));
    const leftAt = world.clock.now();
    await running.kill();
    world.start();
    await world.until("the releases", () => existing().length === 0);
    expect(world.clock.now() - leftAt).to.be.at.least(TTL_MS - 5000);
  });

  it("releases none of a deleted pool while the name keeps them, and says what they wait for", async () => {
    world.kubernetes.delete(world.refTo("web"));
    await world.clock.sleep(600_000);
    expect(existing()).to.have.length(3);
    expect(published()).to.have.members([...existing()]);
    expect(world.condition("web", "Ready")?.message)
      .to.contain("NodeDNSRecordSet default/names publishes")
      .and.to.contain("delete that NodeDNSRecordSet");

    world.kubernetes.delete(ref());
    await world.until("the empty name", () => published().length === 0);
    const leftAt = world.clock.now();
    await world.until("the releases", () => existing().length === 0);
    expect(world.clock.now() - leftAt).to.be.at.least(TTL_MS - 2000);
    await world.until("the end", () => world.kubernetes.get(world.refTo("web")) === undefined);
  });
});

describe("operator in process: a created address that a former name of its pool still holds", function () {
  this.timeout(240_000);

  it("is not released meanwhile, and the pool shows which name keeps it", async () => {
    await inWorld({ nodes: 2 }, async (world) => {
      const of = (recordName: string) =>
        ({ zone: "example.com", recordName, ttl: 60, deletionPolicy: "Delete" }) as const;
      world.addPool("web", { desiredIPs: 2, reclaimPolicy: "Delete", dnsRecordSet: of("b1") });
      world.start();
      const records = (name: string) => world.digitalocean.state.dns.records("example.com", name);
      await world.until("its name", () => records("b1").length === 2);
      const fault = { kind: "status", status: 403 } as const;
      world.digitalocean.faults.inject(fault, { on: /^DELETE .*\/records/, times: Infinity });
      world.change(world.refTo("web"), "spec", { dnsRecordSet: of("b2") });
      await world.until("the former name", () => world.status("web").begunRecords !== undefined);
      world.change(world.refTo("web"), "spec", { desiredIPs: 1 });
      const message = () => world.condition("web", "Accepted")?.message ?? "";
      await world.until("the pool shows it", () =>
        message().includes("while the former name b1.example.com still holds"),
      );
      const disabled = Object.entries(world.status("web").ips ?? {}).find(([, { state }]) => state === "disabled");
      expect(message()).to.include(`${disabled?.[0]} is not released`);
      expect(disabledText(world.pool("web") as unknown as OwnObject, new Map()).join()).to.include(
        "but not while b1.example.com still holds it",
      );
      expect(world.digitalocean.state.addresses()).to.have.length(2);
      world.digitalocean.faults.clear();
      await world.until("the release", () => world.digitalocean.state.addresses().length === 1);
      await world.until("nothing more to say", () => !message().includes("former name"));
    });
  });
});

describe("operator in process: a created address of a deleted pool whose own name had a TTL of two hours", function () {
  this.timeout(240_000);

  it("is released after the TTL, and the deletion is not given up meanwhile", async () => {
    await inWorld({ nodes: 1 }, async (world) => {
      const dnsRecordSet = { zone: "example.com", recordName: "www", ttl: 7200, deletionPolicy: "Delete" } as const;
      world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete", dnsRecordSet });
      world.start();
      await world.until("its name", () => world.condition("web", "DNSReady")?.status === "True");
      world.kubernetes.delete(world.refTo("web"));
      await world.until("the wait", () => world.digitalocean.state.dns.records("example.com", "www").length === 0);
      const leftAt = world.clock.now();
      await world.until("the end", () => world.kubernetes.get(world.refTo("web")) === undefined);
      expect(world.clock.now() - leftAt).to.be.at.least(7_198_000);
      expect(world.digitalocean.state.addresses()).to.deep.equal([]);
      expect(world.events("CleanupAbandoned")).to.deep.equal([]);
    });
  });
});

describe("operator in process: a created address whose pool no longer names its record set", function () {
  this.timeout(240_000);

  for (const how of ["desiredIPs is lowered", "the pool is deleted"]) {
    it(`loses its records under Delete before its release when ${how}, also over a restart`, async () => {
      await inWorld({ nodes: 2 }, async (world) => {
        const dnsRecordSet = { zone: "example.com", recordName: "www", ttl: 600, deletionPolicy: "Delete" } as const;
        world.addPool("web", { desiredIPs: 2, reclaimPolicy: "Delete", dnsRecordSet });
        const first = world.start();
        const records = () => world.digitalocean.state.dns.records("example.com", "www");
        await world.until("its name", () => world.status("web").dns?.values.length === 2);
        await first.kill();
        world.kubernetes.change(world.refTo("web"), (object) => {
          const { dnsRecordSet: _gone, ...spec } = object["spec"] as FloatingIPPoolSpec;
          return { ...object, spec };
        });
        if (how === "the pool is deleted") world.kubernetes.delete(world.refTo("web"));
        else world.change(world.refTo("web"), "spec", { desiredIPs: 1 });
        world.start();
        await world.until("the end of the records", () => records().length === 0);
        const leftAt = world.clock.now();
        await world.until("a release", () => world.digitalocean.state.addresses().length < 2);
        expect(world.clock.now() - leftAt).to.be.at.least(600_000 - 5000);
        expect(world.events("RecordsRetained")).to.deep.equal([]);
        expect(world.status("web")).to.not.have.any.keys("dns", "begunRecords");
      });
    });
  }
});
