import { expect } from "chai";
import { describe, it } from "mocha";
import { direct } from "../../../src/providers/layers/direct.js";
import { withFence } from "../../../src/providers/layers/fenced.js";
import { LeaseFence, NotLeaderError } from "../../../src/runtime/fence.js";
import { FakeClock } from "../../support/fake-clock.js";
import { errorOf } from "../../support/http-rig.js";
import { callOf } from "../support.js";

function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

describe("the fence", () => {
  function rig() {
    const clock = new FakeClock();
    const fence = new LeaseFence(clock);
    return { clock, fence, run: withFence(fence, clock)(direct) };
  }
  const write = callOf("web", { write: true, repeatable: false });

  it("sends no write without the lease, and every read", async () => {
    const { run } = rig();
    let sent = 0;
    const send = () => Promise.resolve(++sent);

    expect(await errorOf(run(write, send))).to.be.instanceOf(NotLeaderError);
    await run(callOf(), send);
    expect(sent).to.equal(1);
  });

  it("ends a write before the lease can be lost", async () => {
    const { clock, fence, run } = rig();
    fence.extendTo(clock.monotonic() + 10_000);
    const work = errorOf(run(write, ({ signal }) => hang(signal)));
    await clock.advance(8_000);

    expect(await work).to.deep.include({ reason: "LeaseEnding", outcome: "unknown" });
    expect(String(await work)).to.match(/lease was sure to be held; .*Kubernetes API server/);
    expect(clock.pendingTimers).to.equal(0);
  });

  it("leaves a write to the deadline of its attempt where the lease is held for longer", async () => {
    const { clock, fence, run } = rig();
    fence.extendTo(clock.monotonic() + 60_000);

    expect(await run(write, () => Promise.resolve(clock.pendingTimers))).to.equal(0);
  });
});
