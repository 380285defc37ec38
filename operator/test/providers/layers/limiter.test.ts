import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { direct, withCallDeadline } from "../../../src/providers/layers/deadlines-and-retries.js";
import { withRateLimit } from "../../../src/providers/layers/limiter.js";
import { ReportedBudget } from "../../../src/providers/layers/rate-windows.js";
import { CLOUD_CALL_SECONDS } from "../../../src/timings.js";
import { errorOf } from "../../support/http-rig.js";
import { callOf } from "../support.js";
import { Rig } from "./limiter-rig.js";

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
    expect(rig.limiter.longWait("assignment")).to.equal(undefined);
    await rig.ask(callOf());
    const waiting = [rig.ask(callOf()), rig.ask(callOf())];
    expect(rig.limiter.longWait("assignment")).to.deep.equal({ calls: 2, until: rig.clock.now() + 61_000 });
    await rig.clock.advance(58_000);
    expect(rig.limiter.longWait("assignment")).to.equal(undefined);
    await rig.clock.advance(120_000);
    await Promise.all(waiting);
  });

  it("reports the wait of changes of records, which leave a share of each limit to moves", async () => {
    const rig = new Rig([{ calls: 10, seconds: 60 }]);
    await Promise.all(Array.from({ length: 8 }, () => rig.ask(callOf("web", { priority: "records" }))));
    const until = rig.clock.now() + 61_000;
    expect([rig.limiter.longWait("assignment"), rig.limiter.longWait("records")]).to.deep.equal([
      undefined,
      { calls: 0, until },
    ]);
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
