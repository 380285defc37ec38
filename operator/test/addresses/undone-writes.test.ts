import { expect } from "chai";
import { describe, it } from "mocha";
import { isRepeatedlyUndone, undonePauseUntil } from "../../src/addresses/undone-writes.js";

describe("what others undo", () => {
  const MINUTE = 60_000;

  it("is contested from the third time in ten minutes, in whichever order the times are recorded", () => {
    expect(isRepeatedlyUndone([0, 5 * MINUTE, 10 * MINUTE])).to.equal(true);
    expect(isRepeatedlyUndone([0, 5 * MINUTE, 10 * MINUTE + 1])).to.equal(false);
    expect(isRepeatedlyUndone([9 * MINUTE, 0, 5 * MINUTE])).to.equal(true);
    expect(isRepeatedlyUndone([15 * MINUTE, 0, 5 * MINUTE])).to.equal(false);
    expect(isRepeatedlyUndone([0, 5 * MINUTE])).to.equal(false);
  });

  it("is left alone for ten minutes after the last time", () => {
    const times = [0, 1, 2].map((minute) => minute * MINUTE);
    expect(undonePauseUntil(times, 11 * MINUTE)).to.equal(12 * MINUTE);
    expect(undonePauseUntil(times, 12 * MINUTE)).to.equal(undefined);
  });
});
