/**
 * Probes targets on their schedules, one probe for each distinct target, whoever asks. It has no socket and no timer
 * while no target is asked for.
 */

import type { Random } from "../async.js";
import type { Clock, Timer } from "../clock.js";
import { MAX_OPEN_PROBES, PROBE_EARLY_MS, PROBE_GRID_MS, PROBE_STALL_MS } from "../timings.js";
import type { Probe } from "./probe.js";
import type { ProbeResult } from "./probe-state.js";
import { keyOf, type ProbeTarget } from "./target.js";

/** @param at monotonic ms: when the probe was due. */
export type ProbeListener = (result: ProbeResult, at: number) => void;

/** A request to probe a target. */
export interface Subscription {
  /** Changes how often it is probed. */
  setInterval(intervalMs: number): void;
  end(): void;
}

export interface ProberProps {
  readonly clock: Clock;
  readonly random: Random;
  readonly probe: Probe;
  /** For the metric. @default none */
  readonly onProbe?: (result: "success" | "failure" | "skipped") => void;
}

interface Subscriber {
  intervalMs: number;
  readonly listener: ProbeListener;
}

interface Probed {
  readonly target: ProbeTarget;
  readonly key: string;
  readonly start: number;
  readonly subscribers: Set<Subscriber>;
  timer?: Timer;
  open?: OpenProbe;
}

interface OpenProbe {
  readonly controller: AbortController;
  /** Monotonic ms. */
  readonly began: number;
  /** Resolves when the subscribers have its result. */
  readonly ended: Promise<void>;
}

export class Prober {
  private readonly targets = new Map<string, Probed>();
  private openProbes = 0;

  constructor(private readonly props: ProberProps) {}

  /** Distinct targets. */
  get size(): number {
    return this.targets.size;
  }

  get open(): number {
    return this.openProbes;
  }

  /** The target with this key, if somebody asks for it. */
  target(key: string): ProbeTarget | undefined {
    return this.targets.get(key)?.target;
  }

  subscribe(target: ProbeTarget, intervalMs: number, listener: ProbeListener): Subscription {
    const probed = this.probedOf(target, intervalMs);
    const subscriber: Subscriber = { intervalMs, listener };
    probed.subscribers.add(subscriber);
    this.schedule(probed);
    return {
      setInterval: (ms) => {
        if (ms === subscriber.intervalMs || !probed.subscribers.has(subscriber)) return;
        subscriber.intervalMs = ms;
        this.schedule(probed);
      },
      end: () => {
        probed.subscribers.delete(subscriber);
        if (probed.subscribers.size === 0) this.drop(probed);
      },
    };
  }

  /** Ends all probes: no socket and no timer is left. */
  close(): void {
    for (const probed of [...this.targets.values()]) this.drop(probed);
  }

  private probedOf(target: ProbeTarget, intervalMs: number): Probed {
    const key = keyOf(target);
    const { clock, random } = this.props;
    // Common times: 1,000 probes that each wake the process alone cost half as much CPU time again.
    const start = Math.floor((clock.monotonic() + random() * intervalMs) / PROBE_GRID_MS) * PROBE_GRID_MS;
    const probed = this.targets.get(key) ?? { target, key, start, subscribers: new Set() };
    this.targets.set(key, probed);
    return probed;
  }

  private drop(probed: Probed): void {
    probed.subscribers.clear();
    probed.timer?.cancel();
    probed.open?.controller.abort(new Error("no longer probed"));
    if (this.targets.get(probed.key) === probed) this.targets.delete(probed.key);
  }

  /** At the shortest interval that a subscriber asks for. @param after the last time that a timer has served, which may be early */
  private schedule(probed: Probed, after = 0): void {
    const { clock } = this.props;
    probed.timer?.cancel();
    if (probed.subscribers.size === 0) return;
    const intervalMs = Math.min(...[...probed.subscribers].map((subscriber) => subscriber.intervalMs));
    const now = clock.monotonic();
    const at = nextTick({ start: probed.start, intervalMs }, Math.max(now, after));
    probed.timer = clock.setTimer(at - now, () => {
      this.due(probed, at);
      this.schedule(probed, at);
    });
  }

  private due(probed: Probed, at: number): void {
    const { open } = probed;
    if (open !== undefined) {
      // A probe that is still open gives the result of this time, too, unless its own time is over.
      if (!this.isOver(probed.target, open)) return;
      open.controller.abort(noAnswer(probed.target));
      void open.ended.then(() => this.begin(probed, at));
      return;
    }
    this.begin(probed, at);
  }

  /** Timers are late now and then: with a timeout as long as the interval, the next probe is due a little earlier. */
  private isOver({ timeoutMs }: ProbeTarget, { began }: OpenProbe): boolean {
    return this.props.clock.monotonic() - began >= timeoutMs - PROBE_EARLY_MS;
  }

  private begin(probed: Probed, at: number): void {
    if (probed.subscribers.size === 0 || probed.open !== undefined) return;
    if (this.openProbes >= MAX_OPEN_PROBES) {
      this.props.onProbe?.("skipped");
      return;
    }
    const controller = new AbortController();
    const began = this.props.clock.monotonic();
    this.openProbes += 1;
    const ended = this.run(probed, controller, { at, began });
    probed.open = { controller, began, ended };
  }

  private async run(
    probed: Probed,
    controller: AbortController,
    { at, began }: { readonly at: number; readonly began: number },
  ): Promise<void> {
    const { clock, probe } = this.props;
    const { target } = probed;
    const timer = clock.setTimer(target.timeoutMs, () => controller.abort(noAnswer(target)));
    const result = await probe(target, controller.signal);
    timer.cancel();
    this.openProbes -= 1;
    if (probed.open?.controller === controller) delete probed.open;
    this.deliver(probed, result, { at, tookMs: clock.monotonic() - began });
  }

  private deliver(
    { target, subscribers }: Probed,
    result: ProbeResult,
    { at, tookMs }: { readonly at: number; readonly tookMs: number },
  ): void {
    if (subscribers.size === 0) return;
    const stalled = !result.ok && tookMs > target.timeoutMs + PROBE_STALL_MS;
    this.props.onProbe?.(stalled ? "skipped" : result.ok ? "success" : "failure");
    if (stalled) return;
    for (const { listener } of [...subscribers]) listener(result, at);
  }
}

export function noAnswer({ timeoutMs }: Pick<ProbeTarget, "timeoutMs">): Error {
  return new Error(`no answer within ${timeoutMs / 1000} s`);
}

/** When a probe is due: each time is a multiple of the interval from one start, so that no delay adds up. */
interface Schedule {
  /** Monotonic ms. A random multiple of PROBE_GRID_MS within the interval, so that probes spread over it. */
  readonly start: number;
  readonly intervalMs: number;
}

/** The first time of the schedule after `now`: times that have passed are left out. Pure. */
export function nextTick({ start, intervalMs }: Schedule, now: number): number {
  if (now < start) return start;
  const next = start + (Math.floor((now - start) / intervalMs) + 1) * intervalMs;
  // The sum of fractions may round to `now` itself.
  return next > now ? next : next + intervalMs;
}
