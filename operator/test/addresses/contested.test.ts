import { expect } from "chai";
import { describe, it } from "mocha";
import { contestedUntil, isContested } from "../../src/addresses/contested.js";

describe("what others undo", () => {
  const MINUTE = 60_000;

  it("is contested from the third time in ten minutes, whatever the order they are told in", () => {
    expect(isContested([0, 5 * MINUTE, 10 * MINUTE])).to.equal(true);
    expect(isContested([0, 5 * MINUTE, 10 * MINUTE + 1])).to.equal(false);
    expect(isContested([9 * MINUTE, 0, 5 * MINUTE])).to.equal(true);
    expect(isContested([15 * MINUTE, 0, 5 * MINUTE])).to.equal(false);
    expect(isContested([0, 5 * MINUTE])).to.equal(false);
  });

  it("is left alone for ten minutes after the last time", () => {
    const times = [0, 1, 2].map((minute) => minute * MINUTE);
    expect(contestedUntil(times, 11 * MINUTE)).to.equal(12 * MINUTE);
    expect(contestedUntil(times, 12 * MINUTE)).to.equal(undefined);
  });
});
