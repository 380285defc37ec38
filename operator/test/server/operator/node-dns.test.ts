import { Finalizer } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { DOMAIN } from "../../e2e/support/clouds.js";
import { useWorlds } from "../../e2e/support/worlds.js";

describe("flipop run as a process of its own: the life of a NodeDNSRecordSet", function () {
  this.timeout(180_000);
  const worlds = useWorlds();

  it("renames a set and cleans up at the end under deletionPolicy Delete, over a kill of the process", async () => {
    const world = await worlds.create();
    const machines = await world.fleet.addAll(["a", "b"]);
    const wanted = machines.map(({ publicIp }) => publicIp).sort();
    const dnsRecordSet = { provider: "digitalocean", zone: DOMAIN, deletionPolicy: "Delete" as const };
    const set = await world.recordSet("game", { dnsRecordSet: { ...dnsRecordSet, recordName: "game" } });
    await world.start();
    await set.is("DNSReady", "True");
    expect((await set.get()).metadata.finalizers).to.deep.equal([Finalizer.cleanup]);
    await world.kill();
    await set.edit({ dnsRecordSet: { ...dnsRecordSet, recordName: "renamed" } });
    await world.start();
    await set.is("DNSReady", "True");
    expect(world.clouds.published("renamed")).to.deep.equal(wanted);
    expect(world.clouds.published("game")).to.deep.equal([]);
    await world.kill();
    await set.delete();
    await world.start();
    await set.isGone();
    expect(world.clouds.published("renamed")).to.deep.equal([]);
  });

  it("leaves records, and no finalizer, under the default policy", async () => {
    const world = await worlds.create();
    const [machine] = await world.fleet.addAll(["a"]);
    const set = await world.recordSet("game", {
      dnsRecordSet: { provider: "digitalocean", zone: DOMAIN, recordName: "game" },
    });
    await world.start();
    await set.is("DNSReady", "True");
    expect((await set.get()).metadata.finalizers).to.equal(undefined);
    await set.delete();
    await set.isGone();
    // A later set is served: whatever the deletion would have led to has happened by then.
    const later = await world.recordSet("later", {
      dnsRecordSet: { provider: "digitalocean", zone: DOMAIN, recordName: "later" },
    });
    await later.is("DNSReady", "True");
    expect(world.clouds.published("game")).to.deep.equal([machine?.publicIp]);
  });

  it("counts a grace period on over a restart", async () => {
    const world = await worlds.create();
    const machines = await world.fleet.addAll(["a", "b"]);
    const set = await world.recordSet("game", {
      dnsRecordSet: { provider: "digitalocean", zone: DOMAIN, recordName: "game" },
      gracePeriodSeconds: 20,
    });
    await world.start();
    await set.is("DNSReady", "True");
    await machines[0]?.node.setReady(false);
    await set.says("grace", ({ addresses = [] }) => addresses.some(({ graceSince }) => graceSince !== undefined));
    const { addresses: before = [] } = await set.status();
    await world.kill();
    await world.start();
    await set.says("the end of grace", ({ counts }) => counts?.published === 1);
    const since = Date.parse(before.find(({ graceSince }) => graceSince !== undefined)?.graceSince ?? "");
    const removals = world.clouds.digitalocean.journal.calls({
      on: "DELETE /v2/domains/{domain_name}/records/{domain_record_id}",
    });
    expect(removals).to.have.length(1);
    expect((removals[0]?.at ?? 0) - since).to.be.at.least(20_000);
    expect(world.clouds.published("game")).to.deep.equal([machines[1]?.publicIp]);
  });
});
