import { expect } from "chai";
import { describe, it } from "mocha";
import { EXIT } from "../../src/exit.js";
import { silentLogger } from "../../src/logging.js";
import { Health } from "../../src/runtime/http-server.js";
import type { Elector } from "../../src/runtime/leader-elector.js";
import { type Drainable, Manager, type ManagerOptions, type Runnable } from "../../src/runtime/manager.js";
import { FakeClock } from "../support/time/fake-clock.js";

/** Parts that write down what happens to them. */
function setUp(options: Partial<ManagerOptions> = {}) {
  const clock = new FakeClock();
  const health = new Health();
  const story: string[] = [];
  const stop = new AbortController();
  const lost = new AbortController();
  const state = { synced: true };
  const part = (name: string): Runnable => ({
    name,
    run: (signal) => {
      story.push(`${name} runs`);
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          story.push(`${name} ends`);
          resolve();
        });
      });
    },
  });
  const controller = (drain: () => Promise<boolean> = async () => true): Drainable => ({
    ...part("controller"),
    drain: () => {
      story.push("controller drains");
      return drain();
    },
    check: () => undefined,
  });
  const elector: Elector = {
    run: async (giveUp, lead) => {
      story.push("elector stands");
      if (giveUp.aborted) return "stopped";
      const { release } = await lead(lost.signal);
      story.push(release ? "lease given up" : "lease kept");
      return lost.signal.aborted ? "lost" : "finished";
    },
  };
  const server = {
    name: "health",
    start: async () => void story.push("server starts"),
    stop: async () => void story.push("server stops"),
  };
  const manager = new Manager({
    clock,
    logger: silentLogger,
    health,
    elector,
    servers: [server],
    caches: [{ ...part("cache"), hasSynced: () => state.synced }],
    background: [part("recorder")],
    controllers: [controller()],
    ...options,
  });
  return { clock, health, story, stop, lost, state, part, controller, elector, manager };
}

