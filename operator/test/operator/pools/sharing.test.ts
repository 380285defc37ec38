import { GROUP_VERSION, type NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { World } from "../world.js";

describe("operator in process: pools that want the same", function () {
  this.timeout(240_000);
  let world: World;

  beforeEach(async () => {
    world = await World.create();
  });

  afterEach(() => world.close());

  it("leaves the nodes to the older pool where there are too few, and gives them to the other when it goes", async () => {
    world.addNode("node-1");
    const [first = "", second = ""] = [1, 2].map(() => world.digitalocean.state.addAddress().ip);
    world.addPool("older", { ips: [first] });
    await world.clock.sleep(2_000);
    world.addPool("younger", { ips: [second] });
    world.start();
    await world.fulfilled("older");
    await world.until(
      "Fulfilled reports it",
      () => world.condition("younger", "Fulfilled")?.reason === "TooFewCandidates",
    );
    expect(world.holder(second)).to.equal(undefined);
    world.kubernetes.delete(world.refTo("older"));
    world.digitalocean.state.setHolder(first, null);
    const before = world.clock.now();
    await world.fulfilled("younger");
    // The next list contradicts what was done; no resource asks for the address any more, and still it is read again soon.
    expect(world.clock.now() - before, "ms").to.be.below(330_000);
  });

  it("gives an address that both list to the older one, and reports that on the other", async () => {
    for (const name of ["node-1", "node-2"]) world.addNode(name);
    const { ip } = world.digitalocean.state.addAddress();
    world.addPool("older", { ips: [ip] });
    await world.clock.sleep(2_000);
    world.addPool("younger", { ips: [ip] });
    world.start();
    await world.fulfilled("older");
    await world.until("Conflict reports it", () => world.condition("younger", "Conflict")?.reason === "ClaimedByOther");
    expect(world.status("younger").ips?.[ip]).to.include({ state: "error", reason: "ClaimedByOther" });
    await world.rest();
    expect(world.digitalocean.journal.count({ mutating: true })).to.equal(1);
    world.kubernetes.delete(world.refTo("older"));
    await world.fulfilled("younger");
    expect(world.digitalocean.journal.count({ mutating: true })).to.equal(1);
  });

  it("states the full name that two resources want, and which one owns it", async () => {
    for (const name of ["node-1", "node-2"]) world.addNode(name);
    const listed = [1, 2].map(() => world.digitalocean.state.addAddress().ip);
    const dnsRecordSet = { zone: "example.com", recordName: "@" };
    world.addPool("older", { ips: listed.slice(0, 1), dnsRecordSet });
    await world.clock.sleep(2_000);
    world.addPool("younger", { ips: listed.slice(1), dnsRecordSet });
    world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      metadata: { name: "nodes", namespace: "default" },
      spec: { dnsRecordSet: { ...dnsRecordSet, provider: "digitalocean" } },
    });
    world.start();
    await world.fulfilled("older");
    const ref = { ...world.refTo("nodes"), kind: "NodeDNSRecordSet" };
    const messageOf = (status: unknown) =>
      (status as NodeDNSRecordSetStatus | undefined)?.conditions?.find(({ type }) => type === "Conflict")?.message;
    const expected = /^example\.com belongs to FloatingIPPool default\/older, which /;
    await world.until("the conflict of the pool", () => world.condition("younger", "Conflict")?.status === "True");
    expect(world.condition("younger", "Conflict")?.message).to.match(expected);
    expect(world.condition("younger", "DNSReady")?.message).to.match(expected);
    await world.until("the conflict of the record set", () =>
      /belongs to/.test(messageOf(world.kubernetes.get(ref)?.["status"]) ?? ""),
    );
    expect(messageOf(world.kubernetes.get(ref)?.["status"])).to.match(expected);
  });
});
