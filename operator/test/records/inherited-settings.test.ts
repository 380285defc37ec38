import { expect } from "chai";
import { RECORDS_SURE_MS } from "../../src/bounds.js";
import { FQDN, rig } from "./record-set-rig.js";

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
});
