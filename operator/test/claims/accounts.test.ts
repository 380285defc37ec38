import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import type { Title } from "../../src/claims/claim-rank.js";
import type { InAccount } from "../../src/claims/claimant.js";
import { Claims } from "../../src/claims/claims.js";
import { meta } from "./resources.js";

const IP = "203.0.113.7";
/** In the account of the platform. */
const THERE = { account: "platform", isThere: true };
const LACKING = { account: "other", isThere: false };
const UNKNOWN = { account: "" };

describe("claims of addresses by account", () => {
  let claims: Claims;
  beforeEach(() => {
    claims = new Claims();
  });

  function put(name: string, title: Title, place: InAccount, day = 1) {
    const { namespace = "", uid, creationTimestamp = "" } = meta(name, day);
    const ref = { kind: "RoutedIP", namespace, name, uid } as const;
    claims.put({ ref, createdAt: creationTimestamp, addresses: [{ ip: IP, title, ...place }], names: [] });
  }
  const claimOf = (name: string) => claims.view(`uid-${name}`).addresses.get(IP);

  it("hand no created address over to one whose account lacks it", () => {
    put("creator", "created", THERE, 2);
    put("thief", "asks", LACKING);
    expect(claimOf("creator")).to.deep.equal({ ours: true });
    expect(claimOf("thief")?.ours).to.equal(false);
  });

  for (const account of ["platform", "the same, with a token that shows another key"]) {
    it(`hand it over to one whose account has it: ${account}`, () => {
      put("creator", "created", THERE, 2);
      put("heir", "asks", { account, isThere: true });
      expect(claimOf("creator")).to.have.nested.property("askedBy.name", "heir");
    });
  }

  it("hand it over to one whose account nothing can show, as before", () => {
    put("creator", "created", THERE, 2);
    put("heir", "asks", {});
    expect(claimOf("creator")).to.have.nested.property("askedBy.name", "heir");
  });

  for (const title of ["created", "leaves"] as const) {
    it(`leave it undecided while the account of one that asks is unknown: ${title}`, () => {
      put("creator", title, THERE, 2);
      put("late", "asks", UNKNOWN);
      expect(claimOf("creator")).to.deep.equal({ ours: true, unread: true });
      expect(claimOf("late")?.ours).to.equal(false);
      put("late", "asks", LACKING);
      expect(claimOf("creator")).to.deep.equal({ ours: true });
    });
  }

  it("go to the younger one whose account has it, in whichever order they come", () => {
    const orders = [() => put("thief", "waits", LACKING, 1), () => put("pool", "asks", THERE, 2)];
    for (const order of [orders, [...orders].reverse()]) {
      claims = new Claims();
      for (const come of order) come();
      expect(claimOf("pool")).to.deep.equal({ ours: true });
      expect(claims.holderOf(IP)?.name).to.equal("pool");
    }
  });

  it("go to the older one of the same account, also while the account lacks it", () => {
    put("older", "asks", { account: "platform", isThere: false }, 1);
    put("younger", "asks", THERE, 2);
    expect(claimOf("older")).to.deep.equal({ ours: true });
  });

  it("make no holder of one whose account lacks the address", () => {
    put("thief", "asks", LACKING);
    expect(claims.holderOf(IP)).to.equal(undefined);
    put("thief", "asks", UNKNOWN);
    expect(claims.holderOf(IP)?.name).to.equal("thief");
  });

  it("keep for a resource what the operator gave it, also if a list lacks it", () => {
    put("holder", "serves", { account: "platform", isThere: false });
    put("other", "asks", { account: "other", isThere: true });
    expect(claimOf("holder")).to.deep.equal({ ours: true });
    expect(claims.holderOf(IP)?.name).to.equal("holder");
  });
});
