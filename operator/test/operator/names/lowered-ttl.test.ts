/** An address is not released while resolvers may have its records with the longer TTL that they had before. */

import { Annotation, type DnsRecordSet, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { type Running, World } from "../world.js";

const LONG_MS = 3_600_000;
/** Between the change of the TTL and the reading of the clock in the test. */
const SLACK_MS = 10_000;

describe("operator in process: the release of an address whose records had a longer TTL before", function () {
  this.timeout(240_000);
  let world: World;
  let running: Running;

  beforeEach(async () => {
    world = await World.create({ nodes: 2 });
  });

  afterEach(() => world.close());

  const of = (ttl: number, recordName = "www"): DnsRecordSet => ({
    ...{ provider: "digitalocean", zone: "example.com", recordName, ttl },
    deletionPolicy: "Delete",
  });
  const records = (name = "www") => world.digitalocean.state.dns.records("example.com", name);
  const ttls = (name?: string) => [...new Set(records(name).map(({ ttl }) => ttl))];
  const existing = () => world.digitalocean.state.addresses().length;
  const change = (fields: object) => world.change(world.refTo("web"), "spec", fields);

  async function serve(dnsRecordSet?: DnsRecordSet): Promise<void> {
    world.addPool("web", { desiredIPs: 2, reclaimPolicy: "Delete", ...(dnsRecordSet && { dnsRecordSet }) });
    running = world.start();
    await world.fulfilled("web");
    if (dnsRecordSet !== undefined) await world.until("its name", () => records().length === 2);
  }

  async function restart(): Promise<void> {
    await running.kill();
    running = world.start();
  }

  /** @returns since `from`, ms */
  async function released(left: number, from: number): Promise<number> {
    await world.until("the release", () => existing() === left);
    return world.clock.now() - from;
  }

  it("waits for the longer one after the TTL was lowered, also over a restart", async () => {
    await serve(of(3600));
    change({ dnsRecordSet: of(30) });
    await world.until("the new TTL", () => `${ttls()}` === "30");
    const loweredAt = world.clock.now();
    await restart();
    change({ desiredIPs: 1 });
    const waited = await released(1, loweredAt);
    expect(waited).to.be.within(LONG_MS - SLACK_MS, LONG_MS + 600_000);
  });

  it("waits for the longer one where one edit lowers the TTL and desiredIPs", async () => {
    await serve(of(3600));
    change({ dnsRecordSet: of(30), desiredIPs: 1 });
    await world.until("the removal", () => records().length === 1);
    expect(await released(1, world.clock.now())).to.be.at.least(LONG_MS - SLACK_MS);
  });

  it("waits for the TTL that a person has raised just before the deletion of the whole record set", async () => {
    await serve(of(60));
    await world.clock.sleep(5_000);
    const { dns } = world.digitalocean.state;
    for (const { id, data } of records()) {
      dns.removeRecord("example.com", id);
      dns.addRecord("example.com", { type: "A", name: "www", data, ttl: 3600 });
    }
    world.kubernetes.delete(world.refTo("web"));
    await world.until("the removal", () => records().length === 0);
    expect(await released(0, world.clock.now())).to.be.at.least(LONG_MS - SLACK_MS);
  });

  it("waits for the TTL of a former name, and names no shorter one", async () => {
    await serve(of(3600));
    change({ dnsRecordSet: of(30, "new") });
    await world.until("the new name", () => records("new").length === 2 && records().length === 0);
    const renamedAt = world.clock.now();
    await world.until("the end of the rename", () => world.status("web").dns?.recordName === "new");
    await restart();
    world.kubernetes.delete(world.refTo("web"));
    await world.until("the wait", () => world.condition("web", "Ready")?.message?.includes("no longer have") === true);
    expect(world.condition("web", "Ready")?.message).to.not.contain("their TTL is");
    expect(await released(0, renamedAt)).to.be.at.least(LONG_MS - SLACK_MS);
  });

  it("waits no longer than the short one once the longer one has run out", async () => {
    await serve(of(3600));
    change({ dnsRecordSet: of(30) });
    await world.until("the new TTL", () => `${ttls()}` === "30");
    await world.clock.sleep(LONG_MS + 60_000);
    change({ desiredIPs: 1 });
    expect(await released(1, world.clock.now())).to.be.below(300_000);
  });

  it("waits for the TTL that the operator read before it deleted the record", async () => {
    await serve(of(30));
    const { dns } = world.digitalocean.state;
    for (const { id, data } of records()) {
      dns.removeRecord("example.com", id);
      dns.addRecord("example.com", { type: "A", name: "www", data, ttl: 7200 });
    }
    await world.clock.sleep(30_000);
    change({ desiredIPs: 1 });
    await world.until("the removal", () => records().length === 1);
    expect(await released(1, world.clock.now())).to.be.at.least(2 * LONG_MS - SLACK_MS);
  });

  it("does not wait for the records of an address of a pool that has never published one", async () => {
    world.digitalocean.faults.inject({ kind: "status", status: 403 }, { on: /\/records/, times: Infinity });
    world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete", dnsRecordSet: of(3600) });
    running = world.start();
    await world.fulfilled("web");
    world.kubernetes.delete(world.refTo("web"));
    expect(await released(0, world.clock.now())).to.be.below(300_000);
  });

  it("waits for the TTL of the former name of a NodeDNSRecordSet, also over a restart", async () => {
    const ref = { apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", namespace: "default", name: "names" };
    const spec = { addressType: Annotation.reservedIpv4, dnsRecordSet: of(3600) };
    world.kubernetes.create({ ...ref, metadata: { name: "names", namespace: "default" }, spec });
    await serve();
    await world.until("its name", () => records().length === 2);
    world.change(ref, "spec", { dnsRecordSet: of(30, "new") });
    await world.until("the new name", () => records("new").length === 2 && records().length === 0);
    const renamedAt = world.clock.now();
    const named = () => world.kubernetes.get(ref)?.["status"] as { dns?: { recordName: string } } | undefined;
    await world.until("the end of the rename", () => named()?.dns?.recordName === "new");
    await restart();
    change({ desiredIPs: 1 });
    expect(await released(1, renamedAt)).to.be.at.least(LONG_MS - SLACK_MS);
  });
});
