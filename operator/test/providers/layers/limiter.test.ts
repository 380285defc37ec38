import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { CLOUD_CALL_SECONDS } from "../../../src/bounds.js";
import type { ApiCall, CallPriority, RateFacts } from "../../../src/providers/call.js";
import { direct, withCallDeadline } from "../../../src/providers/layers/attempt.js";
import { RateLimiter, withRateLimit } from "../../../src/providers/layers/limiter.js";
import { ReportedBudget } from "../../../src/providers/layers/rate-limits.js";
import { errorOf } from "../../support/http-rig.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { callOf, failure } from "../support.js";

const LIMITS = [
  { calls: 250, seconds: 60 },
  { calls: 5_000, seconds: 3_600 },
];

const LONG = failure({ kind: "RateLimited", outcome: "refused", retryAfterSeconds: 7_200 });

class Rig {
  readonly clock = new FakeClock();
  readonly limiter: RateLimiter;
  readonly sent: { readonly at: number; readonly name: string; readonly priority: CallPriority }[] = [];

  constructor(limits = LIMITS) {
    this.limiter = new RateLimiter(this.clock, limits);
  }

  ask(call: ApiCall, facts?: RateFacts): Promise<void> {
    const run = withRateLimit(this.limiter, this.clock)(direct);
    return run(call, async (attempt) => {
      const { requester, priority } = call.context;
      this.sent.push({ at: this.clock.monotonic(), name: requester.name, priority });
      if (facts !== undefined) attempt.sawLimit(facts);
    });
  }

  /** Calls within any `seconds`, at most. */
  densest(seconds: number): number {
    return Math.max(
      0,
      ...this.sent.map(
        ({ at }) => this.sent.filter((other) => other.at >= at && other.at < at + seconds * 1000).length,
      ),
    );
  }
}

