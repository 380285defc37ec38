import { customResourceDefinitions } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { definitionsWithoutStoredPolicy, loosened } from "../../operator/process/older-definitions.js";
import { DnsWorld, MATCH, NAME, ZONE } from "./dns-world.js";

const RECORD = { zone: ZONE, recordName: NAME };

describe("the controller of node record sets, with what a looser CRD lets in", function () {
  this.timeout(120_000);
  let rig: DnsWorld;

  afterEach(() => rig.close());

  it("says what is wrong with each spec, touches no record of it, and serves the others", async () => {
    rig = await DnsWorld.create({ definitions: loosened() });
    const bad: Readonly<Record<string, readonly [spec: object, words: string]>> = {
      "no-set": [{ match: MATCH }, "spec.dnsRecordSet"],
      "no-zone": [{ dnsRecordSet: { recordName: "a" } }, "spec.dnsRecordSet.zone"],
      "empty-name": [{ dnsRecordSet: { zone: ZONE, recordName: "" } }, "spec.dnsRecordSet.recordName"],
      "odd-type": [{ dnsRecordSet: RECORD, addressType: "Hostname" }, "spec.addressType"],
      "odd-ttl": [{ dnsRecordSet: { ...RECORD, ttl: -5 } }, "spec.dnsRecordSet.ttl"],
      "odd-selector": [{ dnsRecordSet: RECORD, match: { nodeLabel: "a in (" } }, "nodeLabel"],
      "no-such-provider": [{ dnsRecordSet: { ...RECORD, provider: "acme" } }, "acme"],
      "two-families": [
        { dnsRecordSet: RECORD, addressType: "flipop.digitalocean.com/ipv4-reserved-ip", ipFamilies: ["IPv6"] },
        "ipFamilies",
      ],
    };
    rig.addNode("n1");
    rig.addSet("game", { dnsRecordSet: { zone: ZONE, recordName: "good" } });
    for (const [name, [spec]] of Object.entries(bad)) rig.create(name, spec);
    const { operator } = rig.start();
    await rig.ready();
    for (const [name, [, words]] of Object.entries(bad)) {
      await rig.until(`${name} is in error`, () => rig.status(name).state === "error");
      expect(rig.status(name).error, name).to.contain(words);
      expect(rig.condition(name, "Accepted"), name).to.match(/^False\/(Invalid|UnknownProvider)$/);
    }
    await rig.until("Events", () => rig.events("Invalid").length >= 7);
    expect(rig.records("good")).to.deep.equal([rig.address("n1")]);
    expect(rig.records()).to.deep.equal([]);
    expect(operator.health.report("healthz").ok).to.equal(true);
  });

  it("serves a set in spite of a toleration that tolerates nothing, and says so", async () => {
    rig = await DnsWorld.create({ definitions: loosened() });
    rig.addNode("n1");
    const tolerations = [{ key: "a", operator: "Sometimes" }];
    rig.create("game", { dnsRecordSet: RECORD, match: { ...MATCH, tolerations } });
    rig.start();
    await rig.publishes("n1");
    await rig.until("it says so", () => rig.condition("game", "Accepted") === "True/Invalid");
    await rig.until("an Event", () => rig.events("Invalid").length === 1);
    expect(rig.events("Invalid")[0]).to.contain("match.tolerations[0]");
    await rig.until("active", () => rig.status("game").state === "active");
    const lacking = { ...MATCH, nodeLabel: "disk=none", tolerations };
    rig.create("none", { dnsRecordSet: { zone: ZONE, recordName: "none" }, match: lacking });
    await rig.until("it names the toleration first", () => rig.condition("none", "Ready") === "False/Invalid");
    expect(rig.condition("none", "DNSReady")).to.equal("False/NoCandidate");
  });

  it("names the one field that an older CRD drops, and fills it in", async () => {
    rig = await DnsWorld.create({ definitions: definitionsWithoutStoredPolicy() });
    rig.addNode("n1");
    rig.create("game", { dnsRecordSet: { ...RECORD, deletionPolicy: "Delete" }, match: MATCH });
    rig.start();
    await rig.publishes("n1");
    await rig.until("an Event", () => rig.events("CRDTooOld").length > 0);
    expect(rig.events("CRDTooOld")).to.deep.equal([
      "the API server drops fields of the status: dns.deletionPolicy; apply the CRDs of this release; the operator still writes the records",
    ]);
    await rig.until("active", () => rig.status("game").state === "active");
    rig.addNode("n2");
    await rig.publishes("n1", "n2");
    await rig.until("both are in the status", () => rig.status("game").addresses?.length === 2);
    for (const definition of customResourceDefinitions()) rig.redefine(definition);
    await rig.until("the policy is in the status", () => rig.status("game").dns?.deletionPolicy === "Delete");
    expect(rig.events("CRDTooOld")).to.have.length(1);
  });

  for (const deletionPolicy of ["Retain", "Delete"] as const)
    it(`keeps records under an older CRD that drops our fields, says so once, and fills them in, with policy ${deletionPolicy}`, async () => {
      rig = await DnsWorld.create({ definitions: loosened({ state: { type: "string" }, error: { type: "string" } }) });
      for (const node of ["n1", "n2"]) rig.addNode(node);
      rig.create("game", { dnsRecordSet: { ...RECORD, deletionPolicy }, match: MATCH });
      rig.start();
      await rig.publishes("n1", "n2");
      await rig.until("state", () => rig.status("game").state === "active");
      await rig.until("Event", () => rig.events("CRDTooOld").length === 1);
      rig.world.removeNode("n1");
      await rig.publishes("n2");
      rig.world.removeNode("n2");
      await rig.until("it says so", () => rig.events("KeptLastKnown").length === 1);
      await rig.world.clock.sleep(5_000);
      const revision = rig.world.kubernetes.revision;
      await rig.world.clock.sleep(130_000);
      expect(rig.world.kubernetes.revision, "at rest nothing is written").to.equal(revision);
      expect(rig.records()).to.have.length(1);
      expect(rig.events("CRDTooOld")).to.have.length(1);
      for (const definition of customResourceDefinitions()) rig.redefine(definition);
      await rig.until("the whole status", () => rig.condition("game", "DNSReady") === "False/KeptLastKnown");
      expect(rig.status("game").addresses).to.have.length(1);
    });
});
