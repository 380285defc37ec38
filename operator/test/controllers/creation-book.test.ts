import { expect } from "chai";
import { describe, it } from "mocha";
import { CreationBook, type OpenCreation } from "../../src/controllers/creation-book.js";

describe("the book of creations", () => {
  const creation = (uid: string, more: Partial<OpenCreation> = {}): OpenCreation => {
    const resource = { kind: "FloatingIPPool", namespace: "default", name: uid, uid };
    return { resource, provider: "digitalocean", family: "IPv4", account: undefined, ...more };
  };

  it("keeps one account's creations apart, of one family, and tells who waits", () => {
    const told: string[][] = [];
    const book = new CreationBook((uids) => told.push([...uids]));
    const [mine, yours] = [{}, {}];
    book.set(creation("a", { account: mine }));
    expect(book.others(creation("a", { account: mine }))).to.be.empty;
    expect(book.others(creation("b", { account: yours }))).to.be.empty;
    expect(book.others(creation("b", { account: mine, family: "IPv6" }))).to.be.empty;
    expect(book.others(creation("e", { provider: "other" })), "another cloud").to.be.empty;
    expect(book.others(creation("c", { account: mine }))).to.have.length(1);
    expect(book.others(creation("d"))).to.have.length(1);
    book.end("a");
    book.end("a");
    expect(told).to.deep.equal([["c", "d"]]);
    expect(book.others(creation("c", { account: mine }))).to.be.empty;
  });

  it("lets nothing be created until the resources of all kinds have been read", () => {
    const told: string[][] = [];
    const book = new CreationBook((uids) => told.push([...uids]));
    book.expectMore();
    expect(book.others(creation("a"))).to.have.length(1);
    book.allKnown();
    expect(told).to.deep.equal([["a"]]);
    expect(book.others(creation("a"))).to.be.empty;
  });
});
