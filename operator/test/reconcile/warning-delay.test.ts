import type { ConditionType } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { ActionFailure } from "../../src/addresses/call-outcomes.js";
import { candidateMessages } from "../../src/messages/nodes/candidates.js";
import { no, type PlannedCondition } from "../../src/reconcile/conditions.js";
import type { DeferredEvent } from "../../src/reconcile/plan.js";
import { StartWarnings } from "../../src/reconcile/warning-delay.js";

const NONE = { reason: "NoneActive", message: "no address is active" } as const;
const planned = [no("Fulfilled", candidateMessages.coolingOff({ until: 0 })), no("DNSReady", NONE)];

function eventOf(failure: Pick<ActionFailure, "kind"> & Partial<ActionFailure>): DeferredEvent {
  const problem = { reason: "ProviderUnavailable", message: "it failed" } as const;
  return {
    type: "Warning",
    reason: "CreateFailed",
    action: "Create",
    note: "it failed",
    do: "create-address",
    failure: { problem, ...failure },
  };
}

const FAILURES: readonly (readonly [string, Parameters<typeof eventOf>[0], boolean])[] = [
  ["the cloud's limit of calls", { kind: "RateLimited" }, true],
  ["a call that waited for its turn too long", { kind: "Unavailable", detail: "DeadlineExceeded" }, true],
  ["a Lease that was about to end", { kind: "Unavailable", detail: "LeaseEnding" }, true],
  [
    "a write that the end of the Lease cut off",
    { kind: "Unavailable", detail: "LeaseEnding", mayBeAccepted: true },
    false,
  ],
  ["a lost answer", { kind: "Unavailable", detail: "DeadlineExceeded", mayBeAccepted: true }, false],
  ["a cloud that fails", { kind: "Unavailable" }, false],
  ["a refusal", { kind: "QuotaExceeded" }, false],
];

describe("the Warnings of a new resource whose first action ends with", () => {
  for (const [what, failure, isHeld] of FAILURES) {
    it(`${what} ${isHeld ? "wait" : "come at once"}`, () => {
      const warnings = new StartWarnings(() => undefined);
      const compared = warnings.compared({ before: [], planned, deferred: [eventOf(failure)] }, 0);
      expect(compared.deferred.length).to.equal(isHeld ? 0 : 1);
      expect(compared.planned.map(({ reason }) => reason)).to.deep.equal(
        isHeld ? ["CoolingOff"] : ["CoolingOff", "NoneActive"],
      );
    });
  }
});

describe("the Warnings of a new resource that has served for a moment", () => {
  const LOST = { reason: "KeptLastKnown", message: "no node matches any more" } as const;
  const LIMITED = { reason: "RateLimited", message: "the limit is used up" } as const;
  const reported = (types: readonly ConditionType[], now: readonly PlannedCondition[]) => {
    const warnings = new StartWarnings(() => undefined);
    warnings.compared({ before: [], planned: [], deferred: [] }, 0);
    const before = types.map((type) => ({ type, status: "True", reason: "Observed" }) as const);
    return warnings.compared({ before, planned: now, deferred: [] }, 1).planned.map(({ reason }) => reason);
  };

  it("come at once when it loses all nodes", () => {
    expect(reported(["Accepted", "DNSReady"], [no("DNSReady", LOST)])).to.deep.equal(["KeptLastKnown"]);
  });

  it("wait as before for what has not been there yet", () => {
    expect(reported(["Accepted"], [no("DNSReady", LOST)])).to.be.empty;
  });

  it("wait where the limit of calls is used up, because it ends by itself", () => {
    expect(reported(["ProviderReachable"], [no("ProviderReachable", LIMITED)])).to.be.empty;
  });
});
