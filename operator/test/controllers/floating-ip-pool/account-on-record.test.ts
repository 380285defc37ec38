import type { AddressStatus, FloatingIPPoolStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { accountToRecord, otherAccount } from "../../../src/controllers/floating-ip-pool/account-on-record.js";
import type { Pool } from "../../../src/controllers/floating-ip-pool/snapshot.js";
import { isSameAccount } from "../../../src/providers/credentials.js";
import { meta } from "../../claims/resources.js";
import { ModelCloud } from "./support/model-cloud.js";

const [CREATED, LISTED, OTHER] = ["203.0.113.7", "203.0.113.8", "203.0.113.9"];

function poolOf(status: FloatingIPPoolStatus): Pool {
  return { metadata: meta("web"), spec: { provider: "digitalocean", ips: [LISTED] }, status };
}

const created = { createdIPs: [{ ip: CREATED, createdTime: "2026-01-01T00:00:00Z" }] };
const entry = (ip: string, more: AddressStatus = {}) => ({ ips: { [ip]: { state: "active", ...more } } }) as const;

describe("the account that a pool has on record", () => {
  const recording = (status: FloatingIPPoolStatus, accountKey: string | undefined, seen: readonly string[]) => {
    const cloud = new ModelCloud();
    cloud.addPool("web", {});
    for (const ip of seen) cloud.addresses.set(ip, undefined);
    const { inventory } = cloud.snapshot("web");
    const addresses = Object.entries(status.ips ?? {}).map(([ip, { state = "active", ...more }]) => {
      return { ip, status: { state, ...more } };
    });
    const snapshot = { pool: poolOf(status), inventory, ...(accountKey !== undefined && { accountKey }) };
    return accountToRecord(snapshot, addresses);
  };

  it("is recorded once it has shown an address of the pool", () => {
    expect(recording(created, "a", [OTHER])).to.equal(undefined);
    expect(recording(created, "a", [CREATED])).to.equal("a");
    expect(recording(entry(LISTED), "a", [LISTED])).to.equal("a");
    expect(recording(created, undefined, [CREATED]), "its token does not show it").to.equal(undefined);
    const two = { createdIPs: [...created.createdIPs, { ip: OTHER, createdTime: "2026-01-02T00:00:00Z" }] };
    expect(recording(two, "a", [OTHER]), "one is missing").to.equal(undefined);
    expect(recording({ ...two, account: "b" }, "a", [OTHER]), "which may be in the former one").to.equal("b");
  });

  it("stays while it may be the same, or while nothing shows that it is another one", () => {
    for (const key of [undefined, "a", "b+a", "b"]) {
      expect(recording({ ...created, account: "a" }, key, []), key).to.equal("a");
    }
    expect(recording({ ...entry(LISTED), account: "a" }, "b", [LISTED])).to.equal("b");
    const reason = "AddressNotFound";
    expect(recording({ ...entry(LISTED, { reason }), account: "a" }, undefined, []), "a list without it").to.equal("a");
  });

  it("goes with the last address", () => {
    expect(recording({ account: "a" }, "a", [])).to.equal(undefined);
    expect(recording({ ...entry(OTHER), account: "a" }, "a", [OTHER]), "not listed any more").to.equal(undefined);
    const reason = "ClaimedByOther";
    expect(recording({ ...entry(LISTED, { reason }), account: "a" }, "a", [LISTED])).to.equal(undefined);
  });
});

describe("another account than the one on record", () => {
  const accountOf = (key: string | undefined, { seen = [""], complete = true } = {}) => ({
    key,
    inventory: { view: () => ({ complete, get: (ip: string) => (seen.includes(ip) ? ({} as never) : undefined) }) },
  });
  const blocked = (status: FloatingIPPoolStatus, key: string | undefined, view = {}) =>
    otherAccount(accountOf(key, view), poolOf({ account: "a", ...status }))?.message;

  it("counts for nothing while the pool has an address on record", () => {
    expect(blocked(created, "b")).to.include(
      `account b, and the addresses of this pool on record (${CREATED}) are in account a`,
    );
    expect(blocked(entry(LISTED), "b")).to.include(LISTED);
  });

  it("counts if it may be the same, or if nothing of the pool is on record", () => {
    for (const key of ["a", "b+a"]) expect(blocked(created, key), key).to.equal(undefined);
    expect(blocked({}, "b")).to.equal(undefined);
    expect(blocked(entry(OTHER), "b")).to.equal(undefined);
    expect(blocked(entry(LISTED, { reason: "AddressNotFound" }), "b")).to.equal(undefined);
    expect(otherAccount(accountOf("b"), poolOf(created)), "not recorded").to.equal(undefined);
  });

  it("counts if it shows an address on record: the provider may name the same account otherwise", () => {
    expect(blocked(created, "b", { seen: [OTHER] })).to.not.equal(undefined);
    expect(blocked(created, "b", { seen: [CREATED] })).to.equal(undefined);
    expect(blocked(created, "b", { complete: false }), "nothing is decided yet").to.equal(undefined);
  });

  it("counts for nothing if the token may not read which one it is and no address on record is there", () => {
    expect(blocked(created, undefined)).to.include("may not read its account, which has no address of this pool");
    expect(blocked(created, undefined, { seen: [CREATED] })).to.equal(undefined);
  });

  it("may be the same where a token does not show its account", () => {
    expect(isSameAccount("token-1", "a")).to.equal(true);
    expect(isSameAccount("a+b", "b+c")).to.equal(true);
    expect(isSameAccount("a+b", "c")).to.equal(false);
  });
});
