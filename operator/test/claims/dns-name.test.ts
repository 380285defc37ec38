import { expect } from "chai";
import { describe, it } from "mocha";
import { normalName, type ZoneLookUp } from "../../src/claims/dns-name.js";

const ID = "023e105f4ecef8ad9ca31a8372d0c353";
const zones: ZoneLookUp = (provider, zone) =>
  provider === "cloudflare" && zone === ID ? { domain: "example.com" } : undefined;

describe("the normal form of a DNS name", () => {
  const cases: readonly (readonly [zone: string, name: string, fqdn: string])[] = [
    ["example.com", "www", "www.example.com"],
    ["example.com", "www.example.com", "www.example.com"],
    ["Example.com.", "WWW.example.com.", "www.example.com"],
    ["example.com", "@", "example.com"],
    ["example.com", "", "example.com"],
    ["example.com", "example.com", "example.com"],
    ["example.com", "a.b", "a.b.example.com"],
    ["example.com", "notexample.com", "notexample.com.example.com"],
    [ID, "www.example.com", "www.example.com"],
    [ID, "www", "www.example.com"],
    [ID, "@", "example.com"],
  ];
  for (const [zone, name, fqdn] of cases) {
    it(`of ${name} in ${zone} is ${fqdn}`, () => {
      expect(normalName("cloudflare", { zone, name }, zones)).to.deep.equal({ zone: "example.com", fqdn });
    });
  }

  it("knows the domain of a zone though that has no dot", () => {
    const lookUp: ZoneLookUp = () => ({ domain: "internal" });
    expect(normalName("cloudflare", { zone: ID, name: "www" }, lookUp).fqdn).to.equal("www.internal");
  });

  it("keeps the id of a zone, and takes the name to be full, while its domain is unknown", () => {
    expect(normalName("cloudflare", { zone: ID, name: "WWW.example.com" })).to.deep.equal({
      zone: ID,
      fqdn: "www.example.com",
    });
  });
});
