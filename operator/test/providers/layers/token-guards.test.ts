import { expect } from "chai";
import { describe, it } from "mocha";
import { fixedToken } from "../../../src/providers/credentials.js";
import { callStack } from "../../../src/providers/layers/compose.js";
import { TokenGuards } from "../../../src/providers/layers/token-guards.js";
import type { CallPriority } from "../../../src/providers/urgency.js";
import { Redactor } from "../../../src/redactor.js";
import { LeaseFence } from "../../../src/runtime/fence.js";
import { FakeClock } from "../../support/fake-clock.js";
import { errorOf } from "../../support/http-rig.js";
import { callOf, failure } from "../support.js";

function rig() {
  const clock = new FakeClock();
  const fence = new LeaseFence(clock);
  const waits: string[] = [];
  const metrics = {
    calls: { inc: () => undefined },
    callSeconds: { observe: () => undefined },
    callWaitSeconds: {
      observe: (labels: Readonly<Record<"provider" | "class", string>>, seconds: number) =>
        void waits.push(`${labels.provider} ${labels.class} ${seconds}`),
    },
  };
  const options = { clock, random: () => 0, metrics, fence, audit: () => undefined, dryRun: false };
  const guards = new TokenGuards(options);
  const api = { name: "cloud", rateLimits: [{ calls: 10, seconds: 60 }] };
  const run = callStack(options, fixedToken("a-token", new Redactor()), (token) => guards.of(api, token));
  const call = (priority: CallPriority) => callOf("web", { priority, repeatable: false });
  return { clock, run, call, waits, guards, api };
}

describe("the guards of tokens", () => {
  it("do not stop moves when changes of records fail again and again", async () => {
    const { run, call } = rig();
    const fail = () => Promise.reject(failure({ retrySafe: false }));
    for (let count = 0; count < 5; count++) await errorOf(run(call("records"), fail));
    expect(await errorOf(run(call("records"), fail))).to.deep.include({ reason: "CircuitOpen" });
    expect(await run(call("assignment"), () => Promise.resolve("answer"))).to.equal("answer");
  });

  it("share a budget over all tokens where the API counts so, else each token has its own", () => {
    const { guards, api } = rig();
    expect(guards.of(api, "old")).not.to.equal(guards.of(api, "new"));
    const counted = { ...api, name: "other", countsAllTokens: true };
    expect(guards.of(counted, "old")).to.equal(guards.of(counted, "new"));
  });

  it("measure for each work class how long its calls wait", async () => {
    const { clock, run, call, waits } = rig();
    const asks = Array.from({ length: 7 }, () => run(call("check"), () => Promise.resolve()));
    asks.push(run(call("assignment"), () => Promise.resolve()));
    await clock.advance(120_000);
    await Promise.all(asks);
    expect(waits.filter((wait) => wait === "cloud check 0")).to.have.length(6);
    expect(waits).to.include("cloud assignment 0");
    expect(waits).to.include("cloud check 61");
  });
});
