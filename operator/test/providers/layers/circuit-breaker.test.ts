import { expect } from "chai";
import { describe, it } from "mocha";
import type { ProviderErrorProps } from "../../../src/providers/errors.js";
import { CircuitBreaker, withCircuitBreaker } from "../../../src/providers/layers/circuit-breaker.js";
import { direct } from "../../../src/providers/layers/direct.js";
import { FakeClock } from "../../support/fake-clock.js";
import { errorOf } from "../../support/http-rig.js";
import { callOf, failure } from "../support.js";

describe("the circuit breaker", () => {
  function rig() {
    const clock = new FakeClock();
    const breaker = new CircuitBreaker(clock, () => 0);
    const run = withCircuitBreaker(breaker)(direct);
    const fail = (props: Partial<ProviderErrorProps> = {}) =>
      errorOf(run(callOf(), () => Promise.reject(failure(props))));
    return { clock, run, fail };
  }

  it("opens after five failures in a row, and sends nothing then", async () => {
    const { run, fail } = rig();
    for (let count = 0; count < 5; count++) await fail();
    let sent = false;

    const error = await errorOf(
      run(callOf(), async () => {
        sent = true;
      }),
    );

    expect(error).to.deep.include({ kind: "Unavailable", reason: "CircuitOpen", outcome: "not-sent" });
    expect(sent).to.equal(false);
  });

  it("says the same however long it still rests: a status that shows it is not written again and again", async () => {
    const { clock, fail } = rig();
    for (let count = 0; count < 5; count++) await fail();
    const texts = new Set<string>();
    for (let second = 0; second < 4; second++) {
      texts.add(String(await fail()));
      await clock.advance(1_000);
    }
    expect([...texts]).to.have.length(1);
  });

  it("closes after a probe that works, and rests longer after one that fails", async () => {
    const { clock, run, fail } = rig();
    for (let count = 0; count < 5; count++) await fail();
    await clock.advance(5_000);
    expect(await fail()).to.deep.include({ seen: "answer 503" });
    await clock.advance(5_000);
    expect(await fail()).to.deep.include({ reason: "CircuitOpen" });
    await clock.advance(5_000);

    expect(await run(callOf(), () => Promise.resolve("answer"))).to.equal("answer");
    expect(await run(callOf(), () => Promise.resolve("answer"))).to.equal("answer");
  });

  it("rests no longer than at first when it opens again after it has closed", async () => {
    const { clock, run, fail } = rig();
    for (let count = 0; count < 5; count++) await fail();
    await clock.advance(5_000);
    await fail();
    await clock.advance(10_000);
    await run(callOf(), () => Promise.resolve("answer"));
    for (let count = 0; count < 5; count++) await fail();
    await clock.advance(5_000);
    expect(await fail()).to.deep.include({ seen: "answer 503" });
  });

  for (const [what, props] of Object.entries({
    "that was given up": { reason: "Cancelled" },
    "that was never sent for want of time": { reason: "DeadlineExceeded", outcome: "not-sent" },
    "that was never sent for want of the lease": { reason: "LeaseEnding", outcome: "not-sent" },
  } as const)) {
    it(`learns nothing from a call ${what}`, async () => {
      const { fail } = rig();
      for (let count = 0; count < 4; count++) await fail();
      await fail(props);
      expect(await fail()).to.deep.include({ seen: "answer 503" });
      expect(await fail()).to.deep.include({ reason: "CircuitOpen" });
    });
  }

  it("is not opened by refusals: they show that the API works", async () => {
    const { fail } = rig();
    for (let count = 0; count < 9; count++) await fail({ kind: "Conflict", outcome: "refused" });
    expect(await fail({ kind: "Conflict", outcome: "refused" })).to.deep.include({ kind: "Conflict" });
  });

  it("lets one probe through at a time", async () => {
    const { clock, run, fail } = rig();
    for (let count = 0; count < 5; count++) await fail();
    await clock.advance(5_000);
    const probe = run(callOf(), () => clock.sleep(1_000));

    expect(await fail()).to.deep.include({ reason: "CircuitOpen" });
    await clock.advance(1_000);
    await probe;
  });
});
