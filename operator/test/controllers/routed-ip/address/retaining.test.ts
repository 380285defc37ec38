import { expect } from "chai";
import { describe, it } from "mocha";
import type { Placement } from "../../../../src/addresses/observed.js";
import { retaining, supersededChain } from "../../../../src/controllers/routed-ip/address/address-set.js";
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

describe("the address that a RoutedIP created, while spec.routedIP names another one", () => {
  const POOL = { kind: "FloatingIPPool", namespace: "ingress", name: "web", uid: "pool" };
  const whyOf = (claim: object) => {
    const status = { created: true, routedIP: "203.0.113.7" };
    const routed = { metadata: {}, spec: { routedIP: "203.0.113.8" }, status } as unknown as RoutedIP;
    const placement = { address: { ip: status.routedIP, claim }, certainty: "sure" } as unknown as Placement;
    return supersededChain(routed, [placement]).at(-1)?.why;
  };

  it("stays in the account, unless another resource has or gets it", () => {
    const seen = "spec.routedIP is 203.0.113.8 now; 203.0.113.7";
    expect(whyOf({ ours: true })).to.equal(`${seen} stays in the account`);
    expect(whyOf({ ours: true, askedBy: POOL })).to.equal(`${seen} goes to FloatingIPPool ingress/web`);
    expect(whyOf({ ours: false, owned: { owner: POOL } })).to.equal(`${seen} goes to FloatingIPPool ingress/web`);
  });
});
