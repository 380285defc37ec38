import { expect } from "chai";
import { describe, it } from "mocha";
import { OVERLAP, runOverlap } from "../scenes/overlap.js";

const WANTED = OVERLAP.pools * OVERLAP.addresses;

describe("operator in process: overlapping pools", function () {
  this.timeout(240_000);

  it(`${OVERLAP.pools} pools of ${OVERLAP.addresses} addresses over ${OVERLAP.nodes} nodes all get what they want`, async () => {
    const { assigned, nodes, assignments, refused } = await runOverlap();
    expect({ assigned, nodes, assignments, refused }).to.deep.equal({
      assigned: WANTED,
      nodes: WANTED,
      assignments: WANTED,
      refused: 0,
    });
  });
});
