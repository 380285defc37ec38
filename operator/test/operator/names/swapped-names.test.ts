import { type DnsRecordSet, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { type Running, World } from "../world.js";

const REMOVE = "DELETE /v2/domains/{domain_name}/records/{domain_record_id}";

describe("operator in process: names that resources exchange", function () {
  this.timeout(240_000);
  let world: World;
  let running: Running;

  beforeEach(async () => {
    world = await World.create({ nodes: 3 });
  });

  afterEach(() => world.close());

  const named = (recordName: string, more: Partial<DnsRecordSet> = {}): DnsRecordSet => ({
    ...{ provider: "digitalocean", zone: "example.com", recordName, deletionPolicy: "Delete" },
    ...more,
  });

  const held = (record: string): readonly string[] =>
    world.digitalocean.state.dns
      .records("example.com", record)
      .map(({ data }) => data)
      .sort();

  const deletions = () => world.digitalocean.journal.count({ on: REMOVE });

  async function pools(names: readonly string[], more: Partial<DnsRecordSet> = {}): Promise<readonly string[]> {
    const ips = world.addAddresses(names.length);
    for (const [index, name] of names.entries())
      world.addPool(name, { ips: ips.slice(index, index + 1), dnsRecordSet: named(name, more) });
    running = world.start();
    for (const [index, name] of names.entries())
      await world.until(`the name of ${name}`, () => `${held(name)}` === ips[index] && isReady(name));
    return ips;
  }

  const isReady = (pool: string) =>
    world.condition(pool, "DNSReady")?.status === "True" &&
    world.condition(pool, "DNSReady")?.observedGeneration === world.pool(pool).metadata.generation;

  const refOf = (name: string) => ({
    ...{ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", namespace: "default", name },
  });

  /** Of the nodes with a label. */
  function addNodes(name: string): void {
    world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      metadata: { name, namespace: "default" },
      spec: { dnsRecordSet: named(name), match: { nodeLabel: `of=${name}` } },
    });
  }

  const label = (node: string, of: string) =>
    world.change({ apiVersion: "v1", kind: "Node", name: node }, "metadata", { labels: { of } });

  for (const deletionPolicy of ["Delete", "Retain"] as const)
    it(`swaps the names of two pools in place, under ${deletionPolicy}`, async () => {
      const [a, b] = await pools(["pa", "pb"], { deletionPolicy });
      world.edit("pa", { dnsRecordSet: named("pb", { deletionPolicy }) });
      world.edit("pb", { dnsRecordSet: named("pa", { deletionPolicy }) });
      await world.until("both have changed", () => `${held("pa")} ${held("pb")}` === `${b} ${a}`);
      await world.until("both are ready", () => ["pa", "pb"].every(isReady));
      await world.rest();
      expect([held("pa"), held("pb")]).to.deep.equal([[b], [a]]);
      expect(deletions(), "no name was empty meanwhile").to.equal(0);
    });

  it("passes three names round, after a restart in the middle", async () => {
    const [a, b, c] = await pools(["pa", "pb", "pc"]);
    const before = ["pa", "pb", "pc"].map(held);
    world.edit("pa", { dnsRecordSet: named("pb") });
    world.edit("pb", { dnsRecordSet: named("pc") });
    world.edit("pc", { dnsRecordSet: named("pa") });
    await world.until("a first change", () => `${["pa", "pb", "pc"].map(held)}` !== `${before}`);
    await running.kill();
    world.start();
    await world.until("all have changed", () => `${held("pa")} ${held("pb")} ${held("pc")}` === `${c} ${a} ${b}`);
    await world.until("all are ready", () => ["pa", "pb", "pc"].every(isReady));
    expect(deletions(), "no name was empty meanwhile").to.equal(0);
  });

  it("keeps the former name up to date while another resource has the new one, and swaps once that one leaves", async () => {
    for (const [node, of] of [
      ["node-1", "na"],
      ["node-2", "na"],
      ["node-3", "nb"],
    ] as const)
      label(node, of);
    for (const name of ["na", "nb"]) addNodes(name);
    world.start();
    await world.until("both names", () => held("na").length === 2 && held("nb").length === 1);
    const others = held("nb");

    world.change(refOf("na"), "spec", { dnsRecordSet: named("nb") });
    const before = held("na");
    world.change({ apiVersion: "v1", kind: "Node", name: "node-1" }, "spec", { unschedulable: true });
    await world.until("the cordoned node to leave", () => held("na").length === 1);
    expect(before).to.include.members([...held("na")]);
    expect(held("nb")).to.deep.equal(others);

    const left = held("na");
    world.change(refOf("nb"), "spec", { dnsRecordSet: named("na") });
    await world.until("both have changed", () => `${held("na")} ${held("nb")}` === `${others} ${left}`);
    await world.rest();
    expect([held("na"), held("nb")]).to.deep.equal([others, left]);
  });

  it("keeps a name for its records until the new one stands, where the next pool has no address yet", async () => {
    const [a] = await pools(["pa"]);
    world.addPool("new", { ips: ["192.0.2.1"], dnsRecordSet: named("pa") });
    await world.until("the new one waits", () => world.condition("new", "Conflict")?.status === "True");
    world.edit("pa", { dnsRecordSet: named("pz") });
    await world.until("the name is free", () => held("pa").length === 0 && `${held("pz")}` === a);
    await world.until("no conflict", () => world.condition("new", "Conflict")?.status === "False");
  });
});
