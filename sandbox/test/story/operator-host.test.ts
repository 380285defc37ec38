import { expect } from "chai";
import { describe, it } from "mocha";
import { backoff } from "../../src/story/operator-host.js";

describe("the restart of an operator that ends by itself", () => {
  it("waits longer each time, as a kubelet does, and 5 minutes at most", () => {
    const waits = Array.from({ length: 8 }, (_, restarts) => backoff(restarts) / 1000);
    expect(waits).to.deep.equal([0, 10, 20, 40, 80, 160, 300, 300]);
  });
});
