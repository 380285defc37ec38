import { expect } from "chai";
import { describe, it } from "mocha";
import { NodeNames } from "../../src/claims/addresses-in-dns.js";
import { FakeClock } from "../support/time/fake-clock.js";

const REF = { kind: "NodeDNSRecordSet", namespace: "default", name: "names", uid: "u" };
const IP = "203.0.113.7";

describe("the addresses in names of NodeDNSRecordSets", () => {
  function names() {
    const clock = new FakeClock();
    const left: string[] = [];
    return { clock, left, names: new NodeNames(clock, (ips) => left.push(...ips)) };
  }

  it("are there while the status has them, then for the longer one of the former and the present TTL", () => {
    const { clock, left, names: all } = names();
    all.put(REF, { values: [IP, "203.0.113.8"], ttl: 300 });
    expect(all.of(IP)).to.deep.equal({ resource: REF });
    all.put(REF, { values: ["203.0.113.8"], ttl: 60 });
    expect(all.of(IP)).to.deep.equal({ resource: REF, until: clock.now() + 300_000 });
    expect(left).to.deep.equal([IP]);
    expect(all.of("203.0.113.9")).to.equal(undefined);
  });

  it("are there for the longer TTL also where the address leaves a step after the TTL has fallen", () => {
    const { clock, names: all } = names();
    all.put(REF, { values: [IP], ttl: 3600 });
    all.put(REF, { values: [IP], ttl: 60 });
    all.put(REF, { values: [], ttl: 60 });
    expect(all.of(IP)?.until).to.equal(clock.now() + 3_600_000);
  });

  it("are there for what is left of the longer TTL, which was served until it fell, or as long as the status says", async () => {
    const { clock, names: all } = names();
    all.put(REF, { values: [IP, "203.0.113.8"], ttl: 3600 });
    await clock.advance(7_200_000);
    all.put(REF, { values: [IP, "203.0.113.8"], ttl: 60 });
    const until = clock.now() + 3_600_000;
    await clock.advance(600_000);
    all.put(REF, { values: ["203.0.113.8"], ttl: 60 });
    expect(all.of(IP)?.until).to.equal(until);
    all.put(REF, { values: [], ttl: 60, cachedUntil: until + 60_000 });
    expect(all.of("203.0.113.8")?.until).to.equal(until + 60_000);
  });

  it("are there while the answer of a write is lost", () => {
    const { names: all } = names();
    all.put(REF, { values: [], ttl: 60 });
    all.plan(REF, [IP]);
    all.plan(REF, [], true);
    expect(all.of(IP)).to.deep.equal({ resource: REF });
    all.plan(REF, []);
    expect(all.of(IP)?.until).to.be.a("number");
  });

  it("are there before the status has them, from the moment at which a change is planned", () => {
    const { names: all } = names();
    all.put(REF, { values: [], ttl: 60 });
    all.plan(REF, [IP]);
    expect(all.of(IP)?.until).to.equal(undefined);
    all.put(REF, { values: [IP], ttl: 60 });
    all.plan(REF, []);
    expect(all.of(IP)).to.deep.equal({ resource: REF });
  });

  it("are there for the TTL after the resource is gone, also while another one takes them out later", () => {
    const { clock, names: all } = names();
    const other = { ...REF, name: "others", uid: "v" };
    all.put(REF, { values: [IP], ttl: 300 });
    all.put(other, { values: [IP], ttl: 60 });
    all.drop(REF.uid);
    expect(all.of(IP)).to.deep.equal({ resource: other });
    all.drop(other.uid);
    expect(all.of(IP)?.until).to.equal(clock.now() + 300_000);
  });
});
