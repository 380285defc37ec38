import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { type Refusal, refusal } from "../../src/match/checks.js";
import { type Grace, type GraceMemory, graceOf } from "../../src/match/grace.js";
import { facts } from "./cluster.js";

const NOT_READY = refusal("NodeNotReady", "Ready is False");
const TAINTED = refusal("Tainted", "it has taint a");
const T = Date.UTC(2025, 0, 1);
const S = 1000;

function evaluate(
  at: number,
  refusals: readonly Refusal[] | undefined,
  memory: GraceMemory = {},
  periodSeconds = 60,
): Grace {
  const verdict = refusals && { node: facts("n"), refusals };
  return graceOf({ verdict, memory, periodMs: periodSeconds * S, now: T + at * S });
}

/** A holder that does not match, as the rule sees it: since when, and whether it may recover. */
interface Absence {
  readonly since: number;
  readonly mayEnd: boolean;
}

function absenceAfter(previous: Absence | undefined, at: number, refusals: readonly Refusal[] | undefined) {
  if (refusals?.length === 0) return undefined;
  const mayEnd = previous?.mayEnd !== false && refusals?.[0] === NOT_READY;
  return { since: previous?.since ?? at, mayEnd };
}

describe("grace", () => {
  it("has nothing to protect from while the holder matches, and forgets what was", () => {
    expect(evaluate(5, [], { since: T, over: true })).to.deep.equal({ state: "matches" });
  });

  it("counts from the first look and lasts the period", () => {
    const refusals = [NOT_READY];
    expect(evaluate(0, refusals)).to.deep.equal({ state: "protected", since: T, until: T + 60 * S, refusals });
    expect(evaluate(59.999, refusals, { since: T })).to.deep.include({ state: "protected", since: T });
    expect(evaluate(60, refusals, { since: T })).to.deep.equal({ state: "over", since: T, why: "expired", refusals });
  });

  it("ends at once for anything that is not recovered from", () => {
    expect(evaluate(1, [NOT_READY, TAINTED], { since: T })).to.deep.include({ state: "over", why: "unrecoverable" });
  });

  it("ends at once where the node is gone", () => {
    const gone = evaluate(1, undefined, { since: T });
    expect(gone).to.deep.include({ state: "over", why: "unrecoverable" });
    expect(gone.state === "over" && gone.refusals.map(({ reason }) => reason)).to.deep.equal(["NodeGone"]);
  });

  it("does not begin again after its end without a return", () => {
    expect(evaluate(2, [NOT_READY], { since: T, over: true })).to.deep.include({ state: "over", why: "earlier" });
  });

  describe("that a former leader recorded", () => {
    const failedAt = (...seconds: readonly number[]) => seconds.map((at) => ({ ...NOT_READY, since: T + at * S }));
    const taken = (at: number, refusals: readonly Refusal[], memory: GraceMemory, leadsFrom = 50) =>
      graceOf({
        verdict: { node: facts("n"), refusals },
        memory,
        periodMs: 60 * S,
        now: T + at * S,
        leadsSince: T + leadsFrom * S,
      });

    it("counts from the failure of now where the holder was well in between", () => {
      expect(taken(70, failedAt(40), { since: T })).to.deep.include({ state: "protected", since: T + 40 * S });
      const over = { since: T, over: true };
      expect(taken(70, failedAt(40), over), "it was over").to.deep.include({ state: "protected", since: T + 40 * S });
    });

    it("goes on where the holder has been failing all the time, for any of its reasons", () => {
      expect(taken(70, failedAt(0), { since: T + 1 })).to.deep.include({ state: "over", why: "expired" });
      expect(taken(70, failedAt(0, 40), { since: T + 1 })).to.deep.include({ state: "over", why: "expired" });
    });

    it("goes on where the cluster does not say since when, or names a time ahead", () => {
      expect(taken(70, [NOT_READY], { since: T })).to.deep.include({ state: "over" });
      expect(taken(70, failedAt(75), { since: T })).to.deep.include({ state: "over" });
    });

    it("is another matter than what this process recorded: it saw that the holder did not recover", () => {
      expect(taken(70, failedAt(40), { since: T }, -1)).to.deep.include({ state: "over", why: "expired" });
    });
  });

  it("keeps what this process recorded in its first millisecond", () => {
    const refusals = [{ ...NOT_READY, since: T + 40 * S }];
    const input = { verdict: { node: facts("n"), refusals }, periodMs: 60 * S, now: T + 70 * S };
    expect(graceOf({ ...input, memory: { since: T }, leadsSince: T })).to.deep.include({ state: "over", since: T });
  });

  it("is none with a period of 0", () => {
    expect(evaluate(0, [NOT_READY], {}, 0)).to.deep.include({ state: "over", why: "expired" });
  });

  it("is at most one period long after the clock was set back", () => {
    expect(evaluate(-500, [NOT_READY], { since: T })).to.deep.include({ state: "protected", until: T - 440 * S });
  });

  it("never protects longer than the period without a return, whatever happens", () => {
    const step = fc.record({
      seconds: fc.integer({ min: 0, max: 40 }),
      refusals: fc.constantFrom([], [NOT_READY], [NOT_READY], [TAINTED], undefined),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let [at, memory]: [number, GraceMemory] = [0, {}];
        let absence: Absence | undefined;
        for (const { seconds, refusals } of steps) {
          at += seconds;
          absence = absenceAfter(absence, at, refusals);
          const grace = evaluate(at, refusals, memory);
          memory = grace.state === "matches" ? {} : { since: grace.since, over: grace.state === "over" };
          expect(grace.state === "protected").to.equal(absence?.mayEnd === true && at < absence.since + 60);
        }
      }),
    );
  });
});
