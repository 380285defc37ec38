import {
  ALL_KINDS,
  CONDITION_TYPES,
  type ConditionType,
  PASSING_REASONS,
  REASONS,
  type Reason,
  SUMMARY_TYPES,
} from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { addressMessages } from "../../src/messages/addresses.js";
import { creationMessages } from "../../src/messages/creation.js";
import { includes, type Problem } from "../../src/messages/message.js";
import { candidateMessages } from "../../src/messages/nodes/candidates.js";
import { isBad, no, type PlannedCondition, stamped, unknown, yes } from "../../src/reconcile/conditions.js";
import { type SummaryFacts, withSummary, withUnasked } from "../../src/reconcile/summary-conditions.js";

const POOL: SummaryFacts = { readyWhen: ["Accepted", "Fulfilled", "DNSReady"] };
const FINE = { reason: "Observed", message: "fine" } as const;
const SERVING = [yes("Accepted", FINE), yes("Fulfilled", FINE), yes("DNSReady", FINE), no("Conflict", FINE)];
const STOP = { reason: "a test" };

function instead(...changed: readonly PlannedCondition[]): readonly PlannedCondition[] {
  return SERVING.map((one) => changed.find(({ type }) => type === one.type) ?? one);
}

function because(reason: Reason, remedy?: string): Problem {
  return { reason, message: `because of ${reason}${remedy === undefined ? "" : `; fix: ${remedy}`}` };
}

/** `Ready=True/Observed Reconciling=False/Observed Stalled=False/Observed`. */
function summary(planned: readonly PlannedCondition[], facts = POOL): string {
  const all = withSummary(planned, facts);
  return SUMMARY_TYPES.map((type) => {
    const { status, reason } = conditionOf(all, type);
    return `${type}=${status}/${reason}`;
  }).join(" ");
}

function conditionOf(all: readonly PlannedCondition[], type: ConditionType): PlannedCondition {
  const found = all.filter((each) => each.type === type);
  expect(found, `one condition ${type}`).to.have.length(1);
  return found[0] as PlannedCondition;
}

