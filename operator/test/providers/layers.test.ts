import { expect } from "chai";
import { describe, it } from "mocha";
import { flipopMetrics } from "../../src/metrics/flipop.js";
import { MetricsRegistry } from "../../src/metrics/registry.js";
import type { CallRunner } from "../../src/providers/call.js";
import { CircuitBreaker, withCircuitBreaker } from "../../src/providers/circuit-breaker.js";
import { type Credentials, fixedToken, PushedToken } from "../../src/providers/credentials.js";
import { withAttemptDeadline, withCallDeadline } from "../../src/providers/deadlines.js";
import { direct } from "../../src/providers/direct.js";
import { ProviderError, type ProviderErrorProps } from "../../src/providers/errors.js";
import { withFence } from "../../src/providers/fenced.js";
import { withMetrics } from "../../src/providers/metered.js";
import { brokenError } from "../../src/providers/network-errors.js";
import { withRetries } from "../../src/providers/retrying.js";
import { Redactor } from "../../src/redactor.js";
import { LeaseFence, NotLeaderError } from "../../src/runtime/fence.js";
import { FakeClock } from "../support/fake-clock.js";
import { errorOf } from "../support/http-rig.js";
import { callOf, failure } from "./support.js";

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

  it("never repeat a write whose outcome nobody knows", async () => {
    const { sent, send } = flaky({ outcome: "unknown" });
    expect(await run(runner()(callOf("web", { write: true, repeatable: false }), send(clock)))).to.be.instanceOf(
      ProviderError,
    );
    expect(sent).to.have.length(1);
  });

  it("repeat any call that was refused for its rate, not before the API asks", async () => {
    const { sent, send } = flaky({ kind: "RateLimited", outcome: "refused", retryAfterSeconds: 7 });
    await run(runner()(callOf("web", { write: true, repeatable: false }), send(clock)));
    expect((sent[1] ?? 0) - (sent[0] ?? 0)).to.be.at.least(7_000);
  });

  it("leave long waits to whoever asked", async () => {
    const { sent, send } = flaky({ kind: "RateLimited", outcome: "refused", retryAfterSeconds: 1_000 });
    await run(runner()(callOf(), send(clock)));
    expect(sent).to.have.length(1);
  });

  it("give up after four attempts", async () => {
    const { sent, send } = flaky(...Array.from({ length: 9 }, () => ({ retrySafe: true })));
    expect(await run(runner()(callOf(), send(clock)))).to.be.instanceOf(ProviderError);
    expect(sent).to.have.length(4);
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
    const renewing = { token: () => rotated.token(), renew: () => rotated.set("second-token") };
    expect(await run(runner(renewing)(callOf(), send(clock)))).to.equal("answer");
    expect(sent).to.have.length(2);
  });

  it("try once more where the token was replaced while the call was under way, whoever has used it since", async () => {
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
    const endless = { token: () => pushed.token(), renew: () => pushed.set(`token-${sent.length}`) };
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

describe("deadlines", () => {
  it("end an attempt that hangs, with an unknown outcome for a write", async () => {
    const clock = new FakeClock();
    const run = withAttemptDeadline(clock, 15)(direct);
    const work = errorOf(run(callOf("web", { write: true, repeatable: false }), ({ signal }) => hang(signal)));
    await clock.advance(15_000);

    expect(await work).to.deep.include({ reason: "DeadlineExceeded", outcome: "unknown", retrySafe: false });
    expect(clock.pendingTimers).to.equal(0);
  });

  it("end a call while it waits between attempts", async () => {
    const clock = new FakeClock();
    const retries = withRetries({ clock, random: () => 0, credentials: fixedToken("first-token", new Redactor()) });
    const run = withCallDeadline(clock, 10)(retries(direct));
    const refused = failure({ kind: "RateLimited", outcome: "refused", retryAfterSeconds: 8 });
    const work = errorOf(run(callOf(), () => Promise.reject(refused)));
    await clock.advance(10_000);

    // The second wait would end after the deadline: the refusal is told at once.
    expect(await work).to.equal(refused);
    expect(clock.monotonic()).to.equal(10_000);
  });
});

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

    expect(await work).to.deep.include({ reason: "DeadlineExceeded", outcome: "unknown" });
  });
});

describe("provider metrics", () => {
  it("count and time each attempt with who asked", async () => {
    const clock = new FakeClock();
    const registry = new MetricsRegistry();
    const run = withMetrics(flipopMetrics(registry), clock)(direct);
    await run(callOf(), () => Promise.resolve("answer"));
    await errorOf(run(callOf(), () => Promise.reject(failure())));
    const text = await registry.text();

    const labels = 'provider="cloud",call="IPToProviderID",kind="FloatingIPPool",namespace="apps",name="web"';
    expect(text).to.include(`flipop_providers_calls_total{${labels},outcome="success"} 1`);
    expect(text).to.include(`flipop_providers_calls_total{${labels},outcome="error"} 1`);
    expect(text).to.include(`flipop_providers_call_duration_seconds_count{${labels}} 2`);
  });
});

describe("calls without an answer", () => {
  const names = { title: "Cloud", tokenVariable: "TOKEN", urlVariable: "URL" };
  const broken = (error: unknown) => brokenError(callOf("web", { write: true, repeatable: false }), error, names);
  const coded = (code: string) => Object.assign(new Error(code), { code });

  it("were not sent where no connection came about, wherever the code stands", () => {
    const errors = [
      coded("UND_ERR_CONNECT_TIMEOUT"),
      new TypeError("fetch failed", { cause: coded("ECONNREFUSED") }),
      new AggregateError([coded("EHOSTUNREACH"), coded("ECONNREFUSED")]),
    ];
    for (const error of errors) expect(broken(error), error.message).to.deep.include({ outcome: "not-sent" });
  });

  it("may have been processed where it broke later", () => {
    expect(broken(coded("ECONNRESET"))).to.deep.include({ outcome: "unknown", retrySafe: false });
  });
});

describe("the innermost runner", () => {
  it("turns a fault of ours into a ProviderError that says so", async () => {
    const error = await errorOf(direct(callOf(), () => Promise.reject(new TypeError("x is not a function"))));

    expect(error).to.deep.include({ kind: "Unavailable", outcome: "unknown" });
    expect(String(error)).to.include("report this as a fault of the operator");
  });
});

function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}
