import { readFileSync } from "node:fs";
import { expect } from "chai";
import { describe, it } from "mocha";
import { CONNECT_TIMEOUT, PROXY_REFUSED } from "../../../src/http/connector.js";
import { Redactor } from "../../../src/logging.js";
import { fixedToken } from "../../../src/providers/credentials.js";
import { brokenError } from "../../../src/providers/errors.js";
import {
  direct,
  withAttemptDeadline,
  withCallDeadline,
  withFence,
  withRetries,
} from "../../../src/providers/layers/deadlines-and-retries.js";
import { LeaseFence, NotLeaderError } from "../../../src/runtime/fence.js";
import { CLOUD_ATTEMPT_SECONDS, SECOND_MS } from "../../../src/timings.js";
import { errorOf } from "../../support/http-rig.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { callOf, failure } from "../support.js";

const NAMES = { title: "Cloud", tokenVariable: "TOKEN", urlVariable: "URL" };

function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

describe("deadlines", () => {
  it("end an attempt that hangs, with an unknown outcome for a write", async () => {
    const clock = new FakeClock();
    const run = withAttemptDeadline(clock, 15)(direct);
    const work = errorOf(run(callOf("web", { write: true, repeatable: false }), ({ signal }) => hang(signal)));
    await clock.advance(15_000);

    expect(await work).to.deep.include({ reason: "DeadlineExceeded", outcome: "unknown", retrySafe: false });
    expect(clock.pendingTimers).to.equal(0);
  });

  it("of one attempt are 15 s, as the message and the pages say", async () => {
    const clock = new FakeClock();
    const work = errorOf(withAttemptDeadline(clock)(direct)(callOf(), ({ signal }) => hang(signal)));
    await clock.advance(CLOUD_ATTEMPT_SECONDS * SECOND_MS);
    expect(String(await work)).to.include(`no complete answer within ${CLOUD_ATTEMPT_SECONDS} s`);
    for (const page of [
      "explanation/cached-state",
      "explanation/calls",
      "how-to/troubleshoot",
      "reference/conditions",
    ]) {
      const text = readFileSync(new URL(`../../../../docs/${page}.md`, import.meta.url), "utf8");
      expect(text, page).to.match(new RegExp(`(answer|attempt)[^.]* ${CLOUD_ATTEMPT_SECONDS} s`));
    }
  });

  it("end a call while it waits between attempts", async () => {
    const clock = new FakeClock();
    const retries = withRetries({ clock, random: () => 0, credentials: fixedToken("first-token", new Redactor()) });
    const run = withCallDeadline(clock, 10)(retries(direct));
    const refused = failure({ kind: "RateLimited", outcome: "refused", retryAfterSeconds: 8 });
    const work = errorOf(run(callOf(), () => Promise.reject(refused)));
    await clock.advance(10_000);

    // The second wait would end after the deadline: the refusal is returned at once.
    expect(await work).to.equal(refused);
    expect(clock.monotonic()).to.equal(10_000);
  });
});

describe("calls without an answer", () => {
  const broken = (error: unknown) => brokenError(callOf("web", { write: true, repeatable: false }), error, NAMES);
  const coded = (code: string) => Object.assign(new Error(code), { code });

  it("were not sent where no connection came about, wherever the code stands", () => {
    const errors = [
      coded(CONNECT_TIMEOUT),
      coded(PROXY_REFUSED),
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

  it("lets a write go on while the lease is renewed", async () => {
    const { clock, fence, run } = rig();
    fence.extendTo(clock.monotonic() + 10_000);
    let ended = false;
    const work = errorOf(run(write, ({ signal }) => hang(signal))).finally(() => {
      ended = true;
    });
    await clock.advance(4_000);
    fence.extendTo(clock.monotonic() + 10_000);
    await clock.advance(7_999);
    expect(ended).to.equal(false);
    await clock.advance(1);
    expect(await work).to.deep.include({ reason: "LeaseEnding" });
    expect(clock.pendingTimers).to.equal(0);
  });

  it("leaves a write to the deadline of its attempt where the lease is held for longer", async () => {
    const { clock, fence, run } = rig();
    fence.extendTo(clock.monotonic() + 60_000);

    expect(await run(write, () => Promise.resolve(clock.pendingTimers))).to.equal(0);
  });
});
