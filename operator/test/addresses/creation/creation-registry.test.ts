import { expect } from "chai";
import { describe, it } from "mocha";
import { CreationRegistry, type OpenCreation } from "../../../src/addresses/creation/creation-registry.js";

describe("the book of creations", () => {
  const creation = (uid: string, more: Partial<OpenCreation> = {}): OpenCreation => {
    const resource = { kind: "FloatingIPPool", namespace: "default", name: uid, uid };
    return { resource, provider: "digitalocean", family: "IPv4", account: undefined, ...more };
  };

  it("keeps one account's creations apart, of one family, and tells who waits", () => {
    const told: string[][] = [];
    const registry = new CreationRegistry((uids) => told.push([...uids]));
    const [mine, yours] = [{}, {}];
    registry.set(creation("a", { account: mine }));
    expect(registry.others(creation("a", { account: mine }))).to.be.empty;
    expect(registry.others(creation("b", { account: yours }))).to.be.empty;
    expect(registry.others(creation("b", { account: mine, family: "IPv6" }))).to.be.empty;
    expect(registry.others(creation("e", { provider: "other" })), "another cloud").to.be.empty;
    expect(registry.others(creation("c", { account: mine }))).to.have.length(1);
    expect(registry.others(creation("d"))).to.have.length(1);
    registry.end("a");
    registry.end("a");
    expect(told).to.deep.equal([["c", "d"]]);
    expect(registry.others(creation("c", { account: mine }))).to.be.empty;
  });

  it("lets nothing be created until the resources of all kinds have been read", () => {
    const told: string[][] = [];
    const registry = new CreationRegistry((uids) => told.push([...uids]));
    registry.expectMore();
    expect(registry.others(creation("a"))).to.have.length(1);
    registry.allKnown();
    expect(told).to.deep.equal([["a"]]);
    expect(registry.others(creation("a"))).to.be.empty;
  });
});
