import { expect } from "chai";
import { describe, it } from "mocha";
import { UnprobedHolders } from "../../src/health/unprobed-holders.js";

describe("holders without an address that the health check asks for", () => {
  const check = { type: "TCP", port: 443, address: "PodIP" } as const;
  const holder = (name: string) => ({ uid: `uid-${name}`, name, addresses: [] });
  const rig = () => {
    const changed: string[] = [];
    return { changed, holders: new UnprobedHolders((node) => changed.push(node)) };
  };

  it("are named in one order, whichever came first", () => {
    const { holders } = rig();
    holders.follow(check, ["n3", "n1", "n2"].map(holder), (node) => (node === "n2" ? "10.0.0.2" : undefined));
    expect(holders.doubts().map(({ node, doubt }) => [node, doubt])).to.deep.equal([
      ["n1", "NotProbed"],
      ["n3", "NotProbed"],
    ]);
  });

  it("are reported when they begin or cease to be, and are none without a check", () => {
    const { changed, holders } = rig();
    for (const address of [undefined, undefined, "10.0.0.1"]) holders.follow(check, [holder("n1")], () => address);
    expect(changed).to.deep.equal(["n1", "n1"]);
    holders.follow(undefined, [holder("n1")], () => undefined);
    expect(holders.doubts()).to.deep.equal([]);
  });
});
