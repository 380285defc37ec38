import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import type { Title } from "../../src/claims/claim-rank.js";
import type { Claimant } from "../../src/claims/claimant.js";
import { Claims } from "../../src/claims/claims.js";
import { type RecordToken, ZonesOfTokens } from "../../src/claims/zones-of-tokens.js";
import type { DnsProvider } from "../../src/providers/types.js";
import { providerError } from "../records/fake-dns.js";

const ZONE = "example.com";
const NAME = { provider: "digitalocean", zone: ZONE, fqdn: `www.${ZONE}`, type: "A" as const };
const [PLATFORM, BOB, CARL] = ["platform", "bob", "carl"].map(
  (token) => ({ name: "digitalocean", token }) as unknown,
) as [...[DnsProvider, DnsProvider, DnsProvider]];

describe("claims of DNS names by token", () => {
  let now: number;
  let changes: string[];
  let zones: ZonesOfTokens;
  let claims: Claims;
  beforeEach(() => {
    now = 0;
    changes = [];
    zones = new ZonesOfTokens({ monotonic: () => now }, (_provider, zone) => changes.push(zone));
    claims = new Claims();
  });

  const missing = providerError("NotFound");
  function put(name: string, title: Title, token: RecordToken) {
    const ref = { kind: "RoutedIP", namespace: name, name, uid: name };
    const createdAt = { bob: "2025-01-01T00:00:00Z" }[name] ?? "2025-01-02T00:00:00Z";
    const claimant: Claimant = { ref, createdAt, addresses: [], names: [{ ...NAME, title }] };
    claims.put(zones.withZones(claimant, () => token));
  }
  const isOf = (name: string) => claims.view(name).names[0]?.claim.ours;
  const bobs = { issuer: "bob/own", dns: BOB };
  const carls = { issuer: "carl/own", dns: CARL };
  const operators = { issuer: "", dns: PLATFORM };

  it("do not go to an older one with a token of its own that has shown no zone", () => {
    for (const token of [bobs, { ...bobs, dns: undefined }]) {
      put("bob", "asks", token);
      put("team", "asks", operators);
      expect([isOf("bob"), isOf("team")]).to.deep.equal([false, true]);
    }
  });

  it("go to the older one whose token shows the zone", () => {
    zones.note(BOB, ZONE);
    put("bob", "asks", bobs);
    put("team", "asks", operators);
    expect([isOf("bob"), isOf("team")]).to.deep.equal([true, false]);
  });

  it("go to the one that can publish, of two with tokens of their own, until an answer shows that it lacks the zone", () => {
    put("bob", "asks", bobs);
    put("carl", "takes", carls);
    expect([isOf("bob"), isOf("carl")]).to.deep.equal([false, true]);
    zones.note(CARL, ZONE, missing);
    put("carl", "takes", carls);
    expect([isOf("bob"), isOf("carl")]).to.deep.equal([true, false]);
    expect(changes).to.deep.equal([ZONE]);
  });

  it("stay with the one that has written the name", () => {
    put("bob", "holds", { ...bobs, dns: undefined });
    put("team", "takes", operators);
    expect(isOf("bob")).to.equal(true);
  });

  it("remember a zone that an answer showed, until another answer", () => {
    zones.note(PLATFORM, ZONE);
    now += 48 * 60 * 60_000;
    zones.note(PLATFORM, ZONE);
    expect(changes).to.deep.equal([ZONE]);
  });

  it("forget an answer after a time, since nothing may read the zone with that token", () => {
    zones.note(PLATFORM, ZONE, missing);
    zones.note(PLATFORM, ZONE, missing);
    expect(changes).to.deep.equal([ZONE]);
    now += 2 * 60 * 60_000;
    put("bob", "asks", bobs);
    put("team", "asks", operators);
    expect(isOf("team")).to.equal(true);
  });
});
