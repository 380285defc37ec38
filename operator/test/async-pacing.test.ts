import { expect } from "chai";
import { describe, it } from "mocha";
import { TokenBucket } from "../src/async.js";

describe("token bucket", () => {
  it("gives its burst at once and then so many a second", () => {
    const bucket = new TokenBucket({ perSecond: 2, burst: 2 }, 0);
    const taken = [0, 0, 0, 499, 500, 999, 1000].map((ms) => bucket.tryTake(ms));

    expect(taken).to.deep.equal([true, true, false, false, true, false, true]);
  });

  it("sells tokens of the future, none later than a minute", () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 1 }, 0);
    const waits = Array.from({ length: 1000 }, () => bucket.reserve(0));

    expect(waits.slice(0, 3)).to.deep.equal([0, 100, 200]);
    expect(waits.at(-1)).to.equal(60_000);
  });

  it("is full again after a while and never more than full", () => {
    const bucket = new TokenBucket({ perSecond: 1, burst: 3 }, 0);
    bucket.tryTake(0);
    expect(bucket.isFull(999)).to.equal(false);
    expect(bucket.isFull(1_000)).to.equal(true);
    const taken = Array.from({ length: 5 }, () => bucket.tryTake(100_000));

    expect(taken.filter(Boolean)).to.have.length(3);
  });
});
