import { expect } from "chai";
import { describe, it } from "mocha";
import { recordMessages } from "../../../../src/messages/records.js";
import { actionsOf } from "../../../../src/reconcile/plan.js";
import { actions, altered, cluster, condition, rest } from "../support/pool-plans.js";

const [A, B] = ["203.0.113.7", "203.0.113.8"];
const DNS = { recordName: "web.example.com", zone: "example.com" };

describe("the record set in the plan of a pool", () => {
  it("leaves the record set alone while nothing is up, and says what it keeps", () => {
    const cloud = rest(cluster(["n1"], { ips: [A], dnsRecordSet: DNS }));
    cloud.setReady("n1", false);
    rest(cloud);
    expect(cloud.zone.get(DNS.recordName)).to.deep.equal([A]);
    expect(condition(cloud.plan("web"), "DNSReady")).to.equal("False/KeptLastKnown");
  });

  it("says of a name that was never written that there is nothing to publish", () => {
    const cloud = cluster(["n1"], { ips: [A], dnsRecordSet: DNS });
    cloud.setReady("n1", false);
    rest(cloud);
    const { conditions } = cloud.plan("web");
    const ready = conditions.find(({ type }) => type === "DNSReady");
    expect(ready?.said).to.deep.equal(recordMessages.nothingYet({ name: DNS.recordName, condition: "Fulfilled" }));
  });

  it("keeps an address published while it moves", () => {
    const cloud = rest(cluster(["n1", "n2"], { ips: [A, B], dnsRecordSet: DNS }));
    cloud.setReady("n1", false);
    cloud.addNode("n3");
    expect(actions(cloud.plan("web"))).to.have.members(["assign", "annotate-node", "unannotate-node"]);
  });

  it("takes an address off the record set whose node has failed and that no other node can take, while others serve", () => {
    const cloud = rest(cluster(["n1", "n2"], { ips: [A, B], dnsRecordSet: DNS }));
    cloud.setReady(cloud.addresses.get(B)?.split("//")[1] ?? "", false);
    rest(cloud);
    expect(cloud.zone.get(DNS.recordName)).to.deep.equal([A]);
  });

  it("keeps the name of an active address that no read has shown since the start, and says the same of both", () => {
    const cloud = rest(cluster(["n1"], { desiredIPs: 1, dnsRecordSet: DNS }));
    const [ip = ""] = Object.keys(cloud.pool("web").status.ips ?? {});
    cloud.addresses.delete(ip);
    const { inventory } = cloud.snapshot("web");
    const made = altered(cloud, { inventory: { ...inventory, isGone: () => false } });
    expect(condition(made, "Fulfilled")).to.equal("True/Observed");
    expect(condition(made, "DNSReady")).to.equal("True/Observed");
    expect(actions(made)).not.to.include("apply-records");
  });

  it("keeps an address on a cordoned node published beside one that no read has shown", () => {
    const cloud = rest(cluster(["n1", "n2"], { desiredIPs: 2, dnsRecordSet: DNS }));
    const [unread = "", other = ""] = Object.keys(cloud.pool("web").status.ips ?? {});
    const holder = cloud.addresses.get(other)?.split("//")[1] ?? "";
    cloud.addNode(holder, { unschedulable: true });
    cloud.addresses.delete(unread);
    const { inventory } = cloud.snapshot("web");
    const made = altered(cloud, { inventory: { ...inventory, isGone: () => false } });
    expect(actions(made)).not.to.include("apply-records");
  });

  it("does not shrink the record set to one address that moves while the others are down", () => {
    const cloud = rest(cluster(["n1", "n2"], { ips: [A, B], dnsRecordSet: DNS }));
    for (const name of ["n1", "n2"]) cloud.setReady(name, false);
    cloud.addNode("n3");
    expect(actions(cloud.plan("web"))).to.not.include("apply-records");
  });

  it("forgets a record set that the spec has no more, says so, and leaves its records", () => {
    const cloud = rest(cluster(["n1"], { ips: [A], dnsRecordSet: DNS }));
    const { dnsRecordSet: _gone, ...spec } = cloud.pool("web").spec;
    cloud.edit("web", { spec });
    const [action] = cloud.plan("web").sequences.flatMap(actionsOf);
    expect(action).to.deep.include({ do: "record-dns", written: undefined, left: cloud.pool("web").status.dns });
    rest(cloud);
    expect([cloud.pool("web").status.dns, cloud.zone.get(DNS.recordName)]).to.deep.equal([undefined, [A]]);
  });

  it("deletes a renamed record set under Delete, after the new one stands", () => {
    const dnsRecordSet = { ...DNS, deletionPolicy: "Delete" as const };
    const cloud = rest(cluster(["n1"], { ips: [A], dnsRecordSet }));
    const { spec } = cloud.pool("web");
    cloud.edit("web", { spec: { ...spec, dnsRecordSet: { ...dnsRecordSet, recordName: "new.example.com" } } });
    expect(actions(cloud.plan("web"))).to.deep.equal(["record-dns", "apply-records", "apply-records", "record-dns"]);
    rest(cloud);
    expect([cloud.zone.get("new.example.com"), cloud.zone.get(DNS.recordName)]).to.deep.equal([[A], []]);
  });
});
