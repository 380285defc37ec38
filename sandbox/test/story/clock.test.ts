import { expect } from "chai";
import { until } from "flipop-operator/testing/until";
import { afterEach, describe, it } from "mocha";
import { StoryClock } from "../../src/story/clock.js";

describe("the story's clock", () => {
  const clocks: StoryClock[] = [];
  afterEach(() => {
    for (const clock of clocks.splice(0)) clock.stop();
  });

  function clockOf(speed: number): StoryClock {
    const clock = new StoryClock({ start: 1_000_000, speed });
    clocks.push(clock);
    return clock;
  }

  it("stands still until it runs, and after it stopped", async () => {
    const clock = clockOf(1_000);
    let fired = 0;
    clock.setTimer(1, () => fired++);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([clock.monotonic(), clock.now(), fired]).to.deep.equal([0, 1_000_000, 0]);
    clock.run();
    clock.run();
    await until("it fires", () => fired === 1, 30_000);
    clock.stop();
    const stopped = clock.monotonic();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(clock.monotonic()).to.equal(stopped);
  });

  it("fires timers at their own time, in order, and lets the world turn in between", async () => {
    const clock = clockOf(5_000);
    const seen: (readonly [string, number])[] = [];
    const note = (name: string) => () => seen.push([name, clock.monotonic()]);
    clock.setTimer(3_000, note("c"));
    clock.setTimer(1_000, () => {
      note("a")();
      setImmediate(note("turn"));
    });
    clock.setTimer(1_000, note("b"));
    clock.setTimer(2_000, note("never")).cancel();
    clock.run();
    await clock.sleep(4_000);
    expect(seen.map(([name]) => name)).to.deep.equal(["a", "b", "turn", "c"]);
    expect(seen[0]?.[1]).to.equal(1_000);
    expect(seen[1]?.[1]).to.equal(1_000);
    expect(seen[3]?.[1]).to.equal(3_000);
    expect(clock.pendingTimers).to.equal(0);
  });

  it("passes slowly while there is traffic, however fast it may", async () => {
    const clock = clockOf(10_000);
    const start = performance.now();
    clock.onStep(() => clock.traffic());
    clock.traffic();
    clock.run();
    let turns = 0;
    while (turns < 200) {
      clock.traffic();
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
    // At most five times the real time.
    expect(clock.monotonic()).to.be.at.most((performance.now() - start) * 5);
  });

  it("passes slowly until a request is answered, however long that takes the machine", async () => {
    const clock = clockOf(10_000);
    clock.run();
    const answered = clock.asked();
    let late = 0;
    // The deadline of such a request, in story time.
    clock.setTimer(5_000, () => late++);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(late).to.equal(0);
    answered();
    await until("time passes fast again", () => late === 1, 30_000);
  });

  it("waits longer for the answer to one of many requests, as long as answers arrive", async () => {
    const clock = clockOf(10_000);
    clock.run();
    const answers = Array.from({ length: 20 }, () => clock.asked());
    const last = clock.asked();
    let late = 0;
    clock.setTimer(60_000, () => late++);
    // Together longer than the patience with one request.
    for (const answered of answers) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      answered();
    }
    expect(late).to.equal(0);
    last();
    await until("time passes fast again", () => late === 1, 30_000);
  });

  it("waits for no answer that never comes", async () => {
    const clock = clockOf(10_000);
    clock.run();
    clock.asked();
    await clock.sleep(3_600_000);
    expect(clock.monotonic()).to.be.at.least(3_600_000);
  });

  it("follows real time at rest, however long the machine is busy, and leaves it again", async () => {
    let real = 0;
    const clock = new StoryClock({
      start: 5_000,
      speed: 600,
      real: { now: () => 1_000_000 + real, monotonic: () => real },
    });
    clocks.push(clock);
    clock.run();
    clock.followRealTime();
    clock.traffic();
    void clock.asked();
    const fired: number[] = [];
    for (const ms of [10_000, 20_000, 30_000]) clock.setTimer(ms, () => fired.push(ms));
    real += 60_000;
    await until("all timers fire", () => fired.length === 3, 30_000);
    expect(clock.now()).to.equal(1_060_000);
    await until("no time is lost", () => clock.monotonic() === 60_000, 30_000);
    clock.leaveRealTime();
    expect(clock.now()).to.equal(1_060_000);
    expect(clock.monotonic()).to.equal(60_000);
  });
});
