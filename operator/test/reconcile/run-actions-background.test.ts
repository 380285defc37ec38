import { expect } from "chai";
import { describe, it } from "mocha";
import { Background } from "../../src/reconcile/run-actions.js";
import { FakeClock } from "../support/time/fake-clock.js";

describe("work in the background", () => {
  it("is waited for when the process drains, and aborted at the end", async () => {
    const clock = new FakeClock();
    const background = new Background(clock);
    const stop = new AbortController();
    const running = background.run(stop.signal);
    let finish: () => void = () => undefined;
    const work = background.start(
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
    );
    const early = background.drain(1_000);
    await clock.advance(1_000);
    expect(await early).to.equal(false);
    expect(background.over).to.equal(true);
    expect(background.signal.aborted).to.equal(false);
    stop.abort();
    expect(background.signal.aborted).to.equal(true);
    finish();
    await Promise.all([work, running]);
    expect(await background.drain(1_000)).to.equal(true);
  });
});
