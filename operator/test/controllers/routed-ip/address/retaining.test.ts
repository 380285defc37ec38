import { expect } from "chai";
import { describe, it } from "mocha";
import { retaining } from "../../../../src/controllers/routed-ip/address/address-set.js";
import type { RoutedIP } from "../../../../src/routing/resource.js";

describe("the address that a RoutedIP leaves to its namespace", () => {
  const of = (status: RoutedIP["status"]) =>
    retaining({ metadata: { namespace: "shop" }, status } as unknown as RoutedIP).map(({ retained }) => retained);

  it("is the one that it created", () => {
    const status = { created: true, routedIP: "203.0.113.7" };
    expect(of(status)).to.deep.equal([{ ip: "203.0.113.7", namespace: "shop" }]);
    expect(of({ ...status, inferred: false })).to.have.length(1);
  });

  it("is none that it did not create, or whose creation is only inferred", () => {
    expect(of({ routedIP: "203.0.113.7" })).to.deep.equal([]);
    expect(of({ created: true })).to.deep.equal([]);
    expect(of({ created: true, routedIP: "203.0.113.7", inferred: true })).to.deep.equal([]);
  });
});
