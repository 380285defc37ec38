import { expect } from "chai";
import { describe, it } from "mocha";
import type { Claim } from "../../src/claims/claims.js";
import { DnsService, type DnsServiceProps } from "../../src/records/dns-service.js";

const OTHERS = { ours: false, owned: { owner: { kind: "RoutedIP", namespace: "a", name: "b", uid: "u" } } };

describe("the record set of a resource", () => {
  const records = {
    zones: { lookUp: () => undefined },
    clock: { now: () => 0 },
  } as unknown as DnsServiceProps["records"];
  const claims = { mayBeClaimed: () => false };
  const service = new DnsService({ records, claims, dnsOf: () => undefined });
  const name = { provider: "cloudflare", zone: "example.com", fqdn: "www.example.com", type: "A" as const };

  /** The types that the resource has, if another resource has the names `others`. */
  function oursBeside(...others: readonly Partial<Record<keyof typeof name, string>>[]) {
    const foreign = others.map((part) => ({ ...name, ...part, claim: OTHERS as unknown as Claim }));
    const own = (["A", "AAAA"] as const).map((type) => ({ ...name, type, claim: { ours: true } as const }));
    const wanted = { zone: "example.com", recordName: "www" };
    const claims = { addresses: new Map(), names: [...foreign, ...own] as never };
    return service.evaluate({ provider: "cloudflare", wanted, types: ["A", "AAAA"], last: undefined, claims }).ours;
  }

  it("lacks a type that another resource has", () => {
    expect(oursBeside({})).to.deep.equal(["AAAA"]);
    expect(oursBeside({ type: "AAAA" })).to.deep.equal(["A"]);
  });

  for (const part of [{ provider: "digitalocean" }, { zone: "example.org" }, { fqdn: "www2.example.com" }])
    it(`is whole if another resource has another ${Object.keys(part).join()}`, () => {
      expect(oursBeside(part, { ...part, type: "AAAA" })).to.deep.equal(["A", "AAAA"]);
    });

  it("has lost what it wrote where the operator has the provider of a former name no more", () => {
    const wanted = { zone: "example.com", recordName: "www" };
    const lostOf = (provider: string, recordName = "www") => {
      const last = { ...wanted, provider, recordName, types: ["A" as const], values: ["203.0.113.7"] };
      const claims = { addresses: new Map(), names: [] };
      return service.evaluate({ provider: "cloudflare", wanted, types: ["A"], last, claims }).snapshot.previous.lost;
    };
    expect(lostOf("digitalocean")).to.equal("provider");
    expect(lostOf("cloudflare", "www2")).to.equal("provider");
    expect(lostOf("cloudflare"), "it is the one that the spec names").to.equal(undefined);
  });
});
