import { expect } from "chai";
import { describe, it } from "mocha";
import { afterSync } from "../../src/runtime/after-sync.js";
import type { Drainable, Synced } from "../../src/runtime/manager.js";
import { FakeClock } from "../support/fake-clock.js";

describe("a controller that waits for the caches of its own kinds", () => {
  function setUp() {
    const clock = new FakeClock();
    const stop = new AbortController();
    const state = { synced: false, running: false };
    const cache: Synced = { name: "routedips", run: () => Promise.resolve(), hasSynced: () => state.synced };
    const controller: Drainable = {
      name: "routed-ip",
      run: (signal) => {
        state.running = true;
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
      },
      drain: () => Promise.resolve(false),
      check: () => undefined,
    };
    return { clock, stop, state, waiting: afterSync(controller, [cache], clock) };
  }

  it("starts as soon as they have synced", async () => {
    const { clock, stop, state, waiting } = setUp();
    const run = waiting.run(stop.signal);
    await clock.advance(1_000);
    expect(state.running).to.equal(false);
    state.synced = true;
    await clock.advance(50);
    expect(state.running).to.equal(true);
    expect(await waiting.drain(1_000), "asks the controller").to.equal(false);
    stop.abort();
    await run;
  });

  it("ends at once when it never started", async () => {
    const { clock, stop, state, waiting } = setUp();
    const run = waiting.run(stop.signal);
    await clock.flush();
    expect(await waiting.drain(1_000)).to.equal(true);
    stop.abort();
    await clock.flush();
    await run;
    expect(state.running).to.equal(false);
  });

  it("does not start after it was drained", async () => {
    const { clock, stop, state, waiting } = setUp();
    const run = waiting.run(stop.signal);
    await clock.flush();
    await waiting.drain(1_000);
    state.synced = true;
    await clock.advance(100);
    expect(state.running).to.equal(false);
    stop.abort();
    await run;
  });
});