describe("manager", () => {
  it("starts and ends its parts in order", async () => {
    const { clock, story, stop, manager } = setUp();
    const code = manager.run(stop.signal);
    await clock.flush();
    story.push("SIGTERM");
    stop.abort();

    expect(await code).to.equal(EXIT.ok);
    expect(story).to.deep.equal([
      "server starts",
      "cache runs",
      "recorder runs",
      "elector stands",
      "controller runs",
      "SIGTERM",
      "controller drains",
      "controller ends",
      "lease given up",
      "cache ends",
      "recorder ends",
      "server stops",
    ]);
    expect(clock.pendingTimers).to.equal(0);
  });

  it("stands for election only after every cache has synced, and says which it waits for", async () => {
    const { clock, health, story, stop, state, manager } = setUp();
    state.synced = false;
    const code = manager.run(stop.signal);
    await clock.advance(10_000);
    expect(story).not.to.include("elector stands");
    expect(health.report("readyz").text).to.include("[-]caches failed: not synced yet: cache");
    state.synced = true;
    await clock.advance(50);
    expect(story).to.include("elector stands");
    expect(health.report("readyz").ok).to.equal(true);
    stop.abort();
    await code;
  });

  it("is not ready while a cache that has synced is stale; it goes on leading", async () => {
    let stale: string | undefined;
    const { clock, health, story, stop, manager } = setUp({ stale: () => stale });
    const code = manager.run(stop.signal);
    await clock.advance(50);
    expect(health.report("readyz").ok).to.equal(true);
    stale = "stale: nodes";
    await clock.advance(3_600_000);
    expect(health.report("readyz").text).to.include("[-]caches failed: stale: nodes");
    expect(health.report("healthz").ok, "no restart").to.equal(true);
    expect(story.at(-1)).to.equal("controller runs");
    stop.abort();
    await code;
  });

  it("fails where the caches do not sync in time", async () => {
    const { clock, stop, state, manager } = setUp({ syncDeadlineMs: 1_000 });
    state.synced = false;
    const code = manager.run(stop.signal);
    await clock.advance(1_050);

    expect(await code).to.equal(EXIT.failed);
  });

  it("waits 5 minutes for its caches unless told otherwise, and then exits with code 1", async () => {
    const { clock, stop, state, story, manager } = setUp();
    state.synced = false;
    let ended: number | undefined;
    void manager.run(stop.signal).then((code) => {
      ended = code;
    });
    await clock.advance(5 * 60_000 - 1_000);
    expect(ended, "before").to.equal(undefined);
    await clock.advance(1_050);
    expect(ended).to.equal(1);
    expect(story).not.to.include("elector stands");
  });

  it("ends well if it is stopped before the caches have synced", async () => {
    const { clock, stop, state, story, manager } = setUp();
    state.synced = false;
    const code = manager.run(stop.signal);
    await clock.advance(1_000);
    stop.abort();

    expect(await code).to.equal(EXIT.ok);
    expect(story).not.to.include("elector stands");
  });

  it("aborts at once where the lease is lost, without draining or giving it up", async () => {
    const { clock, story, stop, lost, manager } = setUp();
    const code = manager.run(stop.signal);
    await clock.flush();
    lost.abort();

    expect(await code).to.equal(EXIT.leaseLost);
    expect(story).not.to.include("controller drains");
    expect(story).to.include("lease kept");
  });

  it("aborts at once where the lease is lost while draining", async () => {
    const slow = setUp().controller(() => new Promise(() => undefined));
    const { clock, stop, lost, manager } = setUp({ controllers: [slow] });
    const code = manager.run(stop.signal);
    await clock.flush();
    stop.abort();
    await clock.flush();
    lost.abort();

    expect(await code).to.equal(EXIT.leaseLost);
  });

  it("keeps the lease where a run did not end, so that it runs out by itself", async () => {
    const { clock, story, stop, manager } = setUp({ controllers: [setUp().controller(async () => false)] });
    const code = manager.run(stop.signal);
    await clock.flush();
    stop.abort();

    expect(await code).to.equal(EXIT.ok);
    expect(story).to.include("lease kept");
  });

  it("does not wait for ever for a controller that never ends", async () => {
    const deaf = { ...setUp().controller(), run: () => new Promise<void>(() => undefined) };
    const { clock, story, stop, manager } = setUp({ controllers: [deaf] });
    const code = manager.run(stop.signal);
    await clock.flush();
    stop.abort();
    await clock.advance(6_000);

    expect(await code).to.equal(EXIT.ok);
    expect(story).to.include("lease kept");
  });

  for (const [title, run] of [
    ["rejects", () => Promise.reject(new Error("broken"))],
    ["ends by itself", () => Promise.resolve()],
  ] as const) {
    it(`shuts down in order and fails where a part ${title}`, async () => {
      const broken = { name: "broken", run };
      const { clock, story, stop, manager } = setUp({ background: [broken] });
      const code = manager.run(stop.signal);
      await clock.flush();

      expect(await code).to.equal(EXIT.failed);
      expect(story).to.include("server stops");
      expect(story).not.to.include("lease kept");
    });
  }

  it("fails where a server cannot start", async () => {
    const refused = { name: "metrics", start: () => Promise.reject(new Error("in use")), stop: async () => undefined };
    const { stop, story, manager } = setUp({ servers: [refused] });

    expect(await manager.run(stop.signal)).to.equal(EXIT.failed);
    expect(story).to.deep.equal([]);
  });

  it("is not ready while it shuts down, but alive", async () => {
    let open: () => void = () => undefined;
    const drained = new Promise<boolean>((resolve) => {
      open = () => resolve(true);
    });
    const { clock, health, stop, manager } = setUp({ controllers: [setUp().controller(() => drained)] });
    const code = manager.run(stop.signal);
    await clock.flush();
    stop.abort();
    await clock.flush();
    expect(health.report("readyz").text).to.include("[-]shutdown failed");
    expect(health.report("healthz").ok).to.equal(true);
    open();
    await code;
  });

  it("leads while the cache of one kind has not synced, and says so in /readyz", async () => {
    const { clock, health, story, stop, manager } = setUp({
      caches: [{ name: "routedips", run: () => new Promise(() => undefined), hasSynced: () => false, ofOneKind: true }],
    });
    const code = manager.run(stop.signal);
    await clock.advance(100);
    expect(story).to.include("controller runs");
    expect(health.report("readyz").text).to.include("routedips");
    stop.abort();
    await clock.advance(10_000);
    expect(await code).to.equal(EXIT.ok);
  });
});
