import { expect } from "chai";
import { describe, it } from "mocha";
import { UNKNOWN_ACTION_SECONDS } from "../../src/bounds.js";
import { GoneAddresses } from "../../src/inventory/gone-addresses.js";
import { ProviderError } from "../../src/providers/errors.js";
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
    const { gone } = afterLostRelease();
    gone.missing(IP);
    expect(gone.isReleased(IP)).to.equal(true);
  });

  it("are only missing where that answer was lost long ago: a read may be wrong", async () => {
    const { clock, gone } = afterLostRelease();
    gone.found(IP);
    await clock.advance(UNKNOWN_ACTION_SECONDS * 1000);
    gone.missing(IP);
    expect(gone.isReleased(IP)).to.equal(false);
    expect(gone.has(IP)).to.equal(true);
  });
});
