import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { afterResult, dampedUntil, type ProbeState, suspectedAt, UNPROBED } from "../../src/health/probe-state.js";
import { FLAP_FIRST_WAIT_MS, FLAP_LONGEST_WAIT_MS, FLAP_WINDOW_MS } from "../../src/timings.js";

const INTERVAL = 1_000;
const thresholds = { intervalMs: INTERVAL, failureThreshold: 2, successThreshold: 3 };

/** One letter for each interval: `.` success, `x` failure. */
function play(results: string, from: ProbeState = UNPROBED, start = 0): ProbeState {
  return [...results].reduce((state, letter, index) => {
    const result = letter === "." ? { ok: true as const } : { ok: false as const, error: `error ${index}` };
    return afterResult(state, result, start + index * INTERVAL, thresholds);
  }, from);
}

describe("the state of a probed target", () => {
  it("is well with the first success", () => {
    expect(play(".").verdict).to.equal("passed");
  });

  it("is unknown until the failures reach the threshold, and keeps the error that reached it", () => {
    expect(play("x").verdict).to.equal("unknown");
    expect(play("xx")).to.include({ verdict: "failed", error: "error 1" });
    expect(play("xxxx").error).to.equal("error 1");
  });

  it("needs failures in a row", () => {
    expect(play(".x.x.x.x").verdict).to.equal("passed");
    expect(play(".x.xx").verdict).to.equal("failed");
  });

  it("is well again after the successes in a row that successThreshold asks for", () => {
    expect(play("xx..").verdict).to.equal("failed");
    expect(play("xx..x..").verdict).to.equal("failed");
    expect(play("xx...").verdict).to.equal("passed");
    expect(play("xx...")).not.to.have.property("error");
  });

  it("says since when it is suspected", () => {
    expect(suspectedAt(play("..xx"))).to.equal(2 * INTERVAL);
    expect(suspectedAt(play("..xx."))).to.equal(undefined);
  });

  it("counts time too, because another resource may have the target probed more often", () => {
    const slow = { ...thresholds, intervalMs: 10 * INTERVAL };
    const failure = { ok: false, error: "refused" } as const;
    const times = Array.from({ length: 10 }, (_, index) => index * INTERVAL);
    const states = times.map((_, count) =>
      times.slice(0, count + 1).reduce((state, at) => afterResult(state, failure, at, slow), UNPROBED),
    );
    expect(states.every(({ verdict }) => verdict === "unknown")).to.equal(true);
    expect(afterResult(states.at(-1) ?? UNPROBED, failure, 10 * INTERVAL, slow).verdict).to.equal("failed");
  });
});

describe("flap damping", () => {
  const failures = (count: number) => "xx...".repeat(count);
  const now = (count: number) => failures(count).length * INTERVAL;

  it("lets a node that failed once be a candidate as soon as it is well", () => {
    expect(dampedUntil(play(failures(1)), now(1))).to.equal(undefined);
  });

  it("doubles the wait with each further failure, up to a limit", () => {
    const waits = [2, 3, 4].map((count) => {
      const state = play(failures(count));
      return (dampedUntil(state, now(count)) ?? 0) - (state.run?.since ?? 0);
    });
    expect(waits).to.deep.equal([FLAP_FIRST_WAIT_MS, 2 * FLAP_FIRST_WAIT_MS, 4 * FLAP_FIRST_WAIT_MS]);
    const often = play(failures(20));
    expect((dampedUntil(often, now(20)) ?? 0) - (often.run?.since ?? 0)).to.equal(FLAP_LONGEST_WAIT_MS);
  });

  it("ends when the node has stayed well for that long", () => {
    const state = play(failures(2));
    const until = dampedUntil(state, now(2)) ?? 0;
    expect(dampedUntil(state, until - 1)).to.equal(until);
    expect(dampedUntil(state, until)).to.equal(undefined);
  });

  it("starts the wait again with the first success after a single failure", () => {
    const at = now(2);
    const state = play("x.", play(failures(2)), at);
    expect(dampedUntil(state, at + 2 * INTERVAL)).to.equal(at + INTERVAL + FLAP_FIRST_WAIT_MS);
  });

  it("forgets failures after the window", () => {
    expect(dampedUntil(play(failures(2)), FLAP_WINDOW_MS + INTERVAL)).to.equal(undefined);
    const later = play("xx...", play(failures(1)), 2 * FLAP_WINDOW_MS);
    expect(later.failedAt).to.have.length(1);
  });
});

describe("any history of results", () => {
  const history = fc.array(fc.boolean(), { maxLength: 60 });
  const limits = fc.record({
    intervalMs: fc.integer({ min: 1, max: 5_000 }),
    failureThreshold: fc.integer({ min: 1, max: 5 }),
    successThreshold: fc.integer({ min: 1, max: 5 }),
  });

  it("turns failed with exactly failureThreshold failures in a row, and well with successThreshold successes", () => {
    fc.assert(
      fc.property(history, limits, (results, own) => {
        let state = UNPROBED;
        let [verdict, run]: [ProbeState["verdict"], number] = ["unknown", 0];
        for (const [index, ok] of results.entries()) {
          run = index > 0 && results[index - 1] === ok ? run + 1 : 1;
          if (!ok && run >= own.failureThreshold) verdict = "failed";
          if (ok && (verdict !== "failed" || run >= own.successThreshold)) verdict = "passed";
          state = afterResult(state, ok ? { ok } : { ok, error: "refused" }, index * own.intervalMs, own);
          expect(state.verdict).to.equal(verdict);
          expect(state.error === undefined).to.equal(verdict !== "failed");
        }
      }),
    );
  });

  it("is not kept waiting by failures that began before the window, however long the last one lasted", () => {
    const failed = play("xx...xx");
    const later = FLAP_WINDOW_MS + 10 * INTERVAL;
    const passed = play("...", failed, later);
    expect([passed.verdict, failed.failedAt.length]).to.deep.equal(["passed", 2]);
    expect(dampedUntil(passed, later + 3 * INTERVAL)).to.equal(undefined);
  });

  it("never keeps more failures than fit into the window", () => {
    fc.assert(
      fc.property(history, limits, (results, own) => {
        let state = UNPROBED;
        for (const [index, ok] of results.entries()) {
          const at = index * FLAP_FIRST_WAIT_MS;
          state = afterResult(state, ok ? { ok } : { ok, error: "refused" }, at, own);
          const last = state.failedAt.at(-1) ?? 0;
          expect(state.failedAt.every((time) => last - time < FLAP_WINDOW_MS)).to.equal(true);
        }
      }),
    );
  });
});
