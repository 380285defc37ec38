import { expect } from "chai";
import { describe, it } from "mocha";
import { runSurge, SURGE } from "../scenes/surge.js";

const MOST_MOVES = 8;
const MOST_CALLS = 250;

describe("operator in process: a surge upgrade", function () {
  this.timeout(240_000);

  it(`of ${SURGE.nodes} nodes costs at most ${MOST_MOVES} moves of ${SURGE.addresses} addresses and ${MOST_CALLS} calls`, async () => {
    const { moves, calls, records, byRoute } = await runSurge();
    expect(moves, JSON.stringify(byRoute)).to.be.within(SURGE.addresses, MOST_MOVES);
    expect(calls, JSON.stringify(byRoute)).to.be.at.most(MOST_CALLS);
    expect(records).to.deep.equal({ pool: SURGE.addresses, nodes: SURGE.nodes, foreign: SURGE.foreignRecords });
  });
});
