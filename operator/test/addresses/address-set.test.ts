import type { AddressStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { type AddressSnapshot, hasLostHolder } from "../../src/addresses/address-set.js";
import { ModelCloud } from "../controllers/floating-ip-pool/support/model-cloud.js";

const [A, B] = ["203.0.113.1", "203.0.113.2"];
const N1 = "digitalocean://n1";
const GONE = "digitalocean://gone";

describe("a holder that a resource has lost, by its status", () => {
  function isLost(statuses: Readonly<Record<string, AddressStatus>>, change: Partial<AddressSnapshot> = {}): boolean {
    const cloud = new ModelCloud();
    cloud.addNode("n1");
    cloud.addNode("n2");
    cloud.setReady("n2", false);
    cloud.addPool("web", { ips: [A, B] });
    const snapshot = cloud.snapshot("web");
    return hasLostHolder({ ...snapshot, set: { ...snapshot.set, statuses }, ...change });
  }

  it("is a node that is gone or refused, also one of several", () => {
    const onFirst: AddressStatus = { state: "active", providerID: N1 };
    expect(isLost({ [A]: onFirst })).to.equal(false);
    expect(isLost({ [A]: onFirst, [B]: { state: "active", providerID: GONE } })).to.equal(true);
    expect(isLost({ [A]: { state: "active", providerID: "digitalocean://n2" } })).to.equal(true);
    expect(isLost({ [A]: { state: "active" } }), "of which the status names no node").to.equal(true);
  });

  it("is none that the address had not reached, nor one before all nodes are known", () => {
    expect(isLost({})).to.equal(false);
    expect(isLost({ [A]: { state: "unassigned" }, [B]: { state: "in-progress", providerID: GONE } })).to.equal(false);
    expect(isLost({ [A]: { state: "active", providerID: GONE } }, { cachesComplete: false })).to.equal(false);
  });
});
