import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { WorkQueue, type WorkQueueOptions } from "../../src/runtime/queue.js";
import { FakeClock } from "../support/time/fake-clock.js";

function setUp(options: Partial<WorkQueueOptions> = {}) {
  const clock = new FakeClock();
  const queue = new WorkQueue({ name: "test", clock, ...options });
  return { clock, queue };
}

describe("work queue", () => {
  it("hands keys out in the order of their first add", async () => {
    const { queue } = setUp();
    for (const key of ["a", "b", "a", "c"]) queue.add(key);

    expect([await queue.get(), await queue.get(), await queue.get()]).to.deep.equal(["a", "b", "c"]);
    expect(queue.length).to.equal(0);
  });

  it("wakes a worker that waits", async () => {
    const { queue } = setUp();
    const taken = queue.get();
    queue.add("a");

    expect(await taken).to.equal("a");
  });

  it("brings a key that was added while processed once more, after done", async () => {
    const { queue } = setUp();
    queue.add("a");
    await queue.get();
    queue.add("a");
    queue.add("a");
    expect(queue.length).to.equal(0);

    queue.done("a");

    expect(await queue.get()).to.equal("a");
    queue.done("a");
    expect(queue.length).to.equal(0);
  });

  it("backs off 5 ms x 2^n up to 60 s for each key, and from the start after forget", async () => {
    const { clock, queue } = setUp();
    const waits: number[] = [];
    for (let failure = 0; failure < 16; failure++) {
      queue.addRateLimited("a");
      waits.push(clock.nextTimerMs ?? -1);
      await clock.advance(60_000);
      queue.done((await queue.get()) ?? "");
    }
    expect(waits.slice(0, 4)).to.deep.equal([5, 10, 20, 40]);
    expect(waits.slice(-2)).to.deep.equal([60_000, 60_000]);
    expect(queue.retries("a")).to.equal(16);

    queue.forget("a");
    queue.addRateLimited("a");

    expect(clock.nextTimerMs).to.equal(5);
  });

  it("spreads the retries of many keys by one bucket, none later than a minute", () => {
    const { clock, queue } = setUp();
    const waits: number[] = [];
    for (let index = 0; index < 1000; index++) {
      queue.addRateLimited(`key-${index}`);
      waits.push(clock.pendingTimers);
    }
    return clock.advance(300).then(async () => {
      // 100 at once (their own 5 ms), then one every 100 ms.
      expect(queue.length).to.equal(103);
      await clock.advance(60_000);
      expect(queue.length).to.equal(1000);
    });
  });

  it("holds a delayed key once, at the earliest time", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 1_000);
    queue.addAfter("a", 100);
    queue.addAfter("a", 5_000);
    expect(queue.delayedCount).to.equal(1);

    await clock.advance(99);
    expect(queue.length).to.equal(0);
    await clock.advance(1);
    expect(queue.length).to.equal(1);
    expect(clock.pendingTimers).to.equal(0);
  });

  it("drains: runs under way end, waiting keys are left, nothing new comes in", async () => {
    const { clock, queue } = setUp();
    for (const key of ["a", "b"]) queue.add(key);
    await queue.get();
    const drained = queue.drain(1_000);
    queue.add("c");
    queue.addAfter("d", 1);
    expect(await queue.get()).to.equal(undefined);

    queue.done("a");

    expect(await drained).to.equal(true);
    expect([queue.length, queue.delayedCount, clock.pendingTimers]).to.deep.equal([0, 0, 0]);
  });

  it("gives up draining at the deadline", async () => {
    const { clock, queue } = setUp();
    queue.add("a");
    await queue.get();
    const drained = queue.drain(1_000);
    await clock.advance(1_000);

    expect(await drained).to.equal(false);
  });

  it("lets every waiting worker go at shutdown", async () => {
    const { queue } = setUp();
    const workers = [queue.get(), queue.get()];
    queue.shutDown();

    expect(await Promise.all(workers)).to.deep.equal([undefined, undefined]);
  });

  it("refuses done for a key that is not processed", () => {
    expect(() => setUp().queue.done("a")).to.throw('done("a") without get()');
  });

  it("records client-go's metrics", async () => {
    const recorded: string[] = [];
    let ages: () => readonly number[] = () => [];
    const { clock, queue } = setUp({
      metrics: (name, running) => {
        ages = running;
        const record = (what: string) => (value?: number) =>
          void recorded.push(`${name} ${what} ${value ?? ""}`.trim());
        return {
          depth: record("depth"),
          added: record("added"),
          waited: record("waited"),
          worked: record("worked"),
          retried: record("retried"),
        };
      },
    });
    queue.add("a");
    await clock.advance(1_000);
    queue.add("a");
    await clock.advance(1_000);
    await queue.get();
    await clock.advance(3_000);
    expect(ages()).to.deep.equal([3]);
    queue.done("a");
    queue.addRateLimited("a");

    expect(recorded).to.deep.equal([
      "test added",
      "test depth 1",
      "test waited 2",
      "test depth 0",
      "test worked 3",
      "test retried",
    ]);
  });

  it("never hands a key to two workers and never loses one, in any order of events", async () => {
    const step = fc.record({
      what: fc.constantFrom("add", "after", "limited", "take", "done"),
      key: fc.constantFrom("a", "b", "c"),
      ms: fc.integer({ min: 0, max: 500 }),
    });
    const adders: Readonly<Record<string, (queue: WorkQueue, key: string, ms: number) => void>> = {
      add: (queue, key) => queue.add(key),
      after: (queue, key, ms) => queue.addAfter(key, ms),
      limited: (queue, key) => queue.addRateLimited(key),
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { clock, queue } = setUp();
        const processing = new Set<string>();
        const wanted = new Set<string>();
        const take = async () => {
          const key = String(await queue.get());
          expect(processing.has(key), `${key} twice at once`).to.equal(false);
          processing.add(key);
          wanted.delete(key);
        };
        for (const { what, key, ms } of steps) {
          if (Object.hasOwn(adders, what)) wanted.add(key);
          adders[what]?.(queue, key, ms);
          if (what === "done" && processing.delete(key)) queue.done(key);
          if (what !== "take") continue;
          if (queue.length > 0) await take();
          await clock.advance(ms);
        }
        await clock.advance(120_000);
        for (const key of processing) queue.done(key);
        processing.clear();
        while (queue.length > 0) await take();
        expect([...wanted], "keys added and never handed out").to.deep.equal([]);
      }),
      { numRuns: 60 },
    );
  });
});
