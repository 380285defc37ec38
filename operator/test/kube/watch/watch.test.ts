import { expect } from "chai";
import { describe, it } from "mocha";
import { Watchdog } from "../../../src/kube/watch/watch.js";
import { FakeClock } from "../../support/time/fake-clock.js";

describe("watchdog", () => {
  it("bites once, when it has not been fed for its time", async () => {
    const clock = new FakeClock();
    let bites = 0;
    const dog = new Watchdog(clock, 100, () => bites++);
    await clock.advance(60);
    dog.feed();
    await clock.advance(99);
    expect(bites).to.equal(0);
    await clock.advance(1);
    await clock.advance(1000);
    expect(bites).to.equal(1);
  });

  it("leaves no timer behind when stopped", async () => {
    const clock = new FakeClock();
    const dog = new Watchdog(clock, 100, () => expect.fail("bit after stop"));
    dog.stop();
    await clock.advance(1000);
    expect(clock.pendingTimers).to.equal(0);
  });
});
