import { expect } from "chai";
import fc from "fast-check";
import { beforeEach, describe, it } from "mocha";
import type { Clock } from "../../src/clock.js";
import type { Probe } from "../../src/health/probe.js";
import type { ProbeResult } from "../../src/health/probe-state.js";
import { nextTick, Prober } from "../../src/health/prober.js";
import type { ProbeTarget } from "../../src/health/target.js";
import { MAX_OPEN_PROBES, PROBE_STALL_MS } from "../../src/timings.js";
import { FakeClock } from "../support/time/fake-clock.js";

const INTERVAL = 1_000;
const TIMEOUT = 800;

function target(port: number, more: Partial<ProbeTarget> = {}): ProbeTarget {
  return {
    ...{ type: "TCP", host: "10.0.0.1", port, timeoutMs: TIMEOUT, path: "/" },
    ...{ expectedStatuses: [], insecureSkipVerify: false },
    ...more,
  };
}

describe("the prober", () => {
  let clock: FakeClock;
  let sent: { readonly port: number; readonly at: number }[];
  /** How a probe ends. @default at once, with a success */
  let answer: Probe;
  let prober: Prober;
  let probe: Probe;
  let counted: string[];

  /** Ends as an abort does, and never by itself. */
  const silent: Probe = (_target, signal) =>
    new Promise((resolve) => {
      const end = () => resolve({ ok: false, error: (signal.reason as Error).message });
      signal.addEventListener("abort", end, { once: true });
    });

  beforeEach(() => {
    clock = new FakeClock();
    sent = [];
    counted = [];
    answer = () => Promise.resolve({ ok: true });
    probe = (probed, signal) => {
      sent.push({ port: probed.port, at: clock.monotonic() });
      return answer(probed, signal);
    };
    prober = new Prober({ clock, random: () => 0.25, probe, onProbe: (result) => counted.push(result) });
  });

  const subscribe = (port: number, intervalMs = INTERVAL) => {
    const heard: { readonly result: ProbeResult; readonly at: number }[] = [];
    const subscription = prober.subscribe(target(port), intervalMs, (result, at) => heard.push({ result, at }));
    return { ...subscription, heard };
  };

  it("has no timer while no target is asked for", () => {
    expect(clock.pendingTimers).to.equal(0);
    const { end } = subscribe(80);
    expect(clock.pendingTimers).to.equal(1);
    end();
    expect([clock.pendingTimers, prober.size]).to.deep.equal([0, 0]);
  });

  it("starts at a random time within the interval and keeps to the schedule", async () => {
    subscribe(80);
    await clock.advance(5 * INTERVAL);
    expect(sent.map(({ at }) => at)).to.deep.equal([250, 1_250, 2_250, 3_250, 4_250]);
  });

  it("starts the probes of many targets together, at 40 times in each second", async () => {
    const random = Array.from({ length: 200 }, (_none, index) => index / 200);
    prober = new Prober({ clock, random: () => random.pop() ?? 0, probe });
    for (let port = 1; port <= 200; port++) subscribe(port);
    await clock.advance(2 * INTERVAL);
    const times = new Set(sent.map(({ at }) => at % INTERVAL));
    expect(sent.length).to.equal(400);
    expect([...times].sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 40 }, (_none, index) => index * 25));
  });

  it("sends one probe for each time of the schedule, also if timers fire early", async () => {
    const early: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
      setTimer: (ms, fn) => clock.setTimer(ms - 1, fn),
    };
    prober = new Prober({ clock: early, random: () => 0.25, probe });
    subscribe(80);
    await clock.advance(5 * INTERVAL);
    expect(sent.map(({ at }) => at)).to.deep.equal([249, 1_249, 2_249, 3_249, 4_249]);
  });

  it("sends one probe for all who ask for the same target", async () => {
    const [first, second] = [subscribe(80), subscribe(80)];
    await clock.advance(3 * INTERVAL);
    expect(sent).to.have.length(3);
    expect(first.heard).to.deep.equal(second.heard);
    expect(first.heard).to.have.length(3);
  });

  it("probes at the shortest interval of all resources, and less often once that resource is gone", async () => {
    subscribe(80, 5 * INTERVAL);
    const often = subscribe(80);
    await clock.advance(10 * INTERVAL);
    expect(sent.length).to.be.within(8, 10);
    often.setInterval(5 * INTERVAL);
    sent = [];
    await clock.advance(10 * INTERVAL);
    expect(sent).to.have.length(2);
  });

  it("gives up a probe after its timeout, and says so", async () => {
    answer = silent;
    const { heard } = subscribe(80);
    await clock.advance(250 + TIMEOUT - 1);
    expect([heard.length, prober.open]).to.deep.equal([0, 1]);
    await clock.advance(1);
    expect(heard).to.deep.equal([{ result: { ok: false, error: "no answer within 0.8 s" }, at: 250 }]);
    expect(prober.open).to.equal(0);
  });

  it("does not count a timeout that it noticed too late itself", async () => {
    answer = silent;
    const { heard } = subscribe(80);
    await clock.advance(250);
    await clock.stall(TIMEOUT + PROBE_STALL_MS + 1);
    expect(heard).to.deep.equal([]);
    expect(counted).to.deep.equal(["skipped"]);
  });

  it("sends no second probe while one is open", async () => {
    prober.subscribe(target(80, { timeoutMs: 10 * INTERVAL }), INTERVAL, () => undefined);
    answer = silent;
    await clock.advance(5 * INTERVAL);
    expect(sent).to.have.length(1);
  });

  it("probes a target that never answers at each interval, also if the timeout is as long and a timer was late", async () => {
    const heard: number[] = [];
    const late = target(80, { timeoutMs: INTERVAL });
    prober.subscribe(late, INTERVAL, ({ ok }, at) => heard.push(ok ? Number.NaN : at));
    answer = silent;
    await clock.stall(252);
    await clock.advance(4 * INTERVAL);
    expect(sent.map(({ at }) => at)).to.deep.equal([252, 1_250, 2_250, 3_250, 4_250]);
    expect(heard).to.deep.equal([250, 1_250, 2_250, 3_250]);
    expect(prober.open).to.equal(1);
  });

  it("opens a bounded number of probes, and does not take those that it left out for failures", async () => {
    answer = silent;
    const all = Array.from({ length: MAX_OPEN_PROBES + 10 }, (_, index) => subscribe(index + 1));
    await clock.advance(INTERVAL / 2);
    expect(prober.open).to.equal(MAX_OPEN_PROBES);
    expect(counted).to.deep.equal(Array.from({ length: 10 }, () => "skipped"));
    expect(all.slice(-10).every(({ heard }) => heard.length === 0)).to.equal(true);
  });

  it("leaves nothing behind when it is closed, and reports nothing more", async () => {
    answer = silent;
    const { heard } = subscribe(80);
    await clock.advance(300);
    prober.close();
    await clock.flush();
    expect([clock.pendingTimers, prober.open, prober.size, heard.length]).to.deep.equal([0, 0, 0, 0]);
  });

  it("probes thousands of targets without leaving a timer or a probe behind", async () => {
    const all = Array.from({ length: 2_000 }, (_, index) => subscribe(index + 1));
    await clock.advance(3 * INTERVAL);
    expect(all.every(({ heard }) => heard.length === 3)).to.equal(true);
    for (const { end } of all) end();
    expect([clock.pendingTimers, prober.open]).to.deep.equal([0, 0]);
  });
});

