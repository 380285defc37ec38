import { expect } from "chai";
import { describe, it } from "mocha";
import { silentLogger } from "../../src/logging.js";
import type { Drainable, Synced } from "../../src/runtime/manager.js";
import { AbsentKinds, afterSync, cachePart } from "../../src/runtime/synced-kinds.js";
import { FakeClock } from "../support/time/fake-clock.js";

describe("kinds that a cluster does not have", () => {
  const part = (code: number | undefined, synced = false) => ({
    name: "routedips",
    run: () => Promise.resolve(),
    hasSynced: () => synced,
    degradedReason: () => `${code}`,
    refusal: () => code,
  });

  it("do not delay the start: at once if there is no such kind, after a while if the operator may not see it", async () => {
    const clock = new FakeClock();
    const synced = (code: number | undefined) => new AbsentKinds([part(code)], clock).tolerated()[0]?.hasSynced();
    expect([404, 403, 500, undefined].map(synced)).to.deep.equal([true, false, false, false]);
    const forbidden = new AbsentKinds([part(403)], clock);
    expect(forbidden.check()).to.equal(undefined);
    await clock.advance(15_000);
    expect(forbidden.tolerated()[0]?.hasSynced()).to.equal(true);
    expect(forbidden.check()).to.include("403").and.include("apply the CRDs");
    expect(new AbsentKinds([part(404, true)], clock).check()).to.equal(undefined);
  });

  it("are in the log once, with what to do, until others are missing", async () => {
    const clock = new FakeClock();
    const codes: Record<string, number | undefined> = { pools: 404, routedips: undefined };
    const parts = Object.keys(codes).map((name) => ({ ...part(404), name, refusal: () => codes[name] }));
    const lines: string[] = [];
    const error = (fields: object, message: string) => lines.push(`${message} ${JSON.stringify(fields)}`);
    const stop = new AbortController();
    const running = new AbsentKinds(parts, clock).logged(clock, { ...silentLogger, error }).run(stop.signal);
    await clock.advance(60_000);
    const text = "The cluster lacks kinds that the operator serves: apply the CRDs of this release";
    expect(lines).to.deep.equal([`${text} {"kinds":["pools"]}`]);
    codes["routedips"] = 404;
    await clock.advance(60_000);
    codes["pools"] = codes["routedips"] = undefined;
    await clock.advance(60_000);
    expect(lines.slice(1)).to.deep.equal([`${text} {"kinds":["pools","routedips"]}`]);
    stop.abort();
    await running;
  });
});

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

function setUp() {
  const cache = {
    state: { name: "pods", synced: false, lastError: "403 Forbidden" as string | undefined },
    stops: 0,
    stop: async () => {
      cache.stops += 1;
    },
  };
  return { cache, part: cachePart(cache) };
}

describe("cache as a part of the process", () => {
  it("reports whether it has synced, and if not, why", () => {
    const { cache, part } = setUp();
    expect([part.name, part.hasSynced(), part.degradedReason?.()]).to.deep.equal(["pods", false, "403 Forbidden"]);
    cache.state = { name: "pods", synced: true, lastError: undefined };

    expect([part.hasSynced(), part.degradedReason?.()]).to.deep.equal([true, undefined]);
  });

  it("stops at its signal, and not before", async () => {
    const { cache, part } = setUp();
    const stop = new AbortController();
    const running = part.run(stop.signal);
    expect(cache.stops).to.equal(0);
    stop.abort();
    await running;
    await part.run(stop.signal);

    expect(cache.stops).to.equal(2);
  });
});
