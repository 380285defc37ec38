import { expect } from "chai";
import { describe, it } from "mocha";
import { closing } from "../conformance/benches.js";
import { startAddressBench } from "./address-bench.js";
import { runStorm, STORM } from "./storm.js";

describe("a storm of 500 node changes at DigitalOcean's real limits", () => {
  const start = closing(startAddressBench);

  it("ends without one 429, assignments ahead of checks, and each address where it should be", async function () {
    this.timeout(240_000);
    const figures = await runStorm(await start());

    expect(figures.refused).to.equal(0);
    expect(figures.astray).to.equal(0);
    // A read, an assignment and a look at the action at least; no more than the looks that the pace allows.
    expect(figures.calls).to.be.within(3 * STORM.moves + STORM.checks, 6 * STORM.moves + STORM.checks);
    expect(figures.checksAhead).to.be.at.most(STORM.checks / 20);
    // 250 calls a minute are allowed: the storm uses nearly all of them.
    expect(figures.seconds).to.be.at.most((figures.calls / 250 + 2) * 61);
  });
});