describe("the schedule of a probe", () => {
  const schedule = fc.record({
    start: fc.double({ min: 0, max: 1e9, noNaN: true }),
    intervalMs: fc.double({ min: 1, max: 300_000, noNaN: true }),
  });
  const time = fc.double({ min: 0, max: 2e9, noNaN: true });

  it("is always ahead, by one interval at most once it has begun", () => {
    fc.assert(
      fc.property(schedule, time, (own, now) => {
        const next = nextTick(own, now);
        if (now < own.start) expect(next).to.equal(own.start);
        else {
          expect(next).to.be.greaterThan(now);
          expect(next - now).to.be.at.most(own.intervalMs * 1.001 + 1e-3);
        }
      }),
    );
  });

  it("does not drift, however late each timer fires", () => {
    const own = { start: 250, intervalMs: 1_000 };
    let now = 0;
    const ticks: number[] = [];
    for (let count = 0; count < 100; count++) {
      const at = nextTick(own, now);
      ticks.push(at);
      now = at + 7;
    }
    expect(ticks).to.deep.equal(Array.from({ length: 100 }, (_, index) => 250 + index * 1_000));
  });

  it("leaves out the times that passed while the process stood still", () => {
    expect(nextTick({ start: 0, intervalMs: 1_000 }, 10_500)).to.equal(11_000);
  });
});
