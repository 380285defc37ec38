import { expect } from "chai";
import { describe, it } from "mocha";
import { IDLE, runIdleHour } from "../scenes/idle.js";

const MOST_CALLS = 15;

describe("operator in process: an idle hour", function () {
  this.timeout(240_000);

  it(`of ${IDLE.addresses} addresses costs at most ${MOST_CALLS} calls, and writes nothing`, async () => {
    const { calls, writes } = await runIdleHour();
    expect(calls).to.be.within(1, MOST_CALLS);
    expect(writes).to.equal(0);
  });
});