describe("the summary of a resource", () => {
  it("is Ready while all conditions that its kind requires are True, and keeps them", () => {
    expect(summary(SERVING)).to.equal("Ready=True/Observed Reconciling=False/Observed Stalled=False/Observed");
    expect(withSummary(SERVING, POOL).slice(SUMMARY_TYPES.length)).to.deep.equal(SERVING);
  });

  it("names what the deletion waits for, whatever the conditions are, unless others still use it", () => {
    const deletionWait = because("UnderWay");
    const planned = instead(no("Fulfilled", because("Invalid")));
    expect(summary(planned, { ...POOL, deletionWait })).to.equal(
      "Ready=False/UnderWay Reconciling=True/UnderWay Stalled=False/Observed",
    );
    expect(conditionOf(withSummary(planned, { ...POOL, deletionWait }), "Ready").message).to.equal(
      deletionWait.message,
    );
    expect(summary(SERVING, { ...POOL, deletionWait })).to.match(/^Ready=False.UnderWay Reconciling=True/);
    expect(summary(SERVING, { ...POOL, deletionWait, unserved: because("InUse") })).to.contain("Ready=False/InUse");
  });

  it("requires no condition that the resource does not have, and none that its kind does not require", () => {
    expect(summary(SERVING.filter(({ type }) => type !== "DNSReady"))).to.contain("Ready=True");
    expect(summary([...SERVING, no("ProviderReachable", because("RateLimited"))])).to.contain("Ready=True");
    expect(summary(instead(yes("Conflict", because("ForeignWriter"))))).to.contain("Ready=True");
  });

  it("has the reason and the message of the first condition that is not True; False comes before Unknown", () => {
    const few = because("TooFewCandidates");
    const all = withSummary(
      instead(unknown("Accepted"), no("Fulfilled", few), no("DNSReady", because("NoneActive"))),
      POOL,
    );
    expect(conditionOf(all, "Ready")).to.deep.include({ status: "False", ...few });
    expect(conditionOf(all, "Reconciling")).to.deep.include({ status: "True", reason: few.reason });
    expect(conditionOf(all, "Reconciling").message, "the text stands in Ready").to.contain("condition Ready");
  });

  it("names a second cause that needs a person beside the first one, and waits for the person", () => {
    const wait = because("NoCandidate");
    const two = withSummary(instead(no("Fulfilled", wait), no("DNSReady", because("ZoneNotFound"))), POOL);
    expect(conditionOf(two, "Ready")).to.include({
      reason: "NoCandidate",
      message: `${wait.message}; besides, condition DNSReady is False: ${because("ZoneNotFound").message}`,
    });
    expect(conditionOf(two, "Stalled")).to.include({ status: "True", reason: "ZoneNotFound" });
    const following = withSummary(instead(no("Fulfilled", wait), no("DNSReady", because("NoneActive"))), POOL);
    expect(conditionOf(following, "Ready").message, "a consequence").to.equal(wait.message);
    expect(conditionOf(following, "Stalled").status).to.equal("False");
  });

  it("refers to the condition that has a long remedy, and keeps a short one", () => {
    const long = because("NoCandidate", "have the cluster's administrator repair node-3 ".repeat(3));
    const short = because("NoCandidate", "set ttl to 60 or more");
    const readyOf = (...changed: readonly PlannedCondition[]) =>
      conditionOf(withSummary(instead(...changed), POOL), "Ready");
    expect(readyOf(no("Fulfilled", long))).to.include({
      reason: "NoCandidate",
      message: "because of NoCandidate; condition Fulfilled has the remedy",
    });
    expect(readyOf(no("Fulfilled", short)).message).to.equal(short.message);
    expect(readyOf(no("Fulfilled", long), no("DNSReady", because("ZoneNotFound"))).message).to.equal(
      "because of NoCandidate; besides, condition DNSReady is False: because of ZoneNotFound; conditions Fulfilled and DNSReady have the remedies",
    );
    const all = withSummary(instead(no("Fulfilled", long)), POOL);
    expect(conditionOf(all, "Fulfilled").message).to.equal(long.message);
    expect(conditionOf(all, "Ready").said).to.satisfy((said: Problem) => includes(said, long));
  });

  it("keeps the remedy of what no other condition says", () => {
    const unserved = because("InGrace", "have the cluster's administrator repair node-3 ".repeat(3));
    for (const facts of [{ unserved }, { deletionWait: unserved }]) {
      expect(conditionOf(withSummary(SERVING, { ...POOL, ...facts }), "Ready").message).to.equal(unserved.message);
    }
  });

  it("is Unknown only while the resource is not observed", () => {
    expect(summary(instead(unknown("Fulfilled")))).to.match(
      /^Ready=Unknown\/NotObserved Reconciling=True\/NotObserved /,
    );
    const onTheirWay = candidateMessages.onTheirWay({ active: 0, desired: 1 });
    expect(summary(instead(unknown("Fulfilled", onTheirWay)))).to.match(/^Ready=False\/UnderWay Reconciling=True/);
  });

  for (const reason of Object.keys(REASONS) as Reason[]) {
    const [progress, other] = PASSING_REASONS.includes(reason)
      ? ["Reconciling", "Stalled"]
      : ["Stalled", "Reconciling"];
    it(`is ${progress} if a required condition is False because of ${reason}`, () => {
      const text = summary(instead(no("Fulfilled", because(reason))));
      expect(text).to.contain(`Ready=False/${reason}`).and.contain(`${progress}=True/${reason}`);
      expect(text).to.contain(`${other}=False/Observed`);
    });
  }

  it("shows in Ready's reason that a resource is paused, whether it serves or not", () => {
    const paused = addressMessages.paused();
    expect(summary(instead(yes("Accepted", paused)))).to.match(/^Ready=True\/Paused Reconciling=False.* Stalled=False/);
    const fewer = candidateMessages.tooFewActive({ active: 1, desired: 2, cause: paused });
    const all = withSummary(instead(yes("Accepted", paused), no("Fulfilled", fewer)), POOL);
    expect(conditionOf(all, "Ready")).to.include({ status: "False", reason: "Paused" });
    expect(conditionOf(all, "Ready").message).to.contain("1 of 2").and.contain("paused");
    expect(conditionOf(all, "Stalled").status).to.equal("True");
  });

  it("shows the cool-off in Ready's reason and message", () => {
    const cause = candidateMessages.coolingOff({ until: Date.parse("2026-01-01T10:02:11Z") });
    const all = withSummary(
      instead(no("Fulfilled", candidateMessages.tooFewActive({ active: 1, desired: 2, cause }))),
      POOL,
    );
    expect(conditionOf(all, "Ready")).to.include({ status: "False", reason: "CoolingOff" });
    expect(conditionOf(all, "Ready").message).to.contain("1 of 2").and.contain("T10:02:11Z");
    expect(conditionOf(all, "Reconciling").status).to.equal("True");
  });

  it("names the part of the spec that is ignored", () => {
    const ignored = addressMessages.partlyServed({ ignored: ["match.tolerations[0]"] });
    expect(conditionOf(withSummary(instead(yes("Accepted", ignored)), POOL), "Ready")).to.deep.include({
      status: "True",
      ...{ reason: ignored.reason, message: ignored.message },
    });
  });

  it("names a toleration that does not count before the nodes that it keeps away, and waits for a person", () => {
    const mistake = 'spec.match.tolerations[0]: operator is "exists", not Exists or Equal';
    const cause: Problem = { reason: "NoCandidate", message: "0 of 2 nodes match, 2 are tainted" };
    const lacking = no("Fulfilled", candidateMessages.tooFewActive({ active: 0, desired: 1, cause }));
    const ready = (ignored: readonly string[], ignoredOfMatch?: readonly string[]) => {
      const accepted = yes("Accepted", addressMessages.partlyServed({ ignored }));
      const all = withSummary(instead(accepted, lacking), { ...POOL, ignoredOfMatch });
      return { ready: conditionOf(all, "Ready"), stalled: conditionOf(all, "Stalled").status };
    };
    const {
      ready: { reason, message },
      stalled,
    } = ready([mistake], [mistake]);
    expect({ reason, stalled }).to.deep.equal({ reason: "Invalid", stalled: "True" });
    expect(message.indexOf(mistake)).to.be.within(0, message.indexOf(cause.message));
    const other = ready(["spec.healthCheck: the operator probes nothing"]);
    expect(other.ready.reason, "what keeps no node away").to.equal("NoCandidate");
    expect(other.stalled).to.equal("False");
  });

  it("is not Ready for what keeps it from serving although its conditions are True", () => {
    const unserved = addressMessages.staysInGrace({
      ip: "203.0.113.7",
      node: "node-3",
      free: [],
      gracePeriodSeconds: 60,
      repair: "repair it",
    });
    expect(summary(SERVING, { ...POOL, unserved })).to.match(
      /^Ready=False\/InGrace Reconciling=True\/InGrace Stalled=False/,
    );
  });

  it("is Stalled once the operator cannot settle a lost answer by itself", () => {
    const resource = { kind: "FloatingIPPool", namespace: "default", name: "web", deleting: false };
    const startedAt = "2026-01-01T10:02:11.000Z";
    const waits = creationMessages.answerLost({ startedAt, resource });
    const several = creationMessages.severalMayBeIt({ startedAt, resource, ips: ["203.0.113.7"] });
    const count = { active: 0, desired: 1 };
    for (const wrap of [
      (cause: Problem) => cause,
      (cause: Problem) => candidateMessages.tooFewActive({ ...count, cause }),
    ]) {
      expect(summary(instead(no("Fulfilled", wrap(waits))))).to.contain("Reconciling=True/CreationUnsettled");
      expect(summary(instead(no("Fulfilled", wrap(several))))).to.contain("Stalled=True/CreationUnsettled");
    }
  });

  it("reports a stopped operator, whatever the other conditions say", () => {
    for (const planned of [SERVING, instead(unknown("Fulfilled")), instead(no("Accepted", because("Invalid")))]) {
      const text = summary(planned, { ...POOL, stop: STOP });
      expect(text).to.equal("Ready=False/Stopped Reconciling=False/Observed Stalled=True/Stopped");
    }
    const paused = instead(yes("Accepted", addressMessages.paused()), no("Fulfilled", addressMessages.paused()));
    const all = withSummary(paused, { ...POOL, stop: STOP });
    expect(all.filter(({ reason }) => reason === "Paused")).to.deep.equal([]);
    expect(conditionOf(all, "Accepted")).to.include({ status: "True", reason: "Stopped" });
  });

  it("has exactly one True condition in each combination of the others", () => {
    const statuses = [yes, no, unknown] as const;
    const reasons = Object.keys(REASONS) as Reason[];
    for (const reason of reasons) {
      for (const [a, b, c] of triples(statuses)) {
        const planned = [
          a("Accepted", because(reason)),
          b("Fulfilled", because(reason)),
          c("DNSReady", because(reason)),
        ];
        const all = withSummary(planned, POOL);
        const ofSummary = SUMMARY_TYPES.map((type) => conditionOf(all, type));
        expect(
          ofSummary.filter(({ status }) => status === "True"),
          JSON.stringify(planned),
        ).to.have.length(1);
        const serves = planned.every(({ status }) => status === "True");
        expect(conditionOf(all, "Ready").status === "True", JSON.stringify(planned)).to.equal(serves);
      }
    }
  });

  it("gives every condition the generation that the operator observed", () => {
    const all = stamped(withSummary(SERVING, POOL), { now: 0, generation: 7 });
    expect(all.map(({ observedGeneration }) => observedGeneration)).to.deep.equal(all.map(() => 7));
  });

  it("emits no Warning Event of its own, except for a stopped operator", () => {
    const bad = instead(no("Fulfilled", because("QuotaExceeded")));
    expect(
      withSummary(bad, POOL)
        .filter(isBad)
        .map(({ type }) => type),
    ).to.deep.equal(["Fulfilled"]);
    expect(
      withSummary(SERVING, { ...POOL, stop: STOP })
        .filter(isBad)
        .map(({ type }) => type),
    ).to.deep.equal(["Ready"]);
  });
});

