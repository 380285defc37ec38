import { expect } from "chai";
import { describe, it } from "mocha";
import { Claims } from "../../src/claims/claims.js";
import { Heirs } from "../../src/claims/heirs.js";
import { poolClaims, routedIpClaims } from "../../src/claims/read-claims.js";
import { type Pool, pool, routed } from "./resources.js";

const IP = "203.0.113.7";
const OTHER = "203.0.113.8";
const createdIPs = [{ ip: IP, createdTime: "2025-01-01T00:00:00Z" }];

describe("the heir of an address that two resources have on record", () => {
  function heirOf(owner: Pool, ...others: readonly Parameters<Claims["put"]>[0][]): string | undefined {
    const claims = new Claims();
    for (const claimant of [poolClaims(owner), ...others]) claims.put(claimant);
    const claim = claims.view(owner.metadata.uid).addresses.get(IP);
    return claim?.ours === true ? claim.askedBy?.name : "lost";
  }
  const owner = pool("owner", { status: { createdIPs } });

  it("is the one that lists it", () => {
    expect(heirOf(owner, poolClaims(pool("heir", { day: 2, spec: { ips: [IP] }, status: { createdIPs } })))).to.equal(
      "heir",
    );
  });

  it("is none that does not list it any more: both would forget it", () => {
    expect(
      heirOf(owner, poolClaims(pool("heir", { day: 2, spec: { ips: [OTHER] }, status: { createdIPs } }))),
    ).to.equal(undefined);
  });

  it("is no RoutedIP that names another one", () => {
    const status = { routedIP: IP, created: true } as const;
    expect(heirOf(owner, routedIpClaims(routed("heir", { routedIP: OTHER }, status), {}))).to.equal(undefined);
  });

  it("is another one that lists it", () => {
    const former = poolClaims(pool("former", { day: 2, status: { createdIPs } }));
    const heir = poolClaims(pool("heir", { day: 3, spec: { ips: [IP] } }));
    expect(heirOf(owner, former, heir)).to.equal("heir");
  });
});

describe("an address that a resource forgets", () => {
  it("is forgotten by no other one meanwhile", async () => {
    const heirs = new Heirs<string>(new Claims());
    let resolve: (answer: string) => void = () => undefined;
    const first = heirs.forgetAlone("2001:db8::1", () => new Promise<string>((end) => (resolve = end)));
    expect(heirs.forgetAlone("2001:DB8:0::1", async () => "second")).to.equal(undefined);
    expect(await heirs.forgetAlone("2001:db8::2", async () => "another address")).to.equal("another address");
    resolve("first");
    expect(await first).to.equal("first");
    expect(await heirs.forgetAlone("2001:db8::1", async () => "second")).to.equal("second");
  });
});
