import { expect } from "chai";
import { describe, it } from "mocha";
import { flipopMetrics } from "../../../src/metrics/definitions.js";
import { MetricsRegistry } from "../../../src/metrics/registry.js";
import { brokenError, checkToken } from "../../../src/providers/errors.js";
import { withMetrics } from "../../../src/providers/layers/compose.js";
import { direct } from "../../../src/providers/layers/deadlines-and-retries.js";
import { errorOf } from "../../support/http-rig.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { callOf, failure } from "../support.js";

const NAMES = { title: "Cloud", tokenVariable: "TOKEN", urlVariable: "URL" };

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
    const timed = 'provider="cloud",call="IPToProviderID"';
    expect(text).to.include(`flipop_providers_call_duration_seconds_count{${timed}} 2`);
  });

  it("show both outcomes from the first call on, the one that has not occurred as 0", async () => {
    const shown: (readonly [string, number])[] = [];
    const inc = ({ outcome }: { readonly outcome: string }, by = 1) => void shown.push([outcome, by]);
    const run = withMetrics(
      { calls: { inc }, callSeconds: { observe: () => undefined }, callWaitSeconds: { observe: () => undefined } },
      new FakeClock(),
    )(direct);
    await run(callOf(), async () => undefined);
    expect(shown).to.deep.equal([
      ["success", 1],
      ["error", 0],
    ]);
  });

  it("count no call that has no token to be sent with, but one that finds no connection", async () => {
    const counted: string[] = [];
    const inc = ({ outcome }: { readonly outcome: string }, by = 1) => {
      if (by > 0) counted.push(outcome);
    };
    const calls = { inc };
    const run = withMetrics(
      { calls, callSeconds: { observe: () => undefined }, callWaitSeconds: { observe: () => undefined } },
      new FakeClock(),
    )(direct);

    await errorOf(run(callOf(), async () => checkToken("", callOf(), NAMES)));
    expect(counted).to.deep.equal([]);

    const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    await errorOf(run(callOf(), () => Promise.reject(brokenError(callOf(), refused, NAMES))));
    expect(counted).to.deep.equal(["error"]);
  });
});
