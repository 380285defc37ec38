import { expect } from "chai";
import { describe, it } from "mocha";
import { StatusError } from "../../../src/kube/client.js";
import { backoffMs, judge, type Memory, NO_FAILURES, type Round } from "../../../src/kube/watch/reflector-rules.js";
import { NO_WATCH } from "../../../src/kube/watch/rounds.js";
import { OutageError, SilentWatchError } from "../../../src/kube/watch/watch.js";
import { WATCH_BACKOFF_MS } from "../../../src/timings.js";

const FRESH: Memory = { silentWatches: 0, failures: 0, counts: NO_FAILURES };
const LOST_4: Memory = { ...FRESH, failures: 4, counts: { ...NO_FAILURES, lost: 4 } };
const watch = (more: Partial<Round>): Round => ({
  ...NO_WATCH,
  phase: "watch",
  error: undefined,
  opened: true,
  ...more,
});
const status = (code: number, reason = "", message = reason) => new StatusError({ code, reason, message });
const TOO_LARGE = new StatusError({
  code: 504,
  reason: "Timeout",
  message: "Timeout",
  details: { causes: [{ reason: "ResourceVersionTooLarge" }] },
});

describe("what a reflector does after a round", () => {
  it("goes on at once, without a probe, after a watch that lasted as long as asked for", () => {
    const verdict = judge(watch({ complete: true, events: 5, seconds: 400 }), FRESH);
    expect(verdict).to.include({ pace: "none", probe: false, relist: undefined, failures: 0 });
  });

  it("probes after a watch that ended early, even cleanly", () => {
    expect(judge(watch({ events: 5, seconds: 30 }), FRESH)).to.include({
      pace: "none",
      probe: true,
      relist: undefined,
    });
  });

  it("resumes fast after a lost connection, and counts failures only while nothing comes", () => {
    const lost = watch({ error: new Error("reset"), seconds: 3 });
    expect(judge(lost, LOST_4)).to.include({ pace: "fast", probe: true, failures: 5, attempt: 5 });
    expect(judge({ ...lost, events: 1 }, LOST_4)).to.include({ pace: "fast", failures: 1, attempt: 1 });
  });

  it("asks a server that has come back and refuses once again soon, however long it was away", () => {
    const refused = judge(watch({ opened: false, phase: "probe", error: status(403, "Forbidden") }), LOST_4);
    expect(refused).to.include({ pace: "slow", failures: 5, attempt: 1 });
    const outdated = judge(watch({ opened: false, error: status(410, "Expired") }), refused);
    expect(outdated).to.include({ pace: "fast", failures: 6, attempt: 1 });
    expect(judge(watch({ opened: false, error: status(403, "Forbidden") }), outdated)).to.include({ attempt: 2 });
  });

  it("takes a watch list that went on for long as proof of health, and a shorter one as proof that the server answers", () => {
    const lost: Round = { ...NO_WATCH, phase: "watch-list", opened: true, synced: true, error: new Error("reset") };
    expect(judge({ ...lost, seconds: 60 }, LOST_4)).to.include({ failures: 1, attempt: 1 });
    expect(judge({ ...lost, seconds: 2 }, LOST_4)).to.include({ failures: 5, attempt: 1 });
    const outdated = { ...FRESH, failures: 4, counts: { ...NO_FAILURES, outdated: 4 } };
    const again = judge({ ...lost, seconds: 2, error: status(410, "Expired") }, outdated);
    expect(again, "sets are not read one after the other").to.include({ failures: 5, attempt: 5 });
  });

  it("resumes slowly where the server refuses", () => {
    for (const code of [401, 403, 429, 500, 503]) {
      const verdict = judge(watch({ opened: false, error: status(code) }), FRESH);
      expect(verdict, String(code)).to.include({ pace: "slow", relist: undefined });
    }
  });

  it("asks again soon where the server still prepares the storage of a fresh CRD", () => {
    const error = status(429, "TooManyRequests", "storage is (re)initializing");
    for (const phase of ["list", "watch-list"] as const) {
      const first = judge(watch({ opened: false, phase, error }), FRESH);
      const verdict = judge(watch({ opened: false, phase, error }), { ...first, failures: 9 });
      for (const { pace, attempt } of [first, verdict]) {
        for (const random of [0, 0.999]) {
          const waitMs = backoffMs({ pace, failures: attempt, random, retryAfterSeconds: 1 });
          expect(waitMs, `${phase} ${attempt} ${random}`).to.be.within(100, 300);
        }
      }
    }
  });

  it("takes a very short watch for none that has brought an event", () => {
    expect(judge(watch({ events: 1, seconds: 0.2 }), FRESH)).to.include({ pace: "none", failures: 0 });
  });

  it("takes a very short, empty watch for a failure", () => {
    expect(judge(watch({ seconds: 0.2 }), FRESH)).to.include({ pace: "fast", failures: 1 });
  });

  for (const [name, error, relist] of [
    ["410 Gone", status(410, "Gone"), "expired"],
    ["Expired", status(410, "Expired"), "expired"],
    ["ResourceVersionTooLarge", TOO_LARGE, "resource-version-too-large"],
    ["a long outage", new OutageError("pods", 20_000), "outage"],
    ["silence", new SilentWatchError("pods"), "silence"],
    ["a plain 504", status(504, "Timeout", "gateway"), undefined],
  ] as const) {
    it(`${relist === undefined ? "does not list" : "lists"} anew on ${name}, from a probe or a watch`, () => {
      for (const phase of ["probe", "watch"] as const) {
        expect(judge(watch({ phase, error }), FRESH).relist).to.equal(relist);
      }
    });
  }

  it("does not list anew because of any other cause that the server gives", () => {
    const details = { causes: [{ reason: "FieldValueInvalid", message: "Invalid value" }] };
    const error = new StatusError({ code: 504, reason: "Timeout", message: "gateway", details });
    expect(judge(watch({ phase: "watch", error }), FRESH).relist).to.equal(undefined);
  });

  it("lists anew after two silent watches in a row, not after one, and not if an event came between", () => {
    const silent = watch({ seconds: 75, error: new Error("silence") });
    const first = judge(silent, FRESH);
    expect(first).to.include({ relist: undefined, silentWatches: 1 });
    expect(judge(silent, first)).to.include({ relist: "silent-watches", silentWatches: 0 });
    const loud = judge(watch({ seconds: 75, events: 1 }), first);
    expect(judge(silent, loud).relist).to.equal(undefined);
  });

  it("does not count watches that were never answered as silent", () => {
    const refused = watch({ opened: false, error: new Error("refused") });
    expect(judge(refused, { ...FRESH, silentWatches: 1, failures: 1 })).to.include({
      relist: undefined,
      silentWatches: 1,
    });
  });

  it("does not spin between a list that works and a watch that is always too old", () => {
    let memory = FRESH;
    for (let i = 0; i < 5; i++) {
      memory = judge({ ...NO_WATCH, phase: "list", error: undefined }, memory);
      memory = judge(watch({ error: status(410, "Expired") }), memory);
    }
    expect(memory.failures).to.equal(5);
    expect(memory.counts.outdated).to.equal(5);
  });

  it("gives up watch lists for good on a 422 that names them, without a pause", () => {
    const refused: Round = {
      ...NO_WATCH,
      phase: "watch-list",
      error: status(422, "Invalid", "sendInitialEvents: Forbidden"),
    };
    expect(judge(refused, FRESH)).to.include({ watchList: "unsupported", pace: "none", failures: 0 });
    expect(judge({ ...refused, error: status(422, "Invalid", "labelSelector") }, FRESH).watchList).to.equal("skip");
  });

  it("lists in pages once where a watch list was answered but not completed", () => {
    const cut: Round = { ...NO_WATCH, phase: "watch-list", opened: true, error: new Error("cut") };
    expect(judge(cut, FRESH)).to.include({ watchList: "skip", relist: undefined });
    expect(judge({ ...cut, opened: false }, FRESH).watchList).to.equal("allowed");
    expect(judge({ ...cut, opened: false, error: status(429) }, FRESH).watchList).to.equal("allowed");
    expect(judge({ ...cut, opened: false, error: status(500) }, FRESH).watchList).to.equal("skip");
  });

  it("resumes a watch list that was cut after its end bookmark", () => {
    const cut: Round = { ...NO_WATCH, phase: "watch-list", opened: true, synced: true, error: new Error("cut") };
    expect(judge(cut, FRESH)).to.include({ watchList: "allowed", relist: undefined, silentWatches: 0, probe: true });
  });
});

describe("backoff", () => {
  const wait = (pace: "fast" | "slow", failures: number, random: number, retryAfterSeconds?: number) =>
    backoffMs({ pace, failures, random, retryAfterSeconds });

  it("grows from its first to its longest wait, jitter included", () => {
    for (const pace of ["fast", "slow"] as const) {
      expect(wait(pace, 1, 0)).to.equal(WATCH_BACKOFF_MS[pace].firstMs);
      expect(wait(pace, 2, 0.5)).to.equal(WATCH_BACKOFF_MS[pace].firstMs * 3);
      expect(wait(pace, 10_000, 0.999)).to.equal(WATCH_BACKOFF_MS[pace].longestMs);
    }
  });

  it("is never before Retry-After, nor hours after it", () => {
    expect(wait("slow", 1, 0, 7)).to.equal(7_000);
    expect(wait("slow", 1, 0, 86_400)).to.equal(120_000);
  });
});
