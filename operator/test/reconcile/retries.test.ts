import { expect } from "chai";
import { describe, it } from "mocha";
import { providerFailure } from "../../src/addresses/call-outcomes.js";
import { type StatusDetails, StatusError } from "../../src/kube/client.js";
import {
  afterFailure,
  isCleanupOverdue,
  isDue,
  Retries,
  type RetryState,
  reportedRetry,
} from "../../src/reconcile/retries.js";
import { REPORTED_WAIT_MS, RETRY_SCHEDULES } from "../../src/timings.js";
import { failure } from "../providers/support.js";

function waits(kind: "Unavailable" | "Terminal", count: number): readonly number[] {
  let state: RetryState | undefined;
  return Array.from({ length: count }, () => {
    state = afterFailure(state, { kind }, 0);
    return state.retryAt / 1000;
  });
}

describe("the schedule of retries", () => {
  it("follows the fast steps for what may heal by itself, and repeats the last", () => {
    expect(waits("Unavailable", 14)).to.deep.equal([...RETRY_SCHEDULES.fast, 300]);
  });

  it("follows the slow steps for what a person must mend", () => {
    expect(waits("Terminal", 4)).to.deep.equal([60, 300, 600, 600]);
  });

  it("takes rate limits for no fault of the resource, and waits as long as the API asks", () => {
    expect(afterFailure(undefined, { kind: "RateLimited", retryAfterSeconds: 42 }, 0).retryAt).to.equal(42_000);
    expect(afterFailure(undefined, { kind: "RateLimited" }, 0).retryAt).to.equal(1000);
  });

  it("tries a limit of one sort of calls each 30 s, or when the API asks for it", () => {
    const wait = (failures: number, retryAfterSeconds = 5) => {
      const before = { schedule: "limit", failures: failures - 1, retryAt: 0 } as const;
      return afterFailure(before, { kind: "RateLimited", detail: "GroupLimit", retryAfterSeconds }, 0).retryAt / 1000;
    };
    expect([wait(1), wait(5), wait(7), wait(20), wait(20, 60)]).to.deep.equal([5, 10, 30, 30, 60]);
  });

  it("waits for an hour at most, and as usual where the wait that a server asks for makes no sense", () => {
    const year = 365 * 86_400;
    const errors = [year, Number.POSITIVE_INFINITY, -1, Number.NaN].map((retryAfterSeconds) =>
      providerFailure(failure({ kind: "RateLimited", retryAfterSeconds })),
    );
    const retries = errors.map((error) => afterFailure(undefined, error, 0).retryAt);
    expect(retries).to.deep.equal([3_600_000, 3_600_000, 1_000, 1_000]);
    const details = { retryAfterSeconds: "7" } as unknown as StatusDetails;
    const refused = new StatusError({ code: 429, reason: "", message: "slow down", details });
    expect(refused.retryAfterSeconds).to.equal(undefined);
  });

  it("begins anew when the other kind of failure comes", () => {
    const slow = afterFailure(afterFailure(undefined, { kind: "Unavailable" }, 0), { kind: "Terminal" }, 0);
    expect(slow).to.deep.equal({ schedule: "slow", failures: 1, retryAt: 60_000 });
  });

  it("does not wait for days when the clock was set back", () => {
    expect(isDue(10_000, 9_000)).to.equal(false);
    expect(isDue(10_000, 10_000)).to.equal(true);
    expect(isDue(86_400_000, 0)).to.equal(true);
  });
});

describe("a cleanup that lacks a provider", () => {
  it("is tried at once after a Secret has changed, and nothing else is", () => {
    const retries = new Retries();
    const fail = (key: string, reason: "UnknownProvider" | "Invalid", ofCleanup: boolean) =>
      retries.failed(key, { kind: "Terminal", problem: { reason, message: "" } }, { now: 0, ofCleanup });
    fail("records", "UnknownProvider", true);
    fail("address", "Invalid", true);
    fail("spec", "UnknownProvider", false);
    retries.retryFixed("UnknownProvider");
    expect([...retries.retryAt().keys()]).to.deep.equal(["address", "spec"]);
  });
});

describe("the deadline of a cleanup", () => {
  const HOUR = 3_600_000;
  const deletionTimestamp = new Date(0).toISOString();
  const tried = { attempts: 10, since: HOUR - 600_000 };

  it("passes an hour after the deletion, after ten tries over ten minutes", () => {
    expect(isCleanupOverdue({ deletionTimestamp }, HOUR, tried)).to.equal(true);
    expect(isCleanupOverdue({ deletionTimestamp }, HOUR - 1, { ...tried, since: 0 })).to.equal(false);
    expect(isCleanupOverdue({ deletionTimestamp }, HOUR, { ...tried, attempts: 9 })).to.equal(false);
    expect(isCleanupOverdue({ deletionTimestamp }, HOUR, { ...tried, since: tried.since + 1 })).to.equal(false);
    expect(isCleanupOverdue({ deletionTimestamp }, HOUR, { attempts: 10 })).to.equal(false);
  });
});

describe("the retry time that a status shows", () => {
  const now = Date.UTC(2025, 0, 1);
  const shown = (at: number, last?: number) =>
    reportedRetry([undefined, at], last === undefined ? undefined : new Date(last).toISOString(), now);

  it("is there for a long wait, and stays until it is over", () => {
    const soon = now + REPORTED_WAIT_MS - 1000;
    expect(shown(now + REPORTED_WAIT_MS)).not.to.equal(undefined);
    expect(shown(soon), "a short wait").to.equal(undefined);
    expect(shown(soon, soon), "the end of a wait that the status has").not.to.equal(undefined);
    expect(shown(soon, soon + 1000), "another wait").to.equal(undefined);
  });
});
