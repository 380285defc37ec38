import { isIP, isIPv4 } from "node:net";
import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { canonicalIp, familyOf, isIp } from "../../src/api";
import { addressText } from "../support/arbitraries";

describe("isIp", () => {
  it("accepts the same addresses as Node, except mapped and zoned ones", () => {
    const property = fc.property(addressText, (text) => {
      const mapped = /^(0{1,4}:){0,5}(:?(:0{1,4}){0,4}:)?:?ffff:/i.test(text);
      fc.pre(!mapped && !text.includes("%"));
      expect(isIp(text)).to.equal(isIP(text) !== 0);
    });
    fc.assert(property, { numRuns: 2000 });
  });

  for (const ip of ["::ffff:1.2.3.4", "::ffff:102:304", "0:0:0:0:0:ffff:1.2.3.4", "fe80::1%eth0", "1.2.3.04"]) {
    it(`refuses ${ip}, as the API server does`, () => {
      expect(isIp(ip)).to.equal(false);
    });
  }
});

describe("canonicalIp", () => {
  it("returns the same text for each spelling of an address", () => {
    const spellings = [
      "2001:db8::1",
      "2001:DB8:0:0::1",
      "2001:0db8:0000:0000:0000:0000:0000:0001",
      "2001:db8::0.0.0.1",
    ];
    expect(new Set(spellings.map(canonicalIp))).to.deep.equal(new Set(["2001:db8::1"]));
  });

  it("writes IPv6 addresses like URLs, as RFC 5952 requires", () => {
    const groups = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), {
      minLength: 8,
      maxLength: 8,
    });
    fc.assert(
      fc.property(groups, (parts) => {
        const spelt = parts.map((part) => part.toString(16)).join(":");
        expect(`[${canonicalIp(spelt)}]`).to.equal(new URL(`http://[${spelt}]`).hostname);
      }),
    );
  });

  it("returns IPv4 addresses and other text unchanged", () => {
    expect(canonicalIp("192.0.2.1")).to.equal("192.0.2.1");
    expect(canonicalIp("web")).to.equal("web");
  });
});

describe("familyOf", () => {
  it("distinguishes IPv4 from IPv6", () => {
    fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => (familyOf(ip) === "IPv4") === isIPv4(ip)));
  });
});