describe("the rate limiter", () => {
  it("lets no window of the API see more than its limit, and everybody gets through", async () => {
    const rig = new Rig([
      { calls: 10, seconds: 60 },
      { calls: 25, seconds: 600 },
    ]);
    const asks = Array.from({ length: 60 }, (_, index) =>
      rig.ask(callOf(`pool-${index % 7}`, { priority: index % 3 === 0 ? "check" : "assignment" })),
    );
    await rig.clock.advance(3_600_000);
    await Promise.all(asks);

    expect(rig.sent).to.have.length(60);
    expect(rig.densest(60)).to.be.at.most(10);
    expect(rig.densest(600)).to.be.at.most(25);
  });

  it("keeps under the limit for any pattern of calls", async () => {
    const waits = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 5, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(waits, fc.integer({ min: 1, max: 6 }), async (pauses, calls) => {
        const rig = new Rig([{ calls, seconds: 60 }]);
        const asks: Promise<void>[] = [];
        for (const seconds of pauses) {
          asks.push(rig.ask(callOf()));
          await rig.clock.advance(seconds * 1000);
        }
        await rig.clock.advance(pauses.length * 61_000);
        await Promise.all(asks);
        expect(rig.densest(60)).to.be.at.most(calls);
      }),
      { numRuns: 15 },
    );
  });

  it("leaves a share to each more urgent class: no other class can use everything up", async () => {
    const rig = new Rig([{ calls: 10, seconds: 60 }]);
    const checks = Array.from({ length: 20 }, () => rig.ask(callOf()));
    await rig.clock.flush();
    expect(rig.sent).to.have.length(6);
    const records = [1, 2, 3].map(() => rig.ask(callOf("web", { priority: "records" })));
    await rig.clock.flush();
    expect(rig.sent).to.have.length(8);

    const assignments = [1, 2].map(() => rig.ask(callOf("web", { priority: "assignment" })));
    await rig.clock.flush();

    expect(rig.sent.slice(8).map(({ priority }) => priority)).to.deep.equal(["assignment", "assignment"]);
    await rig.clock.advance(600_000);
    await Promise.all([...checks, ...records, ...assignments]);
  });

  it("sends assignments before checks that came earlier", async () => {
    const rig = new Rig([{ calls: 1, seconds: 10 }]);
    const asks = [
      rig.ask(callOf("first")),
      rig.ask(callOf("check")),
      rig.ask(callOf("move", { priority: "assignment" })),
    ];
    await rig.clock.advance(60_000);
    await Promise.all(asks);

    expect(rig.sent.map(({ name }) => name)).to.deep.equal(["first", "move", "check"]);
  });

  it("gives each resource its turn, however many calls one of them makes", async () => {
    const rig = new Rig([{ calls: 1, seconds: 10 }]);
    const asks = ["big", "big", "big", "big", "small"].map((name) => rig.ask(callOf(name)));
    await rig.clock.advance(120_000);
    await Promise.all(asks);

    expect(rig.sent.map(({ name }) => name)).to.deep.equal(["big", "big", "small", "big", "big"]);
  });

  it("believes the answers when others use the account too", async () => {
    const rig = new Rig();
    await rig.ask(callOf(), { limit: 5_000, remaining: 2_001 });
    await rig.ask(callOf(), { limit: 5_000, remaining: 2_000 });
    const check = rig.ask(callOf("check"));
    const move = rig.ask(callOf("move", { priority: "assignment" }));
    await rig.clock.flush();

    expect(rig.sent.map(({ name }) => name)).to.deep.equal(["web", "web", "move"]);
    await rig.clock.advance(10_000);
    await Promise.all([check, move]);
  });

  it("waits for the time that an answer names when nothing is left", async () => {
    const rig = new Rig();
    await rig.ask(callOf(), { limit: 5_000, remaining: 0, resetAt: rig.clock.now() + 30_000 });
    const asked = rig.ask(callOf("move", { priority: "assignment" }));

    await rig.clock.advance(29_000);
    expect(rig.sent).to.have.length(1);
    await rig.clock.advance(2_000);
    await asked;
  });

  it("waits as long as a refusal asks, for every caller", async () => {
    const rig = new Rig();
    const run = withRateLimit(rig.limiter, rig.clock)(direct);
    const refused = failure({ kind: "RateLimited", outcome: "refused", retryAfterSeconds: 20 });
    await errorOf(run(callOf(), () => Promise.reject(refused)));
    const asked = rig.ask(callOf("move", { priority: "assignment" }));

    await rig.clock.advance(19_000);
    expect(rig.sent).to.have.length(0);
    await rig.clock.advance(2_000);
    await asked;
  });

  it("waits for the longest of several refusals, an hour at most", async () => {
    const rig = new Rig();
    rig.limiter.refused(60);
    rig.limiter.refused(5);
    const first = rig.ask(callOf());
    await rig.clock.advance(59_000);
    expect(rig.sent).to.have.length(0);
    await rig.clock.advance(1_000);
    await first;
    rig.limiter.refused(1_000_000);
    const second = rig.ask(callOf());
    await rig.clock.advance(3_600_000);
    await second;
  });

  it("makes one call a minute during a longer pause, a move first, and lets all go when one is answered", async () => {
    const rig = new Rig();
    await errorOf(withRateLimit(rig.limiter, rig.clock)(direct)(callOf(), () => Promise.reject(LONG)));
    const [check, move] = [rig.ask(callOf("check")), rig.ask(callOf("move", { priority: "assignment" }))];
    await rig.clock.advance(59_000);
    expect(rig.sent).to.have.length(0);
    await rig.clock.advance(1_000);
    await Promise.all([check, move]);
    expect(rig.sent.map(({ name, at }) => [name, at])).to.deep.equal([
      ["move", 60_000],
      ["check", 60_000],
    ]);
  });

  it("waits for another minute when that call is refused, too, and names the same end", async () => {
    const rig = new Rig();
    const run = withRateLimit(rig.limiter, rig.clock)(direct);
    const first = await errorOf(run(callOf(), () => Promise.reject(LONG)));
    const end = rig.limiter.longWait?.until;
    const second = errorOf(run(callOf(), () => Promise.reject(LONG)));
    await rig.clock.advance(60_000);
    expect(`${await second}`).to.equal(`${first}`);
    expect(`${first}`).to.contain("holds the account's calls until 2025-01-01T01:00:00Z");
    expect(await second).to.include({ retryAfterSeconds: 45 });
    expect(rig.limiter.longWait).to.include({ until: end, paused: true });
    const third = rig.ask(callOf());
    await rig.clock.advance(59_000);
    expect(rig.sent).to.have.length(0);
    await rig.clock.advance(1_000);
    await third;
  });

  it("sends one call alone after a pause, and the others when it is answered", async () => {
    const rig = new Rig();
    rig.limiter.refused(20);
    const run = withRateLimit(rig.limiter, rig.clock)(direct);
    let answer = () => {};
    const first = run(callOf("first"), () => new Promise<void>((resolve) => (answer = resolve)));
    const others = [1, 2, 3].map((number) => rig.ask(callOf(`other-${number}`)));
    await rig.clock.advance(25_000);
    expect(rig.sent).to.have.length(0);
    const move = rig.ask(callOf("move", { priority: "assignment" }));
    await rig.clock.flush();
    expect(rig.sent[0], "a move does not wait for it").to.include({ name: "move" });
    answer();
    await Promise.all([first, move, ...others]);
    expect(rig.sent).to.have.length(4);
  });

  it("holds back only the calls that the API refuses while it answers others", async () => {
    const rig = new Rig();
    const run = withRateLimit(rig.limiter, rig.clock)(direct);
    const writeCall = () =>
      callOf("dns", {
        name: "EnsureDNSARecordSet",
        write: true,
        context: { ...callOf().context, recheck: () => undefined },
      });
    await errorOf(run(writeCall(), () => Promise.reject(LONG)));
    const move = rig.ask(callOf("move", { priority: "assignment" }));
    await rig.clock.advance(60_000);
    await move;
    const again = await errorOf(run(writeCall(), () => Promise.reject(LONG)));
    expect(again).to.include({ reason: "GroupLimit", outcome: "refused", retryAfterSeconds: 60 });
    expect(`${again}`).to.contain("holds such calls until 2025-01-01T01:00:00Z");
    await rig.ask(callOf("another move", { priority: "assignment" }));
    const held = await errorOf(rig.ask(writeCall()));
    expect(held).to.include({ kind: "RateLimited", reason: "GroupLimit", outcome: "not-sent", retryAfterSeconds: 60 });
    await rig.clock.advance(60_000);
    await rig.ask(writeCall());
    await rig.ask(writeCall());
    expect(rig.sent.map(({ name }) => name)).to.deep.equal(["move", "another move", "web", "web"]);
  });

  it("holds back no call of that sort once the API's time is over, however many come at once", async () => {
    const rig = new Rig();
    const run = withRateLimit(rig.limiter, rig.clock)(direct);
    const recheck = () => undefined;
    const write = (number: number) =>
      callOf(`dns-${number}`, { name: "EnsureDNSARecordSet", write: true, context: { ...callOf().context, recheck } });
    await errorOf(run(write(0), () => Promise.reject(LONG)));
    const move = rig.ask(callOf("move", { priority: "assignment" }));
    await rig.clock.advance(60_000);
    await move;
    await rig.clock.advance(2 * 3_600_000);
    await Promise.all([1, 2, 3].map((number) => rig.ask(write(number))));
    expect(rig.sent).to.have.length(4);
  });

  it("keeps the pause while nothing answers, and ends it at its time all the same", async () => {
    const rig = new Rig();
    rig.limiter.refused(90);
    const run = withRateLimit(rig.limiter, rig.clock)(direct);
    await rig.clock.advance(60_000);
    await errorOf(run(callOf(), () => Promise.reject(failure())));
    expect(rig.limiter.limitSeconds).to.equal(30);
    await rig.clock.advance(30_000);
    await errorOf(run(callOf(), () => Promise.reject(failure())));
    await Promise.all([rig.ask(callOf()), rig.ask(callOf())]);
  });

  it("says of a call that a long pause held back until its deadline when the pause ends", async () => {
    const rig = new Rig();
    const run = withCallDeadline(rig.clock)(withRateLimit(rig.limiter, rig.clock)(direct));
    rig.limiter.refused(1_000_000);
    const hangs = run(callOf("first"), () => new Promise<void>(() => undefined)).catch(() => undefined);
    const error = errorOf(run(callOf(), () => Promise.resolve()));
    await rig.clock.advance(CLOUD_CALL_SECONDS * 1_000);
    expect(await error).to.include({ kind: "RateLimited", outcome: "not-sent" });
    expect(`${await error}`).to.contain("the operator did not send the call; the provider's rate limit holds");
    void hangs;
  });

  it("keeps a second more than the window between calls, since one may be late on its way", async () => {
    const rig = new Rig([{ calls: 1, seconds: 10 }]);
    const asks = [rig.ask(callOf()), rig.ask(callOf())];
    await rig.clock.advance(20_000);
    await Promise.all(asks);
    expect(rig.sent.map(({ at }) => at)).to.deep.equal([0, 11_000]);
  });

  it("does not admit a caller who has given up before", async () => {
    const rig = new Rig([{ calls: 1, seconds: 60 }]);
    await rig.ask(callOf());
    const call = callOf();
    const signal = AbortSignal.abort(new Error("enough"));
    expect(await errorOf(rig.ask({ ...call, context: { ...call.context, signal } }))).to.include({
      reason: "Cancelled",
    });
    expect([rig.sent.length, rig.limiter.waiting]).to.deep.equal([1, 0]);
  });

  it("reports how many calls wait, and until when, once the wait is long", async () => {
    const rig = new Rig([{ calls: 1, seconds: 60 }]);
    expect(rig.limiter.longWait).to.equal(undefined);
    await rig.ask(callOf());
    const waiting = [rig.ask(callOf()), rig.ask(callOf())];
    expect(rig.limiter.longWait).to.deep.equal({ calls: 2, until: rig.clock.now() + 61_000 });
    await rig.clock.advance(58_000);
    expect(rig.limiter.longWait).to.equal(undefined);
    await rig.clock.advance(120_000);
    await Promise.all(waiting);
  });

  it("says of a call that ran out of time here that the limits of the account held it back", async () => {
    const rig = new Rig([{ calls: 1, seconds: 600 }]);
    await rig.ask(callOf());
    const run = withCallDeadline(rig.clock)(withRateLimit(rig.limiter, rig.clock)(direct));
    const error = errorOf(run(callOf(), () => Promise.resolve()));
    await rig.clock.advance(CLOUD_CALL_SECONDS * 1_000);
    expect(await error).to.include({ reason: "DeadlineExceeded", outcome: "not-sent" });
    expect(`${await error}`).to.match(
      /for 90 s it waited for the account's limits of calls and connections; the operator/,
    );
  });

  it("lets go of a caller that gives up, and leaves no timer", async () => {
    const rig = new Rig([{ calls: 1, seconds: 60 }]);
    await rig.ask(callOf());
    const controller = new AbortController();
    const call = callOf();
    const waiting = rig.ask({ ...call, context: { ...call.context, signal: controller.signal } });
    controller.abort(new Error("enough"));

    expect(await errorOf(waiting)).to.deep.include({ kind: "Unavailable", reason: "Cancelled", outcome: "not-sent" });
    expect(rig.limiter.waiting).to.equal(0);
    await rig.clock.advance(120_000);
    expect(rig.clock.pendingTimers).to.equal(0);
  });
});

