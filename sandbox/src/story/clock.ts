/**
 * The story's time: faster than the wall's, and in no hurry while there is work. What a busy machine, a long garbage
 * collection or a round trip takes is not multiplied, so that a story at 300 times the speed meets no deadline that it
 * would not meet at real speed.
 */

import { type Clock, sleepWith, systemClock, type Timer } from "flipop-operator/clock";

export interface StoryClockOptions {
  /** Wall clock of the story at its start, ms since the epoch. */
  readonly start: number;
  /** Story seconds in a real one, at most. */
  readonly speed: number;
  /** Real time. @default that of this machine */
  readonly real?: Pick<Clock, "now" | "monotonic">;
}

/** Real time, from the moment at which the story's time follows it. */
interface Following {
  readonly since: number;
  readonly passed: number;
}

interface Pending {
  readonly at: number;
  readonly sequence: number;
  readonly fn: () => void;
}

/** Real ms between two steps. */
const STEP_MS = 2;
/** Real ms that one step stands for at most: a busy machine slows the story down, and nothing in it. */
const LONGEST_STEP_MS = 4;
/** The same for a turn of the event loop in which answers are on their way: turns are short on an idle machine. */
const LONGEST_BUSY_STEP_MS = 1;
/** Turns of the event loop after traffic in which more of it is expected: enough for an answer to arrive ... */
const BUSY_STEPS = 40;
/** ... and the speed in them, and while an answer is awaited. */
const BUSY_SPEED = 5;
/** Longest wait for an answer, in real ms since the last answer: one that is never sent does not stop the story. */
const PATIENCE_MS = 250;

/** A request without an answer yet. */
interface Awaited {
  leftMs: number;
}

export class StoryClock implements Clock {
  /** Changed at any time. */
  speed: number;
  /** So many times the speed, for now. */
  hurry = 1;
  private start: number;
  private readonly pending = new Set<Pending>();
  private readonly listeners = new Set<() => void>();
  private readonly awaited = new Set<Awaited>();
  private sequence = 0;
  private passed = 0;
  private steppedAt = 0;
  private busySteps = 0;
  /** Ends the wait for the next step. */
  private cancel: (() => void) | undefined;
  private readonly real: Pick<Clock, "now" | "monotonic">;
  private following: Following | undefined;

  constructor({ start, speed, real = systemClock }: StoryClockOptions) {
    this.start = start;
    this.speed = speed;
    this.real = real;
  }

  now(): number {
    return this.following ? this.real.now() : this.start + this.passed;
  }

  monotonic(): number {
    return this.passed;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepWith(this, ms, signal);
  }

  setTimer(ms: number, fn: () => void): Timer {
    const entry: Pending = { at: this.passed + Math.max(0, ms), sequence: this.sequence++, fn };
    this.pending.add(entry);
    return { cancel: () => this.pending.delete(entry) };
  }

  /** Timers that are neither fired nor cancelled. */
  get pendingTimers(): number {
    return this.pending.size;
  }

  /** From now on, the wall clock is the real one, and timers fire after real time: a busy machine delays nothing. */
  followRealTime(): void {
    this.following = { since: this.real.monotonic(), passed: this.passed };
  }

  /** Time passes at the speed of the story again. */
  leaveRealTime(): void {
    this.start = this.now() - this.passed;
    this.following = undefined;
  }

  /** Time stands still before. */
  run(): void {
    if (this.cancel !== undefined) return;
    this.steppedAt = this.real.monotonic();
    this.again();
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
  }

  /** Somebody sent or got something: answers are on their way. */
  traffic(): void {
    this.busySteps = BUSY_STEPS;
  }

  /** Somebody sent a request. Time passes slowly until the function returned is called, or patience ends. */
  asked(): () => void {
    const request = { leftMs: PATIENCE_MS };
    this.awaited.add(request);
    return () => this.answered(request);
  }

  /** One by one, many answers take longer than the patience with one. */
  private answered(request: Awaited): void {
    if (!this.awaited.delete(request)) return;
    for (const other of this.awaited) other.leftMs = PATIENCE_MS;
  }

  /** Calls the listener after each step of time. */
  onStep(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private again(): void {
    const step = () => {
      this.again();
      this.step();
    };
    if (this.busySteps > 0 || this.awaited.size > 0) {
      const immediate = setImmediate(step);
      this.cancel = () => clearImmediate(immediate);
    } else {
      const timer = setTimeout(step, STEP_MS);
      this.cancel = () => clearTimeout(timer);
    }
  }

  private step(): void {
    const now = this.real.monotonic();
    const since = now - this.steppedAt;
    this.steppedAt = now;
    if (this.following === undefined) this.storyStep(since);
    else this.realStep(since, this.following.passed + now - this.following.since);
  }

  /** @param target ms that have passed by now */
  private realStep(since: number, target: number): void {
    this.busySteps--;
    this.waits(since);
    this.advance(target - this.passed);
    for (const listener of this.listeners) listener();
  }

  /** @param since real ms */
  private storyStep(since: number): void {
    const busy = this.waits(Math.min(since, LONGEST_STEP_MS)) || this.busySteps > 0;
    const real = Math.min(since, busy ? LONGEST_BUSY_STEP_MS : LONGEST_STEP_MS);
    this.busySteps--;
    const speed = busy ? Math.min(this.speed, BUSY_SPEED) : this.speed * this.hurry;
    const fired = this.advance(real * speed);
    if (busy && !fired) return;
    for (const listener of this.listeners) listener();
  }

  /** Whether an answer is awaited. @param real ms that were spent on that */
  private waits(real: number): boolean {
    const waits = this.awaited.size > 0;
    for (const request of this.awaited) {
      request.leftMs -= real;
      if (request.leftMs <= 0) this.awaited.delete(request);
    }
    return waits;
  }

  /** Up to the next timer only: what that one sets off comes before the one after it. Returns whether one was due. */
  private advance(ms: number): boolean {
    const target = this.passed + ms;
    const first = this.next();
    if (first === undefined || first.at > target) {
      this.passed = target;
      return false;
    }
    this.passed = Math.max(this.passed, first.at);
    for (let due: Pending | undefined = first; due !== undefined && due.at <= this.passed; due = this.next()) {
      this.pending.delete(due);
      due.fn();
    }
    return true;
  }

  private next(): Pending | undefined {
    let first: Pending | undefined;
    for (const entry of this.pending) {
      if (first === undefined || entry.at < first.at || (entry.at === first.at && entry.sequence < first.sequence)) {
        first = entry;
      }
    }
    return first;
  }
}
