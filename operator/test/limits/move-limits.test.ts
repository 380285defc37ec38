import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import { type Bucket, MoveLimits, refilled, tokenInMs } from "../../src/limits/move-limits.js";
import { MINUTE_MS } from "../../src/timings.js";
import { FakeClock } from "../support/time/fake-clock.js";

describe("a bucket of moves", () => {
  it("starts full, never holds more than a minute yields, and refills evenly", () => {
    const full = refilled(undefined, 2, 0);
    expect(full).to.deep.equal({ tokens: 2, at: 0 });
    expect(refilled(full, 2, MINUTE_MS)).to.deep.equal({ tokens: 2, at: MINUTE_MS });
    const empty: Bucket = { tokens: 0, at: 0 };
    expect(tokenInMs(empty, 2)).to.equal(MINUTE_MS / 2);
    expect(tokenInMs(refilled(empty, 2, MINUTE_MS / 2), 2)).to.equal(0);
  });
});

describe("limits of moves", () => {
  let clock: FakeClock;

  beforeEach(() => {
    clock = new FakeClock();
  });

  it("are none by default", () => {
    expect(new MoveLimits(clock, 0).allowance("web", 0)).to.equal(undefined);
  });

  it("of a resource let so many moves begin at once, then one after the other", async () => {
    const limits = new MoveLimits(clock, 0);
    const now = () => limits.allowance("web", 2);
    expect(now()?.moves).to.equal(2);
    limits.begin("web", "a");
    limits.begin("web", "b");
    expect(now()).to.deep.include({ moves: 0, nextAt: clock.now() + MINUTE_MS / 2 });
    await clock.advance(MINUTE_MS / 2);
    expect(now()?.moves).to.equal(1);
    expect(limits.allowance("other", 1)?.moves).to.equal(1);
  });

  it("say when the next move after those of now may begin, so that a resource that waits does not look again at once", () => {
    const limits = new MoveLimits(clock, 3);
    expect(limits.allowance("web", 2)?.nextAt).to.equal(clock.now() + MINUTE_MS / 2);
    limits.begin("web", "a");
    expect(limits.allowance("web", 2)).to.deep.include({ moves: 1, nextAt: clock.now() + MINUTE_MS / 2 });
    expect(limits.allowance("web", 0), "of the operator alone").to.deep.include({
      moves: 2,
      nextAt: clock.now() + MINUTE_MS / 3,
    });
  });

  it("count a move once until it has ended", () => {
    const limits = new MoveLimits(clock, 0);
    limits.allowance("web", 2);
    limits.begin("web", "a");
    limits.begin("web", "a");
    expect(limits.allowance("web", 2)).to.deep.include({ moves: 1, begun: new Set(["a"]) });
    limits.end("web", "a");
    limits.begin("web", "a");
    expect(limits.allowance("web", 2)?.moves).to.equal(0);
  });

  it("of the operator are shared by all resources, beside their own", () => {
    const limits = new MoveLimits(clock, 3);
    expect([limits.allowance("one", 0)?.moves, limits.allowance("two", 1)?.moves]).to.deep.equal([3, 1]);
    for (const ip of ["a", "b", "c"]) limits.begin("one", ip);
    expect([limits.allowance("one", 0)?.moves, limits.allowance("two", 1)?.moves]).to.deep.equal([0, 0]);
  });
});
