import { expect } from "chai";
import { describe, it } from "mocha";
import { direct, withCallDeadline } from "../../../src/providers/layers/deadlines-and-retries.js";
import { withRateLimit } from "../../../src/providers/layers/limiter.js";
import { CLOUD_CALL_SECONDS } from "../../../src/timings.js";
import { errorOf } from "../../support/http-rig.js";
import { callOf, failure } from "../support.js";
import { Rig } from "./limiter-rig.js";

const LONG = failure({ kind: "RateLimited", outcome: "refused", retryAfterSeconds: 7_200 });

describe("the pause that an API asks for", () => {
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
    const end = rig.limiter.longWait("assignment")?.until;
    const second = errorOf(run(callOf(), () => Promise.reject(LONG)));
    await rig.clock.advance(60_000);
    expect(`${await second}`).to.equal(`${first}`);
    expect(`${first}`).to.contain("holds the account's calls until 2025-01-01T01:00:00Z");
    expect(await second).to.include({ retryAfterSeconds: 45 });
    expect(rig.limiter.longWait("assignment")).to.include({ until: end, paused: true });
    const third = rig.ask(callOf());
    await rig.clock.advance(59_000);
    expect(rig.sent).to.have.length(0);
    await rig.clock.advance(1_000);
    await third;
  });

  it("counts as long if the API refuses each try after a short one, until it answers", async () => {
    const rig = new Rig();
    const run = withRateLimit(rig.limiter, rig.clock)(direct);
    const refusal = () =>
      errorOf(
        run(callOf(), () => Promise.reject(failure({ kind: "RateLimited", outcome: "refused", retryAfterSeconds: 2 }))),
      );
    for (let tries = 0; tries < 3; tries++) {
      expect(rig.limiter.longWait("assignment"), `after ${tries}`).to.equal(undefined);
      await refusal();
      await rig.clock.advance(2_000);
    }
    await refusal();
    expect(rig.limiter.longWait("assignment")).to.deep.equal({ calls: 0, until: rig.clock.now() + 2_000 });
    await rig.clock.advance(2_000);
    await rig.ask(callOf());
    expect(rig.limiter.longWait("assignment")).to.equal(undefined);
  });

  it("names no time while one call tests whether the pause is over, and no wait if no other call waits", async () => {
    const rig = new Rig();
    const run = withRateLimit(rig.limiter, rig.clock)(direct);
    const refusal = failure({ kind: "RateLimited", outcome: "refused", retryAfterSeconds: 5 });
    await errorOf(run(callOf(), () => Promise.reject(refusal)));
    const until = rig.clock.now() + 5_000;
    expect(rig.limiter.longWait("assignment")).to.deep.equal({ calls: 0, until });
    await rig.clock.advance(5_000);
    let answer = () => {};
    const first = run(callOf("first"), () => new Promise<void>((resolve) => (answer = resolve)));
    await rig.clock.advance(3_000);
    expect(rig.limiter.longWait("assignment")).to.equal(undefined);
    const other = rig.ask(callOf("other"));
    expect(rig.limiter.longWait("assignment")).to.deep.equal({ calls: 1 });
    answer();
    await Promise.all([first, other]);
    expect(rig.limiter.longWait("assignment")).to.equal(undefined);
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
});
