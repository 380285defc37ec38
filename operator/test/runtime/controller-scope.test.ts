import { getEventListeners } from "node:events";
import { expect } from "chai";
import { describe, it } from "mocha";
import { Scope } from "../../src/runtime/controller.js";
import { FakeClock } from "../support/time/fake-clock.js";

function setUp() {
  const clock = new FakeClock();
  const parent = new AbortController();
  const make = () =>
    new Scope({
      clock,
      parent: parent.signal,
      deadlineMs: 1_000,
      graceMs: 100,
      onDeadline: () => new Error("too long"),
    });
  const leaks = () => ({ timers: clock.pendingTimers, listeners: getEventListeners(parent.signal, "abort").length });
  return { clock, parent, make, leaks };
}

describe("scope of a run", () => {
  it("leaves neither timer nor listener behind a run that ended", () => {
    const { make, leaks } = setUp();
    make().dispose();

    expect(leaks()).to.deep.equal({ timers: 0, listeners: 0 });
  });

  it("aborts at its deadline, and is given up a grace later", async () => {
    const { clock, make, leaks } = setUp();
    const scope = make();
    let givenUp = false;
    void scope.givenUp.then(() => {
      givenUp = true;
    });
    await clock.advance(1_000);
    expect([String(scope.signal.reason), givenUp]).to.deep.equal(["Error: too long", false]);
    await clock.advance(100);
    expect(givenUp).to.equal(true);
    scope.dispose();

    expect(leaks()).to.deep.equal({ timers: 0, listeners: 0 });
  });

  it("aborts with its parent, with the parent's reason, and cancels the deadline", async () => {
    const { clock, parent, make } = setUp();
    const scope = make();
    parent.abort(new Error("stop"));
    expect(String(scope.signal.reason)).to.equal("Error: stop");
    expect(clock.pendingTimers, "the grace alone").to.equal(1);
    scope.dispose();

    expect(clock.pendingTimers).to.equal(0);
  });

  it("is aborted from the start where its parent is", () => {
    const { parent, make } = setUp();
    parent.abort();

    expect(make().signal.aborted).to.equal(true);
  });
});
