import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { OtherCreation } from "../../../../src/addresses/address-set.js";
import { entryRemoved } from "../../../../src/addresses/release.js";
import { timestamp } from "../../../../src/clock.js";
import { actionsOf } from "../../../../src/reconcile/plan.js";
import { actions, altered, cluster, condition, rest } from "../support/pool-plans.js";

const A = "203.0.113.7";
const DNS = { recordName: "web.example.com", zone: "example.com" };

describe("the plan of a pool that creates addresses", () => {
  it("creates an address on the waiting node, after its intent", () => {
    const made = cluster(["n1"], { desiredIPs: 2 }).plan("web");
    expect(actions(made)).to.deep.equal(["record-intent", "create-address"]);
    expect(made.sequences.map(actionsOf)[0]?.[1]).to.deep.include({
      desired: { family: "IPv4", node: "digitalocean://n1" },
    });
  });

  it("creates by region where no node waits", () => {
    const made = cluster([], { desiredIPs: 1 }).plan("web");
    expect(made.sequences.map(actionsOf)[0]?.[1]).to.deep.include({ desired: { family: "IPv4", region: "r" } });
  });

  it("creates nothing under an older CRD, and says so", () => {
    const made = altered(cluster(["n1", "n2"], { ips: [A], desiredIPs: 2 }), { crdTooOld: true });
    expect(actions(made)).to.deep.equal(["assign", "annotate-node"]);
    expect(condition(made, "Fulfilled")).to.equal("False/CRDTooOld");
  });

  describe("beside a creation of another resource", () => {
    const resource = { kind: "FloatingIPPool", namespace: "default", name: "other", uid: "u" };
    const beside = (nodes: readonly string[], other: Partial<OtherCreation>) => {
      const cloud = cluster(nodes, { desiredIPs: 1 });
      const { now } = cloud;
      return { now, made: altered(cloud, { otherCreations: [{ resource, startedAt: now, ...other }] }) };
    };

    it("creates on a node, whether that one runs or its answer was lost: its address is on another node", () => {
      for (const other of [{ running: true }, { node: "digitalocean://n2" }, {}]) {
        expect(actions(beside(["n1"], other).made), JSON.stringify(other)).to.deep.equal([
          "record-intent",
          "create-address",
        ]);
      }
    });

    it("waits for unread resources without a word of a lost answer", () => {
      const { made } = beside([], { unread: true });
      expect(made.sequences).to.be.empty;
      expect(condition(made, "Fulfilled")).to.equal("False/UnderWay");
    });

    it("creates in a region once that one can add no address to the list any more", () => {
      const running = beside([], { running: true }).made;
      expect(running.sequences).to.be.empty;
      expect(condition(running, "Fulfilled")).to.equal("False/UnderWay");
      const { made, now } = beside([], {});
      expect(made.sequences).to.be.empty;
      expect(condition(made, "Fulfilled")).to.equal("False/CreationUnsettled");
      expect(made.requeueAt).to.equal(now + 70_000);
      const later = beside([], { startedAt: now - 70_000 }).made;
      expect(actions(later)).to.deep.equal(["record-intent", "create-address"]);
    });
  });

  it("forgets an open creation when a person says so, once", () => {
    const cloud = cluster(["n1"], { ips: [A] });
    const pendingCreation = { startedAt: timestamp(cloud.now), provider: "digitalocean", family: "IPv4" as const };
    const { metadata } = cloud.pool("web");
    const annotated = { ...metadata, annotations: { [Annotation.forgetCreation]: "yes" } };
    cloud.edit("web", { status: { pendingCreation }, metadata: annotated });
    expect(actions(cloud.plan("web"))).to.include.members(["settle-creation", "clear-forget-creation"]);
    rest(cloud);
    expect(cloud.pool("web").metadata.annotations).to.deep.equal({});
  });

  it("keeps off the node of an address whose creation is not settled", () => {
    const cloud = cluster(["n1"], { ips: [A], desiredIPs: 2 });
    const pendingCreation = {
      startedAt: timestamp(cloud.now),
      provider: "digitalocean",
      family: "IPv4" as const,
      providerID: "digitalocean://n1",
      dropletHadAddress: false,
    };
    cloud.edit("web", { status: { pendingCreation } });
    expect(cloud.plan("web").sequences).to.be.empty;
  });

  it("gives created addresses back when the pool shrinks under Delete, one TTL after they left DNS", () => {
    const cloud = rest(cluster(["n1", "n2"], { desiredIPs: 2, reclaimPolicy: "Delete", dnsRecordSet: DNS }));
    const { spec } = cloud.pool("web");
    cloud.edit("web", { spec: { ...spec, desiredIPs: 1 } });
    rest(cloud);
    expect([cloud.addresses.size, cloud.zone.get(DNS.recordName)?.length]).to.deep.equal([2, 1]);
    expect(cloud.plan("web").requeueAt).to.equal(cloud.now + 60_000);
    cloud.now += 60_000;
    rest(cloud);
    expect([cloud.addresses.size, cloud.pool("web").spec.ips?.length]).to.deep.equal([1, 1]);
    expect(cloud.pool("web").status.createdIPs).to.have.lengthOf(1);
  });

  it("keeps created addresses on their nodes when the pool shrinks under Retain, and takes them up again", () => {
    const cloud = rest(cluster(["n1", "n2"], { desiredIPs: 2 }));
    const { spec } = cloud.pool("web");
    const holders = [...cloud.addresses];
    cloud.edit("web", { spec: { ...spec, desiredIPs: 1 } });
    rest(cloud);
    expect(cloud.plan("web").addresses.map(({ status }) => status.state)).to.deep.equal(["active", "disabled"]);
    cloud.edit("web", { spec: { ...cloud.pool("web").spec, desiredIPs: 2 } });
    expect([...rest(cloud).addresses]).to.deep.equal(holders);
  });

  it("hands a created address over under Retain, once it is out of ips, fewer are desired, and another pool lists it", () => {
    const cloud = rest(cluster(["n1", "n2", "n3"], { desiredIPs: 2 }));
    const { spec, status } = cloud.pool("web");
    const [kept = "", given = ""] = status.createdIPs?.map(({ ip }) => ip) ?? [];
    const created = () =>
      rest(cloud)
        .pool("web")
        .status.createdIPs?.map(({ ip }) => ip);
    cloud.addPool("heir", { ips: [given] });
    cloud.edit("web", { spec: { ...spec, ips: [kept] } });
    expect(created(), "still desired").to.deep.equal([kept, given]);
    cloud.edit("web", { spec: { ...spec, ips: [kept, given], desiredIPs: 1 } });
    expect(created(), "still listed").to.deep.equal([kept, given]);
    cloud.edit("web", { spec: { ...cloud.pool("web").spec, ips: [kept] } });
    const forgets = cloud
      .plan("web")
      .sequences.flatMap(actionsOf)
      .flatMap((each) => (each.do === "forget-created" ? entryRemoved(each)?.note : []));
    expect(forgets).to.deep.equal([`${given} is no longer wanted, and FloatingIPPool default/heir lists it`]);
    expect(created()).to.deep.equal([kept]);
    expect(cloud.plan("heir").addresses.map(({ ip, status: { state } }) => [ip, state])).to.deep.equal([
      [given, "active"],
    ]);
    expect(cloud.addresses.has(given), "no address is released").to.equal(true);
  });

  it("forgets an address that an older pool has on record, too, as soon as it does not list it", () => {
    const cloud = rest(cluster(["n1", "n2"], { desiredIPs: 1 }));
    const { createdIPs = [] } = cloud.pool("web").status;
    const [{ ip } = { ip: "" }] = createdIPs;
    cloud.addPool("zoo", { ips: [ip], desiredIPs: 1 });
    cloud.edit("zoo", { status: { createdIPs } });
    const notes = () =>
      cloud
        .plan("zoo")
        .sequences.flatMap(actionsOf)
        .flatMap((each) => (each.do === "forget-created" ? entryRemoved(each)?.note : []));
    expect(notes(), "listed").to.deep.equal([]);
    cloud.edit("zoo", { spec: { ...cloud.pool("zoo").spec, ips: [] } });
    expect(notes()).to.deep.equal([`${ip} belongs to FloatingIPPool default/web from now on, which lists it`]);
  });

  it("creates nothing anew when an address that it created does not exist any more", () => {
    const cloud = rest(cluster(["n1"], { desiredIPs: 1 }));
    cloud.addresses.clear();
    const made = rest(cloud).plan("web");
    expect([cloud.createdBy.size, condition(made, "Accepted")]).to.deep.equal([1, "False/AddressNotFound"]);
  });

  it("names all listed addresses that the account does not have, and none that it has", () => {
    const cloud = cluster(["n1", "n2", "n3"], { ips: [A, "203.0.113.8", "203.0.113.9"] });
    cloud.addresses.delete(A);
    cloud.addresses.delete("203.0.113.9");
    const made = cloud.plan("web");
    for (const type of ["Accepted", "Fulfilled"]) {
      const { message = "" } = made.conditions.find((each) => each.type === type) ?? {};
      expect(message, type).to.include(`the account does not have ${A}, 203.0.113.9; fix: `).and.not.include("113.8");
    }
    expect(made.addresses.map(({ status }) => status.error?.split(";")[0])).to.deep.include(
      "the account does not have 203.0.113.9",
    );
  });

  it("never appends a created address twice", () => {
    const cloud = rest(cluster(["n1"], { desiredIPs: 1 }));
    cloud.edit("web", { spec: { ...cloud.pool("web").spec, ips: [] } });
    expect(cloud.plan("web").sequences).to.be.empty;
  });

  it("is looked for again soon where reads of a new process do not find the address yet", () => {
    const cloud = rest(cluster(["n1"], { desiredIPs: 1 }));
    const snapshot = cloud.snapshot("web");
    const inventory = { ...snapshot.inventory, get: () => undefined, isGone: () => false };
    const { requeueAt, addresses } = altered(cloud, { inventory });
    expect(requeueAt).to.equal(snapshot.now + 5_000);
    expect(addresses[0]?.status.state).to.equal("active");
    const providerFailure = { reason: "ProviderUnavailable", message: "no answer" } as const;
    expect(altered(cloud, { inventory, providerFailure }).requeueAt).to.not.equal(snapshot.now + 5_000);
  });
});
