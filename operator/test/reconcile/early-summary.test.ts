import { expect } from "chai";
import { describe, it } from "mocha";
import { MERGE_PATCH, statusPatch } from "../../src/kube/write/patch.js";
import { no, stamped, yes } from "../../src/reconcile/conditions.js";
import { unreadySummaryOf, withUnreadySummary } from "../../src/reconcile/early-summary.js";
import { withSummary } from "../../src/reconcile/summary-conditions.js";

const FINE = { reason: "Observed", message: "fine" } as const;
const FEW = { reason: "TooFewCandidates", message: "1 of 2" } as const;
const RULES = { readyWhen: ["Accepted", "Fulfilled"] } as const;
const SERVING = withSummary([yes("Accepted", FINE), yes("Fulfilled", FINE)], RULES);
const LACKING = withSummary([yes("Accepted", FINE), no("Fulfilled", FEW)], RULES);
const LATER = 60_000;

const READY = {
  metadata: { resourceVersion: "7" },
  status: {
    observedGeneration: 3,
    conditions: stamped(SERVING, { now: 0, generation: 3 }),
    dns: { values: ["a", "b"] },
  },
};
const fact = statusPatch(READY, { dns: { values: ["a"] } });

function statusIn(patch: ReturnType<typeof withUnreadySummary>) {
  const { status } = (patch ?? { body: { status: {} } }).body as { readonly status: Record<string, unknown> };
  return status;
}

describe("a fact that is written while a Ready resource stops to serve", () => {
  it("goes out with the summary that is not Ready, of the generation that the status is about", () => {
    const { conditions, ...others } = statusIn(withUnreadySummary(fact, READY, unreadySummaryOf(LACKING, LATER)));
    expect(others).to.deep.equal({ dns: { values: ["a"] } });
    const list = conditions as readonly { type: string; status: string; observedGeneration: number }[];
    expect(list.map(({ type, status, observedGeneration }) => `${type}=${status} ${observedGeneration}`)).to.deep.equal(
      [...["Ready=False 3", "Reconciling=True 3", "Stalled=False 3", "Accepted=True 3", "Fulfilled=True 3"]],
    );
  });

  it("changes conditions that the patch has itself", () => {
    const own = { contentType: MERGE_PATCH, body: { status: { conditions: READY.status.conditions } } } as const;
    const { conditions } = statusIn(withUnreadySummary(own, READY, unreadySummaryOf(LACKING, LATER)));
    expect((conditions as readonly object[])[0]).to.include({ type: "Ready", status: "False" });
  });

  it("stays as it is if the plan is Ready, if the object is not, and if there is nothing to write", () => {
    expect(unreadySummaryOf(SERVING, LATER)).to.equal(undefined);
    expect(unreadySummaryOf([yes("Accepted", FINE)], LATER), "a kind without a summary").to.equal(undefined);
    expect(withUnreadySummary(fact, READY, undefined)).to.equal(fact);
    const unready = unreadySummaryOf(LACKING, LATER);
    const lacking = { ...READY, status: { ...READY.status, conditions: stamped(LACKING, { now: 0, generation: 3 }) } };
    expect(withUnreadySummary(fact, lacking, unready)).to.equal(fact);
    expect(withUnreadySummary(fact, { status: undefined }, unready)).to.equal(fact);
    expect(withUnreadySummary(undefined, READY, unready)).to.equal(undefined);
  });
});
