import { expect } from "chai";
import { describe, it } from "mocha";
import { GoneAddresses } from "../../src/inventory/gone-addresses.js";
import { ProviderError } from "../../src/providers/errors.js";
import { SETTLE_SECONDS, UNKNOWN_ACTION_SECONDS } from "../../src/timings.js";
import { FakeClock } from "../support/time/fake-clock.js";

const IP = "203.0.113.7";
const LOST = new ProviderError({
  ...{ kind: "Unavailable", where: "cloud: release", seen: "answer 504", remedy: "wait", outcome: "unknown" },
});

describe("the addresses that are gone", () => {
  function afterLostRelease() {
    const clock = new FakeClock();
    const gone = new GoneAddresses(clock);
    expect(() => gone.releaseFailed(IP, LOST)).to.throw(ProviderError);
    return { clock, gone };
  }

  it("are released where the answer to the release was lost and the next read does not find them", () => {
    const { clock, gone } = afterLostRelease();
    gone.missing(IP, { askedAt: clock.monotonic(), isSure: true });
    expect(gone.isReleased(IP)).to.equal(true);
  });

  for (const [what, ahead] of [
    ["is young", -10_000],
    ["is young by a clock that was ahead", 3_600_000],
  ] as const) {
    it(`do not include one that ${what}, though a read does not find it, until it is 30 s old at the latest`, async () => {
      const clock = new FakeClock();
      const gone = new GoneAddresses(clock);
      const createdAt = clock.now() + ahead;
      gone.expect(IP, createdAt);
      gone.missing(IP, { askedAt: clock.monotonic(), isSure: true });
      expect(gone.has(IP)).to.equal(false);
      await clock.advance(SETTLE_SECONDS * 1000 + Math.min(0, ahead));
      gone.expect(IP, createdAt);
      gone.missing(IP, { askedAt: clock.monotonic(), isSure: true });
      expect(gone.has(IP)).to.equal(true);
    });
  }

  it("do not include one of which it becomes known only later that it is young", () => {
    const clock = new FakeClock();
    const gone = new GoneAddresses(clock);
    for (const createdAt of [Number.NaN, clock.now() - SETTLE_SECONDS * 1000, clock.now()]) gone.expect(IP, createdAt);
    gone.missing(IP, { askedAt: clock.monotonic(), isSure: true });
    expect(gone.has(IP)).to.equal(false);
  });

  it("are only missing where that answer was lost long ago: a read may be wrong", async () => {
    const { clock, gone } = afterLostRelease();
    gone.found(IP);
    await clock.advance(UNKNOWN_ACTION_SECONDS * 1000);
    gone.missing(IP, { askedAt: clock.monotonic(), isSure: true });
    expect(gone.isReleased(IP)).to.equal(false);
    expect(gone.has(IP)).to.equal(true);
  });
});