describe("a condition that the resource does not need any more", () => {
  it("is Unknown, and Ready does not wait for it", () => {
    const planned = SERVING.filter(({ type }) => type !== "DNSReady");
    const all = withUnasked(withSummary(planned, POOL), SERVING);
    expect(conditionOf(all, "DNSReady").status).to.equal("Unknown");
    expect(conditionOf(all, "Ready").status).to.equal("True");
    expect(withUnasked(planned, planned)).to.deep.equal(planned);
    expect(withUnasked(SERVING, SERVING)).to.deep.equal(SERVING);
  });
});

describe("the kinds", () => {
  for (const { kind, conditions, readyWhen } of ALL_KINDS) {
    it(`${kind} has the summary, and requires only conditions of its own`, () => {
      expect(conditions.slice(0, SUMMARY_TYPES.length)).to.deep.equal([...SUMMARY_TYPES]);
      expect(readyWhen).to.include("Accepted");
      expect(readyWhen.filter((type) => !conditions.includes(type) || SUMMARY_TYPES.some((one) => one === type))).to.be
        .empty;
      expect(conditions.every((type) => Object.hasOwn(CONDITION_TYPES, type))).to.equal(true);
    });
  }
});

function triples<T>(values: readonly T[]): readonly (readonly [T, T, T])[] {
  return values.flatMap((a) => values.flatMap((b) => values.map((c) => [a, b, c] as const)));
}