describe("the budget that answers report", () => {
  const ROOMY = { limit: 100, remaining: 90 };

  it("goes by the call that was sent last, however late the answer of an earlier one comes", () => {
    const budget = new ReportedBudget(60);
    const [first, second] = [budget.take(0), budget.take(0)];
    budget.heard({ limit: 100, remaining: 5 }, second, 0);
    budget.heard(ROOMY, first, 0);
    expect(budget.waitMs(0, 0.2)).to.be.greaterThan(0);
  });

  it("counts what was sent after the call whose answer it is", () => {
    const budget = new ReportedBudget(60);
    const first = budget.take(0);
    budget.take(0);
    budget.heard({ limit: 100, remaining: 1 }, first, 0);
    expect(budget.waitMs(0, 0)).to.be.greaterThan(0);
  });

  it("never refills beyond the limit", () => {
    const budget = new ReportedBudget(60);
    budget.heard(ROOMY, budget.take(0), 0);
    for (let call = 0; call < 100; call++) budget.take(3_600_000);
    expect(budget.waitMs(3_600_000, 0)).to.be.greaterThan(0);
  });

  // A broken or hostile API: each of these once blocked the account until a restart.
  for (const facts of [
    { limit: 100, remaining: -1e15 },
    { limit: 1e-9, remaining: 0 },
    { limit: Number.POSITIVE_INFINITY, remaining: 0 },
    { limit: 100, remaining: Number.NaN },
  ]) {
    it(`lets the next call go within three windows after an answer with limit ${facts.limit}, remaining ${facts.remaining}`, () => {
      const budget = new ReportedBudget(60);
      budget.heard(facts, budget.take(0), 0);
      expect(budget.waitMs(0, 0)).to.be.at.most(180_000);
      expect(budget.waitMs(181_000, 0)).to.equal(0);
    });
  }
});
