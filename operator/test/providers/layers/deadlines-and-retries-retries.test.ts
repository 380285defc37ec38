import { expect } from "chai";
import { describe, it } from "mocha";
import { Redactor } from "../../../src/logging.js";
import type { CallRunner } from "../../../src/providers/call.js";
import { type Credentials, fixedToken, PushedToken } from "../../../src/providers/credentials.js";
import { ProviderError, type ProviderErrorProps } from "../../../src/providers/errors.js";
import { direct, withRetries } from "../../../src/providers/layers/deadlines-and-retries.js";
import { RateLimiter, withRateLimit } from "../../../src/providers/layers/limiter.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { callOf, failure } from "../support.js";

/** Fails with these in turn, then answers. */
function flaky(...failures: readonly Partial<ProviderErrorProps>[]) {
  const left = [...failures];
  const sent: number[] = [];
  const send = (clock: FakeClock) => () => {
    sent.push(clock.monotonic());
    const next = left.shift();
    return next === undefined ? Promise.resolve("answer") : Promise.reject(failure(next));
  };
  return { sent, send };
}

describe("retries", () => {
  const clock = new FakeClock();
  const fixed = fixedToken("first-token", new Redactor());
  const runner = (credentials: Credentials = fixed): CallRunner =>
    withRetries({ clock, random: () => 0, credentials })(direct);

  async function run(work: Promise<unknown>) {
    const settled = work.then(
      (value) => value,
      (error: unknown) => error,
    );
    await clock.advance(120_000);
    return settled;
  }

  it("send a failed read again until it works", async () => {
    const { sent, send } = flaky({ retrySafe: true }, { retrySafe: true });
    expect(await run(runner()(callOf(), send(clock)))).to.equal("answer");
    expect(sent).to.have.length(3);
  });

  it("never repeat a write whose outcome is unknown", async () => {
    const { sent, send } = flaky({ outcome: "unknown" });
    expect(await run(runner()(callOf("web", { write: true, repeatable: false }), send(clock)))).to.be.instanceOf(
      ProviderError,
    );
    expect(sent).to.have.length(1);
  });

  it("end with an unknown outcome once an attempt did, whatever the last one says", async () => {
    const { send } = flaky({ outcome: "unknown", retrySafe: true }, { outcome: "not-sent", reason: "CircuitOpen" });
    const error = await run(runner()(callOf("web", { write: true, repeatable: true }), send(clock)));
    expect(error).to.include({ outcome: "unknown", reason: "CircuitOpen", retrySafe: true });
  });

  it("repeat any call that was refused for its rate, not before the API asks", async () => {
    const { sent, send } = flaky({ kind: "RateLimited", outcome: "refused", retryAfterSeconds: 7 });
    await run(runner()(callOf("web", { write: true, repeatable: false }), send(clock)));
    expect((sent[1] ?? 0) - (sent[0] ?? 0)).to.be.at.least(7_000);
  });

  it("of an outage are not fewer because the API had asked for a pause before", async () => {
    const paused = { kind: "RateLimited", outcome: "refused", retryAfterSeconds: 16 } as const;
    const { sent, send } = flaky(paused, { kind: "Unavailable", retrySafe: true });
    expect(await run(runner()(callOf(), send(clock)))).to.equal("answer");
    expect(sent).to.have.length(3);
  });

  it("that come too late for a decision without a check end as the API said", async () => {
    const limiter = new RateLimiter(clock, []);
    const limited = withRateLimit(limiter, clock)(direct);
    const { sent, send } = flaky({ kind: "RateLimited", outcome: "refused", retryAfterSeconds: 7 });
    const call = callOf("web", { write: true, repeatable: false, startedAt: clock.monotonic() });
    const ended = withRetries({ clock, random: () => 0, credentials: fixed })(limited)(call, send(clock));
    expect(await run(ended)).to.deep.include({ kind: "RateLimited" });
    expect(sent).to.have.length(1);
  });

  it("are superseded where the check of the decision says so", async () => {
    const limited = withRateLimit(new RateLimiter(clock, []), clock)(direct);
    const { sent, send } = flaky({ outcome: "refused" });
    const call = callOf("web", { write: true, repeatable: false });
    const recheck = () => (sent.length === 0 ? undefined : "the node has changed");
    const asked = { ...call, context: { ...call.context, recheck } };
    const ended = withRetries({ clock, random: () => 0, credentials: fixed })(limited)(asked, send(clock));
    expect(await run(ended)).to.deep.include({ reason: "Superseded", outcome: "not-sent" });
    expect(sent).to.have.length(1);
  });

  it("leave long waits to the caller", async () => {
    const { sent, send } = flaky({ kind: "RateLimited", outcome: "refused", retryAfterSeconds: 1_000 });
    await run(runner()(callOf(), send(clock)));
    expect(sent).to.have.length(1);
  });

  it("give up after four attempts", async () => {
    const { sent, send } = flaky(...Array.from({ length: 9 }, () => ({ retrySafe: true })));
    expect(await run(runner()(callOf(), send(clock)))).to.be.instanceOf(ProviderError);
    expect(sent).to.have.length(4);
  });

  it("end after two attempts without an answer: the caller reports that, and a later call may be answered", async () => {
    const sent: number[] = [];
    const silent = async () => {
      sent.push(clock.monotonic());
      await clock.sleep(15_000);
      throw failure({ retrySafe: true });
    };
    expect(await run(runner()(callOf(), silent))).to.be.instanceOf(ProviderError);
    expect(sent).to.have.length(2);
  });

  it("repeat a call after one slow answer", async () => {
    const { sent, send } = flaky({ retrySafe: true });
    const slowFirst = () => (sent.length === 0 ? clock.sleep(15_000).then(send(clock)) : send(clock)());
    expect(await run(runner()(callOf(), slowFirst))).to.equal("answer");
    expect(sent).to.have.length(2);
  });

  for (const kind of ["NotFound", "Conflict", "Terminal", "QuotaExceeded"] as const) {
    it(`do not repeat ${kind}`, async () => {
      const { sent, send } = flaky({ kind, outcome: "refused" });
      await run(runner()(callOf(), send(clock)));
      expect(sent).to.have.length(1);
    });
  }

  it("try once more with a renewed token, at once", async () => {
    const { sent, send } = flaky({ kind: "Unauthorized", outcome: "refused" });
    const rotated = new PushedToken(new Redactor());
    rotated.set("first-token");
    const renewing = { token: () => rotated.token(), renew: () => rotated.set("second-token"), place: () => "" };
    expect(await run(runner(renewing)(callOf(), send(clock)))).to.equal("answer");
    expect(sent).to.have.length(2);
  });

  it("try once more if the token was replaced while the call was under way, by any caller", async () => {
    const { sent, send } = flaky({ kind: "Unauthorized", outcome: "refused" });
    const pushed = new PushedToken(new Redactor());
    pushed.set("first-token");
    const refused = send(clock);
    const slow = () => {
      pushed.set("second-token");
      pushed.token();
      return refused();
    };
    expect(await run(runner(pushed)(callOf(), slow))).to.equal("answer");
    expect(sent).to.have.length(2);
  });

  it("try one other token, and no third", async () => {
    const { sent, send } = flaky(...Array.from({ length: 5 }, () => ({ kind: "Unauthorized" as const })));
    const pushed = new PushedToken(new Redactor());
    pushed.set("token-0");
    const endless = { token: () => pushed.token(), renew: () => pushed.set(`token-${sent.length}`), place: () => "" };
    expect(await run(runner(endless)(callOf(), send(clock)))).to.deep.include({ kind: "Unauthorized" });
    expect(sent).to.have.length(2);
  });

  it("send nothing while calls rest", async () => {
    const { sent, send } = flaky({ outcome: "not-sent", reason: "CircuitOpen" });
    expect(await run(runner()(callOf(), send(clock)))).to.deep.include({ reason: "CircuitOpen" });
    expect(sent).to.have.length(1);
  });

  it("do not try the same token again", async () => {
    const { sent, send } = flaky({ kind: "Unauthorized", outcome: "refused" });
    expect(await run(runner()(callOf(), send(clock)))).to.be.instanceOf(ProviderError);
    expect(sent).to.have.length(1);
  });
});
