import { expect } from "chai";
import { describe, it } from "mocha";
import { MERGE_PATCH, statusPatch } from "../../src/kube/write/patch.js";
import { no, type PlannedCondition, stamped, unknown, yes } from "../../src/reconcile/conditions.js";
import { heldAfterStartMs, unreadySummaryOf, withUnreadySummary } from "../../src/reconcile/early-summary.js";
import { withSummary } from "../../src/reconcile/summary-conditions.js";
import { FIRST_READS_MS } from "../../src/timings.js";
import { rigOfEachTest } from "./engine-rig.js";

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

const UNREAD = withSummary([unknown("Accepted"), unknown("Fulfilled")], RULES);
const FAILED = { reason: "ProviderUnavailable", message: "no answer" } as const;
const STORED = { observedGeneration: 3, conditions: stamped(SERVING, { now: 0, generation: 3 }), ips: { a: "n1" } };

type Input = Parameters<typeof heldAfterStartMs>[0];

function held(conditions: readonly PlannedCondition[], more: Partial<Input> = {}): number | undefined {
  const fields = { observedGeneration: 3, ips: { a: "n1" }, error: undefined };
  return heldAfterStartMs({ plan: { conditions }, fields, stored: STORED, sinceMs: 0, ...more });
}

describe("the status after a start", () => {
  it("waits for the first reads, for a bounded time", () => {
    expect(held(UNREAD)).to.equal(FIRST_READS_MS);
    expect(held(UNREAD, { sinceMs: FIRST_READS_MS - 1 })).to.equal(1);
    expect(held(UNREAD, { sinceMs: FIRST_READS_MS })).to.equal(undefined);
  });

  const atOnce: Readonly<Record<string, readonly [conditions: readonly PlannedCondition[], more?: Partial<Input>]>> = {
    "what was read": [SERVING],
    "what a read found wrong": [withSummary([unknown("Accepted"), no("Fulfilled", FAILED)], RULES)],
    "what has the reason of an unread condition, but is known": [
      withSummary([yes("Accepted", FINE), unknown("Fulfilled", { reason: "NotObserved", message: "a moves" })], RULES),
    ],
    "a newer spec": [UNREAD, { stored: { ...STORED, observedGeneration: 2 } }],
    "a changed field": [UNREAD, { fields: { observedGeneration: 3, ips: { a: "n2" } } }],
    "a lost holder": [UNREAD, { plan: { conditions: UNREAD, lostHolder: true } }],
    "the first status": [UNREAD, { stored: {} }],
    "the first conditions": [UNREAD, { stored: { observedGeneration: 3, ips: { a: "n1" } } }],
  };
  for (const [what, [conditions, more]] of Object.entries(atOnce))
    it(`says at once: ${what}`, () => {
      expect(held(conditions, more)).to.equal(undefined);
    });
});

describe("the engine after a start", () => {
  const rig = rigOfEachTest();

  it("writes what it does not know when the first reads take longer than the bound", async () => {
    rig.moving.conditions = withSummary([unknown("Accepted")], RULES);
    await rig.start();
    expect(rig.world.condition("Ready"), "of a new resource").to.equal("Unknown/NotObserved");
    rig.moving.conditions = withSummary([yes("Accepted", FINE)], RULES);
    rig.controller.enqueueAll();
    await rig.world.clock.flush();
    rig.moving.conditions = withSummary([unknown("Accepted")], RULES);
    rig.controller.enqueueAll();
    await rig.world.clock.advance(FIRST_READS_MS - 1);
    expect(rig.world.condition("Ready")).to.equal("True/Observed");
    await rig.world.clock.advance(1);
    expect(rig.world.condition("Ready")).to.equal("Unknown/NotObserved");
  });
});
