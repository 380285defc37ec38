import { getEventListeners } from "node:events";
import { expect } from "chai";
import { describe, it } from "mocha";
import { beginningOf, secondsText, systemClock, timeText } from "../src/clock.js";
import { FakeClock } from "./support/time/fake-clock.js";

describe("clock", () => {
  for (const clock of [systemClock, new FakeClock()]) {
    it(`${clock === systemClock ? "of the system" : "of tests"} rejects a sleep with the signal's reason and leaves no listener`, async () => {
      const controller = new AbortController();
      const sleeping = clock.sleep(60_000, controller.signal).catch((reason: unknown) => reason);
      controller.abort("stop");
      expect(await sleeping).to.equal("stop");
      expect(await clock.sleep(1, controller.signal).catch((reason: unknown) => reason)).to.equal("stop");
      expect(getEventListeners(controller.signal, "abort")).to.have.length(0);
    });
  }

  it("writes times for people with their date and zone, and no earlier than they are", () => {
    expect(timeText(Date.parse("2026-01-01T10:02:10.001Z"))).to.equal("2026-01-01T10:02:11Z");
    expect(timeText(Date.parse("2026-01-01T10:02:11Z"))).to.equal("2026-01-01T10:02:11Z");
    expect(timeText(Date.parse("2026-01-01T23:59:59.5Z"))).to.equal("2026-01-02T00:00:00Z");
  });

  it("knows since when something has lasted, also after somebody has set the clock", () => {
    const at = (now: number, monotonic: number) => ({ now: () => now, monotonic: () => monotonic });
    const began = beginningOf(undefined, at(1_000_000, 5000.3));
    expect(began).to.deep.equal({ now: 1_000_000, monotonic: 5000.3 });
    expect(beginningOf(began, at(1_060_001, 65_000)), "two readings differ by a little").to.deep.equal(began);
    expect(beginningOf(began, at(1_660_000, 65_000.3)).now, "ten minutes forward").to.equal(1_600_000);
    expect(beginningOf(began, at(460_000, 65_000.3)).now, "ten minutes back").to.equal(400_000);
  });

  it("writes long periods in hours, too", () => {
    const texts = [60, 3599, 3600, 60_000, 86_400].map(secondsText);
    expect(texts).to.deep.equal(["60 s", "3599 s, 1h", "3600 s, 1h", "60000 s, 16h40m", "86400 s, 24h"]);
  });

  it("of the system sleeps, and does not call a cancelled timer", async () => {
    const timer = systemClock.setTimer(0, () => expect.fail("cancelled timer ran"));
    timer.cancel();
    await systemClock.sleep(1);
  });

  it("of tests runs due timers in order, each at its own time, with the promises between them", async () => {
    const clock = new FakeClock(0);
    const seen: string[] = [];
    clock.setTimer(20, () => seen.push(`b at ${clock.now()}`));
    void clock.sleep(10).then(async () => {
      seen.push(`a at ${clock.now()}`);
      await clock.sleep(5);
      seen.push(`c at ${clock.now()}`);
    });
    await clock.advance(30);
    expect(seen).to.deep.equal(["a at 10", "c at 15", "b at 20"]);
    expect([clock.now(), clock.monotonic(), clock.pendingTimers]).to.deep.equal([30, 30, 0]);
  });

  it("of tests stalls: time is gone before any timer runs", async () => {
    const clock = new FakeClock(0);
    let ranAt = 0;
    clock.setTimer(10, () => {
      ranAt = clock.monotonic();
    });
    await clock.stall(1_000);
    expect(ranAt).to.equal(1_000);
  });
});
