import { expect } from "chai";
import { describe, it } from "mocha";
import { WorkQueue } from "../../src/runtime/queue.js";
import { done, failed, type Result, requeueAfter, settle } from "../../src/runtime/result.js";
import { FakeClock } from "../support/fake-clock.js";

describe("result of a run", () => {
  const table: [string, Result, { label: string; retries: number; delayed: number }][] = [
    ["done forgets the failures", done, { label: "success", retries: 0, delayed: 0 }],
    ["requeueAfter forgets and comes later", requeueAfter(1_000), { label: "requeue_after", retries: 0, delayed: 1 }],
    // At once, a run that came a moment too early would repeat itself for ever in that very moment.
    ["requeueAfter 0 lets time pass", requeueAfter(0), { label: "requeue_after", retries: 0, delayed: 1 }],
    ["an error backs off", failed(new Error("x")), { label: "error", retries: 3, delayed: 1 }],
  ];
  for (const [title, result, wanted] of table) {
    it(title, async () => {
      const clock = new FakeClock();
      const queue = new WorkQueue({ name: "q", clock, random: () => 0 });
      for (let failure = 0; failure < 2; failure++) queue.addRateLimited("a");
      await clock.advance(60_000);
      await queue.get();

      const label = settle(queue, "a", result);

      expect({ label, retries: queue.retries("a"), delayed: queue.delayedCount }).to.deep.equal(wanted);
    });
  }
});
