import { expect } from "chai";
import { describe, it } from "mocha";
import { anyAbort, Pacer, pause, settlesWithin } from "../src/async.js";
import { SLICE_MS } from "../src/timings.js";
import { FakeClock } from "./support/time/fake-clock.js";

describe("settlesWithin", () => {
  it("reports whether a promise settles in time, well or not, and leaves no timer", async () => {
    const clock = new FakeClock();
    const never = settlesWithin(clock, 100, new Promise(() => undefined));
    expect(await settlesWithin(clock, 100, Promise.resolve())).to.equal(true);
    expect(await settlesWithin(clock, 100, Promise.reject(new Error("x")))).to.equal(true);
    await clock.advance(100);

    expect(await never).to.equal(false);
    expect(clock.pendingTimers).to.equal(0);
  });
});

describe("pause", () => {
  it("reports whether it lasted", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const whole = pause(clock, 100, stop.signal);
    await clock.advance(100);
    const cut = pause(clock, 100, stop.signal);
    stop.abort();

    expect([await whole, await cut, await pause(clock, 100, stop.signal)]).to.deep.equal([true, false, false]);
    expect(clock.pendingTimers).to.equal(0);
  });
});

describe("anyAbort", () => {
  it("follows the first signal, with its reason", async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const any = anyAbort([one.signal, two.signal]);
    two.abort(new Error("two"));
    await any.aborted;

    expect(String(any.signal.reason)).to.include("two");
  });

  it("is aborted from the start where one of them is", async () => {
    const any = anyAbort([AbortSignal.abort()]);
    await any.aborted;
    expect(any.signal.aborted).to.equal(true);
  });

  it("lets go", () => {
    const one = new AbortController();
    const any = anyAbort([one.signal]);
    any.dispose();
    one.abort();

    expect(any.signal.aborted).to.equal(false);
  });
});

describe("pacer", () => {
  it("is due after its slice, and not after a turn", async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(clock);
    expect(pacer.due).to.equal(false);
    await clock.advance(SLICE_MS);
    expect(pacer.due).to.equal(true);
    await pacer.yieldOnce();
    expect(pacer.due).to.equal(false);
  });

  it("lets others run in its turn", async () => {
    const order: string[] = [];
    setImmediate(() => order.push("other"));
    await new Pacer(new FakeClock()).yieldOnce();
    order.push("pacer");
    expect(order).to.deep.equal(["other", "pacer"]);
  });
});
