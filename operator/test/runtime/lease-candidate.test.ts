import { expect } from "chai";
import { describe, it } from "mocha";
import { checkTimings, type Decision, decide, nextRecord } from "../../src/runtime/lease-candidate.js";
import { ELECTION_TIMINGS } from "../../src/timings.js";

const record = { holder: "b", durationSeconds: 15, acquireTime: "then", renewTime: "now", transitions: 4 };

describe("what a candidate does", () => {
  const at = (holder: string, atMs = 0, durationSeconds = 15) => ({
    record: { ...record, holder, durationSeconds },
    atMs,
  });
  const table: [string, Parameters<typeof decide>[0]["seen"], boolean, number, Decision][] = [
    ["creates a lease that was never seen", undefined, false, 0, "create"],
    ["waits for a holder whose change was seen less than a lease ago", at("b"), true, 14_999, "wait"],
    ["takes a lease that has not changed for its duration", at("b"), true, 15_000, "take"],
    ["counts from when it saw the change", at("b", 10_000), true, 15_000, "wait"],
    ["believes a holder that promised a longer term", at("b", 0, 60), true, 59_999, "wait"],
    ["waits its own duration where the holder promised less", at("b", 0, 1), true, 14_999, "wait"],
    ["takes a lease that was given up, at once", at("", 0, 1), true, 0, "take"],
    ["renews its own, however old", at("a"), true, 99_999, "renew"],
    ["waits where a lease is deleted under its holder", at("b"), false, 14_999, "wait"],
    ["creates it anew when that holder's term is over", at("b"), false, 15_000, "create"],
    ["creates its own lease anew at once", at("a"), false, 0, "create"],
  ];
  for (const [title, seen, exists, nowMs, wanted] of table) {
    it(title, () => expect(decide({ exists, seen, self: "a", nowMs, leaseMs: 15_000 })).to.equal(wanted));
  }
});

describe("the record that a candidate writes", () => {
  const own = { self: "a", leaseMs: 15_000, now: "later" };

  it("begins a term and counts the change of hands when it takes", () => {
    expect(nextRecord("take", record, own)).to.deep.equal({
      holder: "a",
      durationSeconds: 15,
      acquireTime: "later",
      renewTime: "later",
      transitions: 5,
    });
  });

  it("keeps the term when it renews", () => {
    const renewed = nextRecord("renew", { ...record, holder: "a" }, own);
    expect([renewed.acquireTime, renewed.renewTime, renewed.transitions]).to.deep.equal(["then", "later", 4]);
  });

  it("begins at no change of hands when it creates", () => {
    expect(nextRecord("create", undefined, own).transitions).to.equal(0);
  });
});

describe("election timings", () => {
  it("are the reference's", () => {
    expect(ELECTION_TIMINGS).to.deep.equal({ leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 });
    expect(() => checkTimings(ELECTION_TIMINGS)).not.to.throw();
  });

  it("are refused where two holders could overlap", () => {
    expect(() => checkTimings({ ...ELECTION_TIMINGS, renewDeadlineMs: 15_000 })).to.throw(
      "must be longer than the renew deadline",
    );
    expect(() => checkTimings({ ...ELECTION_TIMINGS, retryMs: 9_000 })).to.throw("must be longer than 1.2 x 9000 ms");
  });
});
