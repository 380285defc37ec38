import { expect } from "chai";
import { DEFAULT_TOKEN } from "flipop-sandbox/cloudflare";
import { afterEach, beforeEach, describe, it } from "mocha";
import { REMARKED_RECORDS_MAX_AGE_MS } from "../../../src/timings.js";
import { DnsWorld, NAME, ZONE } from "./dns-world.js";

const LIST = "GET /zones/{zone_id}/dns_records";
const PROXIED =
  "the name is proxied at Cloudflare: it resolves to Cloudflare's addresses, and only HTTP passes; fix: if that is not intended, have the owner of the DNS account set the records to DNS only at Cloudflare";

describe("what else is on a name at Cloudflare", function () {
  this.timeout(120_000);
  let rig: DnsWorld;

  beforeEach(async () => {
    rig = await DnsWorld.create({ providers: ["cloudflare"] });
    for (const node of ["n1", "n2"]) rig.addNode(node);
  });
  afterEach(() => rig.close());

  const add = (type: "A" | "AAAA", content: string, proxied = false) =>
    rig.cloudflare.addRecord(ZONE, { type, name: NAME, content, ttl: 300, proxied });
  const isProxied = () => rig.cloudflare.records(ZONE, NAME).map(({ proxied }) => proxied);
  const messageOf = (type: string) =>
    rig.status("game").conditions?.find((condition) => condition.type === type)?.message ?? "";
  const start = async (spec: Parameters<DnsWorld["addSet"]>[1] = {}) => {
    rig.addSet("game", { provider: "cloudflare", ...spec });
    rig.start();
    await rig.ready();
  };

  /** As a person does it in the dashboard. */
  async function atEach(type: string, method: "PATCH" | "DELETE", body?: object): Promise<void> {
    const headers = { Authorization: `Bearer ${DEFAULT_TOKEN}`, "Content-Type": "application/json" };
    for (const { id } of rig.cloudflare.records(ZONE, NAME).filter((record) => record.type === type)) {
      const url = `${rig.cloudflare.url}/zones/${rig.cloudflare.zone(ZONE).id}/dns_records/${id}`;
      await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    }
  }
  const proxy = (proxied = true) => atEach("A", "PATCH", { proxied });

  it("says that the name is proxied, and nothing of its TTL; the set serves all the same", async () => {
    add("A", "198.51.100.20", true);
    await start({ dnsRecordSet: { zone: ZONE, recordName: NAME, ttl: 30 } });
    expect(isProxied()).to.deep.equal([true, true]);
    expect(rig.condition("game", "DNSReady")).to.equal("True/Proxied");
    expect(messageOf("DNSReady")).to.equal(`A records of ${NAME} hold 2 addresses; ${PROXIED}`);
    expect(rig.condition("game", "Ready")).to.equal("True/Proxied");
    for (const reason of ["Proxied", "TTLRaised"]) expect(rig.events(reason)).to.be.empty;
  });

  it("adds a proxied record to a name that was switched to the proxy after the last reading", async () => {
    await start();
    await rig.world.clock.sleep(20_000);
    await proxy();
    rig.addNode("n3");
    await rig.until("it follows", () => rig.cloudflareRecords().length === 3);
    expect(isProxied()).to.deep.equal([true, true, true]);
    await rig.until("it says so", () => rig.condition("game", "DNSReady") === "True/Proxied");
    expect(rig.cloudflare.journal.count({ on: LIST })).to.equal(2);
  });

  it("names addresses of the other family that no resource manages, until one does", async () => {
    add("AAAA", "2001:db8:51::20");
    await start();
    expect(rig.condition("game", "DNSReady")).to.equal("True/UnmanagedRecords");
    expect(messageOf("DNSReady")).to.equal(
      `A records of ${NAME} hold 2 addresses; the name also has AAAA 2001:db8:51::20, which this resource does not manage; fix: if it is not meant, have the owner of the DNS account delete it at cloudflare`,
    );
    expect(rig.condition("game", "Ready")).to.equal("True/UnmanagedRecords");
    rig.addSet("six", { provider: "cloudflare", ipFamilies: ["IPv6"], paused: true });
    await rig.world.clock.sleep(2_000);
    rig.addNode("n3");
    await rig.until("it is claimed", () => rig.condition("game", "DNSReady") === "True/Observed");
  });

  it("says no more of it two minutes after a person has deleted them", async () => {
    add("AAAA", "2001:db8:51::20");
    await start();
    expect(rig.condition("game", "DNSReady")).to.equal("True/UnmanagedRecords");
    await atEach("AAAA", "DELETE");
    const from = rig.world.clock.now();
    await rig.until("it has read the name", () => rig.condition("game", "DNSReady") === "True/Observed");
    expect(rig.world.clock.now() - from).to.be.below(REMARKED_RECORDS_MAX_AGE_MS * 1.5);
  });

  it("reads the name no sooner than usual once a person has ended its proxy", async () => {
    add("A", "198.51.100.20", true);
    await start();
    expect(rig.condition("game", "DNSReady")).to.equal("True/Proxied");
    await proxy(false);
    await rig.until("it has read the name", () => rig.condition("game", "DNSReady") === "True/Observed");
    const before = rig.cloudflare.journal.count({ on: LIST });
    await rig.world.clock.sleep(REMARKED_RECORDS_MAX_AGE_MS * 2);
    expect(rig.cloudflare.journal.count({ on: LIST })).to.equal(before);
  });

  it("names none that the operator has deleted since it read the name", async () => {
    const both = { ipFamilies: ["IPv4", "IPv6"] } as const;
    for (const node of ["n1", "n2"]) {
      const addresses = [
        { type: "ExternalIP", address: rig.address(node) },
        { type: "ExternalIP", address: `2001:db8::${node.slice(1)}` },
      ];
      rig.setAddresses(node, addresses);
    }
    await start({ ...both, dnsRecordSet: { zone: ZONE, recordName: NAME, deletionPolicy: "Delete" } });
    expect(rig.cloudflareRecords()).to.have.length(4);
    expect(messageOf("DNSReady")).to.equal(`A and AAAA records of ${NAME} hold 4 addresses (at cloudflare)`);
    rig.edit("game", { ipFamilies: ["IPv4"] });
    await rig.until("AAAA is gone", () => rig.cloudflareRecords().length === 2);
    await rig.until("it has settled", () => rig.status("game").dns?.types.length === 1);
    await rig.world.clock.sleep(2_000);
    rig.addNode("n3");
    await rig.until("it has run again", () => rig.status("game").dns?.values.length === 3);
    expect(rig.condition("game", "DNSReady")).to.equal("True/Observed");
  });
});
