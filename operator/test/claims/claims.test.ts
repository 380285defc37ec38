import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import type { Title } from "../../src/claims/claim-rank.js";
import { type Claim, Claims } from "../../src/claims/claims.js";
import { refText } from "../../src/messages/claims.js";
import type { RecordType } from "../../src/providers/types.js";
import { meta } from "./resources.js";

const IP = "203.0.113.7";
const NAME = { provider: "digitalocean", zone: "example.com", fqdn: "www.example.com", type: "A" as RecordType };

describe("claims", () => {
  let claims: Claims;
  let notified: string[][];
  beforeEach(() => {
    notified = [];
    claims = new Claims((uids) => notified.push(uids.map((uid) => uid.replace("uid-", "")).sort()));
  });
  function put(name: string, title: Title | undefined, day = 1) {
    const { namespace = "", uid, creationTimestamp = "" } = meta(name, day);
    const addresses = title === undefined ? [] : [{ ip: IP, title }];
    claims.put({
      ref: { kind: "FloatingIPPool", namespace, name, uid },
      createdAt: creationTimestamp,
      addresses,
      names: [],
    });
  }
  function claimName(name: string, more: Partial<typeof NAME> = {}) {
    const ref = { kind: "NodeDNSRecordSet", namespace: "default", name, uid: `uid-${name}` };
    claims.put({ ref, createdAt: "2025-01-01T00:00:00Z", addresses: [], names: [{ ...NAME, ...more, title: "asks" }] });
  }
  const claimOf = (name: string) => claims.view(`uid-${name}`).addresses.get(IP);
  const text = (claim: Claim | undefined) =>
    claim?.ours === false ? `${refText(claim.owned.owner)} ${claim.owned.basis}` : claim?.ours;

  it("give an address that one resource asks for to it", () => {
    put("a", "asks");
    expect(claimOf("a")).to.deep.equal({ ours: true });
    expect(claims.holderOf(IP)?.name).to.equal("a");
  });

  it("show the loser when the winner no longer needs the address, and when it does again", () => {
    put("pool", "waits", 2);
    put("late", "asks");
    for (const title of ["spares", "waits"] as const) {
      put("pool", title, 2);
      expect(text(claimOf("late"))).to.equal(`FloatingIPPool default/pool ${title}`);
    }
  });

  it("show the loser when the winner is paused, and when it no longer is", () => {
    const winner = { ref: { kind: "FloatingIPPool", namespace: "default", name: "first", uid: "uid-first" } };
    const addresses = [{ ip: IP, title: "waits" }] as const;
    put("late", "asks", 2);
    for (const paused of [false, true, false]) {
      claims.put({ ...winner, createdAt: "2025-01-01T00:00:00Z", ...(paused && { paused }), addresses, names: [] });
      const claim = claimOf("late");
      expect(claim?.ours === false && claim.owned.paused === true).to.equal(paused);
    }
  });

  it("name the winner to the loser", () => {
    put("a", "asks");
    put("b", "asks", 2);
    const claim = claimOf("b");
    expect(claim?.ours === false && claim.owned.owner).to.deep.equal({
      kind: "FloatingIPPool",
      namespace: "default",
      name: "a",
      uid: "uid-a",
    });
  });

  const contests: readonly (readonly [what: string, older: Title, younger: Title, winner: string, text: string])[] = [
    ["the older of two that ask", "asks", "asks", "older", "asks"],
    ["the older of two that hold it", "holds", "holds", "older", "uses"],
    ["who holds it, not who asks", "asks", "holds", "younger", "uses"],
    ["who asked first, not who asks", "asks", "waits", "younger", "waits"],
    ["who holds it, not who asked first", "waits", "holds", "younger", "uses"],
    ["who asked first, not who has an annotation", "restored", "waits", "younger", "waits"],
    ["who serves it, not who only holds it", "holds", "serves", "younger", "uses"],
    ["who created it, not who serves it", "serves", "created", "younger", "created"],
    ["who created it, not who holds it", "holds", "created", "younger", "created"],
    ["who asked first, though it does not need it now", "asks", "spares", "younger", "spares"],
    ["the older of two that asked, though it does not need it now", "spares", "waits", "older", "spares"],
    ["who has an annotation, not who asks", "asks", "restored", "younger", "restored"],
    ["who holds it, not who has an annotation", "restored", "holds", "younger", "uses"],
    ["who asks for it, not who leaves it", "leaves", "asks", "younger", "asks"],
    ["who can take it, not who still clears it", "clears", "takes", "younger", "asks"],
    ["who still clears it, not who has nothing to publish yet", "asks", "clears", "younger", "leaves"],
    ["the older of two that ask, though the younger could take it", "asks", "takes", "older", "asks"],
    ["who uses it, not who takes it", "takes", "holds", "younger", "uses"],
  ];
  for (const [what, older, younger, winner, because] of contests) {
    it(`go to ${what}, in whichever order they come`, () => {
      const loser = winner === "older" ? "younger" : "older";
      const orders = [() => put("older", older, 1), () => put("younger", younger, 2)];
      for (const order of [orders, [...orders].reverse()]) {
        claims = new Claims();
        for (const come of order) come();
        expect(text(claimOf(winner))).to.equal(true);
        expect(text(claimOf(loser))).to.equal(`FloatingIPPool default/${winner} ${because}`);
      }
    });
  }

  it("go to the first by name among resources of one second, whatever their uids are", () => {
    for (const [name, uid] of [
      ["b", "uid-1"],
      ["a", "uid-2"],
    ] as const) {
      const ref = { kind: "FloatingIPPool", namespace: "default", name, uid } as const;
      claims.put({ ref, createdAt: "2025-01-01T00:00:00Z", addresses: [{ ip: IP, title: "asks" }], names: [] });
    }
    expect(text(claims.view("uid-2").addresses.get(IP))).to.equal(true);
    expect(text(claims.view("uid-1").addresses.get(IP))).to.equal("FloatingIPPool default/a asks");
  });

  it("pass on when the winner drops it or is gone", () => {
    put("a", "holds");
    put("b", "asks", 2);
    put("a", undefined);
    expect([claimOf("a"), text(claimOf("b"))]).to.deep.equal([undefined, true]);
    put("c", "asks", 3);
    claims.drop("uid-b");
    expect([claimOf("b"), text(claimOf("c"))]).to.deep.equal([undefined, true]);
    claims.drop("uid-c");
    expect(claims.holderOf(IP)).to.equal(undefined);
  });

  it("notify those whose view has changed, and no others", () => {
    put("a", "asks");
    put("b", "asks", 2);
    put("a", "asks");
    put("a", "holds");
    put("a", "serves");
    put("b", undefined, 2);
    claims.drop("uid-a");
    claims.drop("uid-a");
    expect(notified).to.deep.equal([["a"], ["b"], ["a", "b"], ["b"]]);
  });

  for (const left of ["clears", "leaves"] as const)
    it(`pass a name that its holder ${left} to the resource that takes it, with the values, until it holds the name`, () => {
      const put = (name: string, title: Title | undefined, values: readonly string[] = []) =>
        claims.put({
          ...{
            ref: { kind: "RoutedIP", namespace: "default", name, uid: `uid-${name}` },
            createdAt: `2025-01-01T00:00:00Z`,
          },
          ...{ addresses: [], names: title === undefined ? [] : [{ ...NAME, title, values }] },
        });
      const claim = (name: string) => claims.view(`uid-${name}`).names[0]?.claim;
      put("a", left, [IP]);
      put("b", "takes");
      expect(claim("a")).to.have.nested.property("owned.owner.name", "b");
      expect(claim("b")).to.deep.equal({ ours: true, left: [IP] });
      put("a", undefined);
      expect(claim("b"), "the other one has its new name").to.deep.equal({ ours: true, left: [IP] });
      put("b", "holds");
      expect(claim("b")).to.deep.equal({ ours: true });
      expect(notified.at(-1)).to.deep.equal(["b"]);
    });

  it("of two names that two resources exchange go to those that ask for them, in whichever order they come", () => {
    const swapped = ["a", "b"].map((name, index) => {
      const [own = "", other = ""] = index === 0 ? ["a", "b"] : ["b", "a"];
      const names = [
        { ...NAME, fqdn: other, title: "takes" as const },
        { ...NAME, fqdn: own, title: "clears" as const },
      ];
      const ref = { kind: "FloatingIPPool", namespace: "default", name, uid: `uid-${name}` };
      return { ref, createdAt: "2025-01-01T00:00:00Z", addresses: [], names };
    });
    for (const order of [swapped, [...swapped].reverse()]) {
      claims = new Claims();
      for (const each of order) claims.put(each);
      for (const uid of ["uid-a", "uid-b"])
        expect(claims.view(uid).names.map(({ claim }) => claim.ours)).to.deep.equal([true, false]);
    }
  });

  it("name who gets a created address next, as long as that one stays", () => {
    put("a", "created");
    expect(claims.view("uid-a").addresses.get(IP)).to.deep.equal({ ours: true });
    put("b", "asks", 2);
    expect(claims.view("uid-a").addresses.get(IP)).to.have.nested.property("askedBy.name", "b");
    put("b", undefined, 2);
    expect(claims.view("uid-a").addresses.get(IP)).to.deep.equal({ ours: true });
    expect(notified.at(-1)).to.include("a");
  });

  it("leave an address to who asks for it, but not to one that is being deleted and never had it", () => {
    put("a", "leaves");
    const asking = {
      ref: { kind: "FloatingIPPool", namespace: "default", name: "b", uid: "uid-b" },
      createdAt: "2025-01-02T00:00:00Z",
      names: [],
    };
    claims.put({ ...asking, leaving: true, addresses: [{ ip: IP, title: "asks" }] });
    expect(claimOf("a")).to.deep.equal({ ours: true });
    put("b", "asks", 2);
    expect(claimOf("a")).to.have.nested.property("owned.owner.name", "b");
  });

  it("give the same view until it changes", () => {
    put("a", "asks");
    const before = claims.view("uid-a");
    put("b", "asks", 2);
    put("a", "asks");
    expect(claims.view("uid-a")).to.equal(before);
  });

  it("tell names apart by provider, zone, name and type", () => {
    claimName("a");
    for (const more of [
      { provider: "cloudflare" },
      { zone: "com" },
      { fqdn: "w.example.com" },
      { type: "AAAA" as const },
    ]) {
      claimName("b", more);
      expect(claims.view("uid-b").names[0]?.claim).to.deep.equal({ ours: true });
    }
    claimName("b");
    expect(claims.view("uid-b").names).to.deep.equal([
      {
        ...NAME,
        claim: {
          ours: false,
          owned: {
            owner: { kind: "NodeDNSRecordSet", namespace: "default", name: "a", uid: "uid-a" },
            basis: "asks",
          },
        },
      },
    ]);
  });

  it("know whether a resource has or asks for a name, or may do so", () => {
    expect(claims.mayBeClaimed(NAME)).to.equal(false);
    claimName("a");
    expect([claims.mayBeClaimed(NAME), claims.mayBeClaimed({ ...NAME, type: "AAAA" })]).to.deep.equal([true, false]);
    claims.expectMore();
    expect(claims.mayBeClaimed({ ...NAME, type: "AAAA" }), "some resources are unread").to.equal(true);
  });

  it("are undecided while resources of another kind may have a better title, but for what a status has", () => {
    claims.expectMore();
    put("a", "asks");
    claimName("b");
    put("c", "serves");
    expect(claims.view("uid-b").names).to.deep.equal([]);
    expect(text(claimOf("c"))).to.equal(true);
    expect(["a", "b", "c"].map((name) => claims.areAddressesDecided(`uid-${name}`))).to.deep.equal([true, true, true]);
    expect(text(claimOf("a")), "it has lost whatever comes").to.include("uses");
    claims.drop("uid-c");
    expect(claims.areAddressesDecided("uid-a")).to.equal(false);
    notified = [];
    claims.allKnown();
    expect(notified).to.deep.equal([["a", "b"]]);
    expect(claims.areAddressesDecided("uid-a")).to.equal(true);
  });

  it("do not name who gets a created address until all kinds with addresses are read", () => {
    claims.expectMore();
    put("a", "created");
    expect(claimOf("a")).to.deep.equal({ ours: true, unread: true });
    claims.allKnown();
    expect(claimOf("a"), "requests wait for a while only").to.deep.equal({ ours: true, unread: true });
    put("b", "asks", 2);
    expect(claimOf("a")).to.have.nested.property("askedBy.name", "b");
    claims.drop("uid-b");
    notified = [];
    claims.allRead();
    expect(notified).to.deep.equal([["a"]]);
    expect(claimOf("a")).to.deep.equal({ ours: true });
    put("a", "serves");
    claims.expectMore();
    expect(claimOf("a"), "never released").to.deep.equal({ ours: true });
    put("a", "leaves");
    expect(claimOf("a"), "a resource that is unread may list it").to.deep.equal({ ours: true, unread: true });
  });
});
