import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import { DONE, type Outcome, skipped } from "../../src/addresses/call-outcomes.js";
import { no, type PlannedCondition, unknown, yes } from "../../src/reconcile/conditions.js";
import { FailedActions } from "../../src/reconcile/failed-actions.js";
import type { ActionSequence } from "../../src/reconcile/plan.js";
import { CLOUD_CALL_SECONDS, SECOND_MS } from "../../src/timings.js";
import { move, refused, sequence } from "./moving-kind.js";

const TRY = sequence(move("192.0.2.1"));
const OTHER = sequence(move("192.0.2.2"));
const CALL_MS = CLOUD_CALL_SECONDS * SECOND_MS;
const FAILED = { reason: "WrongRegion", message: "it is elsewhere" } as const;
const UNDER_WAY = { reason: "UnderWay", message: "it moves" } as const;
const IN_ORDER = { reason: "Observed", message: "in order" } as const;

describe("a condition that says how an action failed", () => {
  let actions: FailedActions;

  /** Statuses of the conditions that are shown. */
  function shown(conditions: readonly PlannedCondition[], { sequences = [TRY], generation = 1, now = 0 }: At = {}) {
    const all = actions.shownIn({ conditions, sequences }, generation, now);
    return all.map(({ status, reason }) => `${status}/${reason}`);
  }

  const end = (outcome: Outcome, ended = TRY) =>
    actions.ended({ sequence: ended, results: [{ action: move("192.0.2.1"), outcome }] });

  beforeEach(() => {
    actions = new FailedActions();
    end(refused({ problem: FAILED }));
    shown([no("Accepted", FAILED), no("Fulfilled", FAILED)]);
  });

  const AGAIN = [yes("Accepted", IN_ORDER), unknown("Fulfilled", UNDER_WAY)];
  const KEPT = ["False/WrongRegion", "False/WrongRegion"];
  const NEW = ["True/Observed", "Unknown/UnderWay"];

  it("stays while the action is about to be tried again, and is tried again", () => {
    expect(shown(AGAIN)).to.deep.equal(KEPT);
    actions.begun(TRY, 0);
    expect(shown(AGAIN, { sequences: [], now: CALL_MS - 1 })).to.deep.equal(KEPT);
  });

  it("stays where the plan says False because the operator waits for the answer", () => {
    actions.begun(TRY, 0);
    expect(shown([no("Fulfilled", UNDER_WAY)], { sequences: [] })).to.deep.equal(["False/WrongRegion"]);
  });

  it("goes once a try takes longer than a call with all its attempts: then the plan says what it waits for", () => {
    actions.begun(TRY, 0);
    expect(shown(AGAIN, { sequences: [], now: CALL_MS })).to.deep.equal(NEW);
  });

  it("stays where the next try fails, too, and where nothing came of it", () => {
    for (const outcome of [refused({ problem: FAILED }), skipped("somebody else leads")]) {
      actions.begun(TRY, 0);
      end(outcome);
      expect(shown(AGAIN, { now: 10 * CALL_MS })).to.deep.equal(KEPT);
    }
  });

  it("gives way to a wait for a limit", () => {
    actions.begun(TRY, 0);
    const waits = { reason: "RateLimited", message: "one call waits" } as const;
    expect(shown([yes("Accepted", IN_ORDER), unknown("Fulfilled", waits)])).to.deep.equal([
      "False/WrongRegion",
      "Unknown/RateLimited",
    ]);
  });

  it("goes when the action succeeds", () => {
    actions.begun(TRY, 0);
    end(DONE);
    expect(shown(AGAIN)).to.deep.equal(NEW);
  });

  it("goes when nothing asks for the action any more", () => {
    expect(shown(AGAIN, { sequences: [OTHER] })).to.deep.equal(NEW);
  });

  it("goes with an edit of the spec", () => {
    expect(shown(AGAIN, { generation: 2 })).to.deep.equal(NEW);
  });

  it("goes where another condition than Accepted is seen to be in order", () => {
    expect(shown([yes("Accepted", IN_ORDER), yes("Fulfilled", IN_ORDER)])).to.deep.equal([
      "False/WrongRegion",
      "True/Observed",
    ]);
  });

  it("gives way to another failure, and does not come back", () => {
    const other = { reason: "ServiceNotFound", message: "gone" } as const;
    expect(shown([no("Accepted", other), no("Fulfilled", other)])).to.deep.equal([
      "False/ServiceNotFound",
      "False/ServiceNotFound",
    ]);
    expect(shown(AGAIN)).to.deep.equal(NEW);
  });
});

interface At {
  readonly sequences?: readonly ActionSequence[];
  readonly generation?: number;
  readonly now?: number;
}
