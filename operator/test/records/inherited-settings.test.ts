import { expect } from "chai";
import { planRecordChanges } from "../../src/providers/diff.js";
import { RECORDS_SURE_MS } from "../../src/timings.js";
import { FQDN, facts, rig } from "./record-set-rig.js";

describe("a record set whose new records get settings of those beside them", () => {
  it("is read again before records are added, where they get settings of those beside them, and only then", async () => {
    const { read, write, dns, clock } = rig();
    const reads = () => dns.calls.filter((call) => call.startsWith("read")).length;
    await read();
    await clock.advance(RECORDS_SURE_MS + 1);
    await write("192.0.2.1");
    await clock.advance(RECORDS_SURE_MS + 1);
    await write("192.0.2.1", "192.0.2.2");
    expect(reads()).to.equal(1);
    dns.capabilities = { ...dns.capabilities, inherits: true };
    await write("192.0.2.1", "192.0.2.2", "192.0.2.3");
    expect(reads(), "it has just been written").to.equal(1);
    await clock.advance(RECORDS_SURE_MS + 1);
    await write("192.0.2.4", "192.0.2.2", "192.0.2.3");
    expect(reads(), "none is added").to.equal(1);
    await clock.advance(RECORDS_SURE_MS + 1);
    await write("192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5");
    expect(reads()).to.equal(2);
    expect(dns.values(FQDN)).to.deep.equal(["192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5"]);
  });

  it("needs no reading of an empty name before records are added", async () => {
    const { read, write, dns, clock } = rig();
    dns.capabilities = { ...dns.capabilities, inherits: true };
    await read();
    await clock.advance(RECORDS_SURE_MS + 1);
    await write("192.0.2.1");
    expect(dns.calls.filter((call) => call.startsWith("read"))).to.have.length(1);
  });

  it("is read again before records with the TTL of those beside them are written, and planned again if it has changed", async () => {
    const { read, writeKeeping, dns, clock, known } = rig();
    const reads = () => dns.calls.filter((call) => call.startsWith("read")).length;
    const ttls = () => dns.records.get(FQDN)?.map(({ ttl }) => ttl);
    dns.set(FQDN, ["192.0.2.1"], 86_400);
    await read();
    await writeKeeping("192.0.2.1", "192.0.2.2");
    expect(reads(), "it has just been read").to.equal(1);
    dns.set(FQDN, ["192.0.2.1", "192.0.2.2"], 60);
    await clock.advance(RECORDS_SURE_MS + 1);
    await writeKeeping("192.0.2.1", "192.0.2.2", "192.0.2.3");
    expect([reads(), ttls()], "the plan is out of date").to.deep.equal([2, [60, 60]]);
    await writeKeeping("192.0.2.1", "192.0.2.2", "192.0.2.3");
    expect([reads(), ttls()]).to.deep.equal([2, [60, 60, 60]]);
    await clock.advance(RECORDS_SURE_MS + 1);
    await writeKeeping("192.0.2.1", "192.0.2.2", "192.0.2.4");
    expect(reads(), "a re-pointed record has a TTL, too").to.equal(3);
    expect(known()).to.deep.equal(["192.0.2.1", "192.0.2.2", "192.0.2.4"]);
  });

  it("is read again before a TTL is changed, and no TTL is written or reported if a person has made it proxied", async () => {
    const { read, write, dns, clock, set } = rig();
    const reads = () => dns.calls.filter((call) => call.startsWith("read")).length;
    dns.capabilities = { ...dns.capabilities, inherits: true };
    dns.set(FQDN, ["192.0.2.1"], 300);
    await read();
    const proxied = (dns.records.get(FQDN) ?? []).map((record) => ({ ...record, ttl: 1, proxied: true }));
    dns.records.set(FQDN, proxied);
    await clock.advance(RECORDS_SURE_MS + 1);
    await write("192.0.2.1");
    expect([reads(), dns.records.get(FQDN)], "the plan is out of date").to.deep.equal([2, proxied]);
    expect(planRecordChanges(facts(set), { values: ["192.0.2.1"], ttl: 60 }).steps, "planned again").to.deep.equal([]);
    dns.set(FQDN, ["192.0.2.1"], 300);
    await read();
    await clock.advance(RECORDS_SURE_MS + 1);
    await write("192.0.2.1");
    expect([reads(), dns.records.get(FQDN)?.map(({ ttl }) => ttl)], "not proxied").to.deep.equal([4, [60]]);
  });

  it("needs no reading of an empty name before a first record is added, whose TTL nothing decides", async () => {
    const { read, writeKeeping, dns, clock } = rig();
    await read();
    await clock.advance(RECORDS_SURE_MS + 1);
    await writeKeeping("192.0.2.1");
    expect(dns.calls).to.deep.equal([`read ${FQDN} A`, `create ${FQDN}`]);
  });
});
