import { expect } from "chai";
import { describe, it } from "mocha";
import { Delegations } from "../../src/records/delegations.js";
import { DELEGATION_MAX_AGE_MS } from "../../src/timings.js";
import { FakeClock } from "../support/time/fake-clock.js";
import { ASKER, FakeDns, providerError } from "./fake-dns.js";

const ZONE = "example.com";

function rig() {
  const clock = new FakeClock();
  const dns = new FakeDns();
  const delegations = new Delegations(clock);
  const place = (name: string, zone = ZONE) => ({ zone, fqdn: `${name}.${ZONE}` });
  const caller = { provider: dns, context: ASKER };
  return {
    ...{ clock, dns },
    learn: (name: string, zone?: string) => delegations.learn(caller, place(name, zone)),
    of: (name: string, zone?: string) => delegations.lookUp(dns, place(name, zone))?.name,
  };
}

describe("names that a zone delegates", () => {
  it("asks for the names between the zone and the record set, and for none of a name right below its zone", async () => {
    const { dns, learn } = rig();
    await learn("www");
    await learn("api", "api.example.com");
    await learn("www", "023e105f4ecef8ad9ca31a8372d0c353");
    expect(dns.calls).to.be.empty;
    await learn("a.b.c");
    expect(dns.calls).to.deep.equal(["NS c.example.com", "NS b.c.example.com"]);
    await learn("1.2.3.4.5");
    expect(dns.calls.slice(2)).to.deep.equal(["NS 5.example.com", "NS 4.5.example.com", "NS 3.4.5.example.com"]);
  });

  it("finds the delegation next to the zone, for all names below it and no others", async () => {
    const { dns, learn, of } = rig();
    dns.delegated.add("eu.example.com").add("api.eu.example.com");
    await learn("www.api.eu");
    await learn("www.us");
    expect(dns.calls).to.deep.equal(["NS eu.example.com", "NS us.example.com"]);
    const names = ["www.api.eu", "other.eu", "eu", "www.us", "wwweu"];
    expect(names.map((name) => of(name))).to.deep.equal([
      "eu.example.com",
      "eu.example.com",
      ...Array(3).fill(undefined),
    ]);
    expect(of("www.eu", "eu.example.com")).to.equal(undefined);
  });

  it("reads a name again after 10 minutes, whichever record set asks; a delegation each time", async () => {
    const { clock, dns, learn, of } = rig();
    await Promise.all([learn("a.eu"), learn("b.eu")]);
    await clock.advance(DELEGATION_MAX_AGE_MS - 1);
    await learn("a.eu");
    expect(dns.calls).to.have.length(1);
    dns.delegated.add("eu.example.com");
    await clock.advance(1);
    await learn("a.eu");
    expect([dns.calls.length, of("a.eu")]).to.deep.equal([2, "eu.example.com"]);
    dns.delegated.clear();
    await learn("a.eu");
    expect([dns.calls.length, of("a.eu")]).to.deep.equal([3, undefined]);
  });

  it("keeps what it knows when a read fails, and asks no sooner", async () => {
    const { clock, dns, learn, of } = rig();
    dns.delegated.add("eu.example.com");
    await learn("a.eu");
    dns.fault = () => ({ error: providerError("Unavailable") });
    await learn("a.eu");
    await learn("a.eu");
    expect([dns.calls.length, of("a.eu")]).to.deep.equal([2, "eu.example.com"]);
    dns.fault = () => undefined;
    dns.delegated.clear();
    await clock.advance(DELEGATION_MAX_AGE_MS);
    await learn("a.eu");
    expect(of("a.eu")).to.equal(undefined);
  });
});
