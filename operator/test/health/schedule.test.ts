import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { nextTick } from "../../src/health/schedule.js";

describe("the schedule of a probe", () => {
  const schedule = fc.record({
    start: fc.double({ min: 0, max: 1e9, noNaN: true }),
    intervalMs: fc.double({ min: 1, max: 300_000, noNaN: true }),
  });
  const time = fc.double({ min: 0, max: 2e9, noNaN: true });

  it("is always ahead, by one interval at most once it has begun", () => {
    fc.assert(
      fc.property(schedule, time, (own, now) => {
        const next = nextTick(own, now);
        if (now < own.start) expect(next).to.equal(own.start);
        else {
          expect(next).to.be.greaterThan(now);
          expect(next - now).to.be.at.most(own.intervalMs * 1.001 + 1e-3);
        }
      }),
    );
  });

  it("does not drift, however late each timer fires", () => {
    const own = { start: 250, intervalMs: 1_000 };
    let now = 0;
    const ticks: number[] = [];
    for (let count = 0; count < 100; count++) {
      const at = nextTick(own, now);
      ticks.push(at);
      now = at + 7;
    }
    expect(ticks).to.deep.equal(Array.from({ length: 100 }, (_, index) => 250 + index * 1_000));
  });

  it("leaves out the times that passed while the process stood still", () => {
    expect(nextTick({ start: 0, intervalMs: 1_000 }, 10_500)).to.equal(11_000);
  });
});
