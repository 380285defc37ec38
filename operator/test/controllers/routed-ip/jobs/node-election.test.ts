import { expect } from "chai";
import { describe, it } from "mocha";
import { freeInOrder } from "../../../../src/controllers/routed-ip/jobs/node-election.js";
import type { NodeFacts } from "../../../../src/match/node-facts.js";
import type { ProviderId } from "../../../../src/providers/types.js";

type Electing = Parameters<typeof freeInOrder>[0];

function node(name: string, createdAt: string, leaving = false): NodeFacts {
  return { name, machine: `cloud://${name}`, createdAt, leaving } as unknown as NodeFacts;
}

describe("the nodes that a RoutedIP with Jobs may elect", () => {
  it("are those with room, in the order of election: the operator probes the first ones", () => {
    const candidates = [
      node("full", "2025-06-04T00:00:00Z"),
      node("old", "2025-06-01T00:00:00Z"),
      node("leaving", "2025-06-03T00:00:00Z", true),
      node("young", "2025-06-02T00:00:00Z"),
    ];
    const heldOn = (machine: ProviderId) => (machine === "cloud://full" ? [{ ip: "203.0.113.7" }] : []);
    const names = (more: object = {}) =>
      freeInOrder({ candidates, heldOn, ...more } as unknown as Electing).map(({ name }) => name);
    expect(names()).to.deep.equal(["young", "old", "leaving"]);
    expect(names({ elected: "cloud://old" })).to.deep.equal(["old", "young", "leaving"]);
  });
});
