import { expect } from "chai";
import { describe, it } from "mocha";
import { nodesOf, type ServiceFollower } from "../../../src/controllers/routed-ip/service-follower.js";

describe("the nodes that serve the Service of a RoutedIP", () => {
  it("are those with its endpoints, and none while the nodes are not known", () => {
    const serves = (...nodes: readonly string[]) => {
      const follower = { service: "default/web", servesAt: (node: string) => nodes.includes(node) };
      return nodesOf({ follower: follower as Partial<ServiceFollower> as ServiceFollower }, { spec: {} as never }, []);
    };
    expect(serves("n1").servesAt("n1")).to.equal(true);
    expect(serves("n1").servesAt("n2")).to.equal(false);
    expect(serves("n1").candidates).to.deep.equal([]);
  });
});
