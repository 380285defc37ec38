import { expect } from "chai";
import { describe, it } from "mocha";
import { silentLogger } from "../../src/logging.js";
import { controllerMetrics, queueMetrics } from "../../src/metrics/controller.js";
import { MetricsRegistry } from "../../src/metrics/registry.js";
import {
  Controller,
  type ControllerOptions,
  done,
  failed,
  type Reconcile,
  type Result,
  requeueAfter,
  settle,
} from "../../src/runtime/controller.js";
import { WorkQueue } from "../../src/runtime/queue.js";
import { ABORT_GRACE_MS } from "../../src/timings.js";
import { FakeClock } from "../support/time/fake-clock.js";

function setUp(reconcile: Reconcile, options: Partial<ControllerOptions> = {}) {
  const clock = new FakeClock();
  const registry = new MetricsRegistry();
  const stop = new AbortController();
  const controller = new Controller({
    name: "pools",
    reconcile,
    clock,
    logger: silentLogger,
    keys: () => [],
    random: () => 0.5,
    metrics: { queue: queueMetrics(registry), controller: controllerMetrics(registry) },
    ...options,
  });
  const running = controller.run(stop.signal);
  return { clock, registry, controller, stop, running };
}

/** A promise and the function that resolves it. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe("controller", () => {
  it("runs a key with a logger and a signal of its own, and is done", async () => {
    const seen: string[] = [];
    const { clock, controller, registry } = setUp(async (key, run) => {
      seen.push(`${key} ${run.signal.aborted}`);
      return done;
    });
    controller.add("ns/web");
    await clock.advance(60_000);

    expect(seen).to.deep.equal(["ns/web false"]);
    expect(await registry.text()).to.include(
      'controller_runtime_reconcile_total{controller="pools",result="success"} 1',
    );
  });

  it("runs a key again after requeueAfter, or before when it is added", async () => {
    const at: number[] = [];
    const { clock, controller } = setUp(async () => {
      at.push(clock.monotonic());
      return requeueAfter(10_000);
    });
    controller.add("a");
    await clock.advance(10_000);
    controller.add("a");
    await clock.advance(0);

    expect(at).to.deep.equal([0, 10_000, 10_000]);
  });

  for (const [title, end] of [
    ["returns an error", async () => failed(new Error("no"))],
    ["throws", () => Promise.reject(new Error("no"))],
    [
      "throws before its first await",
      () => {
        throw new Error("no");
      },
    ],
  ] as const) {
    it(`retries with backoff when a run ${title}`, async () => {
      const at: number[] = [];
      const { clock, controller, registry } = setUp((): Promise<never> | ReturnType<Reconcile> => {
        at.push(clock.monotonic());
        return end();
      });
      controller.add("a");
      await clock.advance(40);

      expect(at).to.deep.equal([0, 5, 15, 35]);
      expect(await registry.text()).to.include('controller_runtime_reconcile_errors_total{controller="pools"} 4');
    });
  }

  it("starts the backoff anew after a good run", async () => {
    const results = [failed("x"), failed("x"), done, failed("x"), done];
    const at: number[] = [];
    const { clock, controller } = setUp(async () => {
      at.push(clock.monotonic());
      return results.shift() ?? done;
    });
    controller.add("a");
    await clock.advance(1_000);
    controller.add("a");
    await clock.advance(1_000);

    expect(at).to.deep.equal([0, 5, 15, 1_000, 1_005]);
  });

  it("aborts a run at its deadline and retries", async () => {
    let aborted: unknown;
    const { clock, controller } = setUp(
      (_key, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted = signal.reason;
            reject(signal.reason as Error);
          });
        }),
      { deadlineMs: 1_000 },
    );
    controller.add("ns/web");
    await clock.advance(1_000);

    expect(String(aborted)).to.equal('Error: the run of "ns/web" took longer than its 1 s');
  });

  it("goes on without a run that ignores its abort, and never runs its key beside it", async () => {
    const { open, opened } = gate();
    const seen: string[] = [];
    const { clock, controller } = setUp(
      async (key) => {
        seen.push(key);
        if (key === "stuck") await opened;
        return done;
      },
      { deadlineMs: 1_000 },
    );
    for (const key of ["stuck", "next"]) controller.add(key);
    await clock.advance(1_000 + ABORT_GRACE_MS);
    controller.add("stuck");
    await clock.advance(1_000);
    expect(seen).to.deep.equal(["stuck", "next"]);
    expect(controller.check()).to.equal("1 runs ignore their deadline, first stuck");

    open();
    await clock.advance(0);

    expect(seen).to.deep.equal(["stuck", "next", "stuck"]);
    expect(controller.check()).to.equal(undefined);
  });

  it("runs as many keys at once as it has workers", async () => {
    const { open, opened } = gate();
    let most = 0;
    let now = 0;
    const { clock, controller, registry } = setUp(
      async () => {
        now += 1;
        most = Math.max(most, now);
        await opened;
        now -= 1;
        return done;
      },
      { workers: 3 },
    );
    for (const key of ["a", "b", "c", "d"]) controller.add(key);
    await clock.flush();
    const text = await registry.text();
    open();
    await clock.flush();

    expect(most).to.equal(3);
    expect(text).to.include('controller_runtime_active_workers{controller="pools"} 3');
    expect(text).to.include('controller_runtime_max_concurrent_reconciles{controller="pools"} 3');
    expect(await registry.text()).to.include('controller_runtime_active_workers{controller="pools"} 0');
  });

  it("runs everything at the start and at each resync, spread out", async () => {
    const at: [string, number][] = [];
    const { clock } = setUp(
      async (key) => {
        at.push([key, clock.monotonic()]);
        return done;
      },
      { keys: () => ["a", "b"], resyncMs: 100_000, random: () => 0.25 },
    );
    await clock.advance(130_000);

    // 100 s, longer by a quarter of a fifth, and a quarter of the spread of a fifth.
    expect(at).to.deep.equal([
      ["a", 0],
      ["b", 0],
      ["a", 110_000],
      ["b", 110_000],
    ]);
  });

  it("survives a resync that throws", async () => {
    let calls = 0;
    const keys = () => {
      calls += 1;
      if (calls < 3) throw new Error("store is broken");
      return ["a"];
    };
    const seen: string[] = [];
    const { clock } = setUp(
      async (key) => {
        seen.push(key);
        return done;
      },
      { keys, resyncMs: 1_000 },
    );
    await clock.advance(5_000);

    expect(seen).to.include("a");
  });

  it("ends when it is stopped, aborting what runs, and leaves no timer", async () => {
    const { clock, controller, stop, running } = setUp(
      (_key, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    );
    controller.add("a");
    controller.addAfter("b", 1_000);
    await clock.advance(0);
    stop.abort();
    await running;

    expect(clock.pendingTimers).to.equal(0);
  });

  it("ends within the grace even where a run never does", async () => {
    const { clock, controller, stop, running } = setUp(() => new Promise(() => undefined));
    controller.add("a");
    await clock.advance(0);
    stop.abort();
    await clock.advance(ABORT_GRACE_MS);

    await running;
  });

  it("drains: the run under way ends well, the waiting key is not begun", async () => {
    const { open, opened } = gate();
    const seen: string[] = [];
    const { clock, controller } = setUp(async (key) => {
      seen.push(key);
      await opened;
      return done;
    });
    for (const key of ["a", "b"]) controller.add(key);
    await clock.advance(0);
    const drained = controller.drain(10_000);
    open();

    expect(await drained).to.equal(true);
    expect(seen).to.deep.equal(["a"]);
  });
});

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
      const queue = new WorkQueue({ name: "q", clock });
      for (let failure = 0; failure < 2; failure++) queue.addRateLimited("a");
      await clock.advance(60_000);
      await queue.get();

      const label = settle(queue, "a", result);

      expect({ label, retries: queue.retries("a"), delayed: queue.delayedCount }).to.deep.equal(wanted);
    });
  }
});
