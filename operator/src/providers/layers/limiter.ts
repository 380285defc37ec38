/** Keeps calls under the API's limits, and gives each work class its share of them. */

import { anyAbort } from "../../async.js";
import type { Clock, Timer } from "../../clock.js";
import { failedCalls } from "../../messages/failed-calls.js";
import {
  CLOUD_CONNECTIONS,
  RATE_LIMIT_DEFAULT_WAIT_SECONDS,
  RATE_LIMIT_SHOWN_SECONDS,
  RESERVED_FOR_MOVES,
  RESERVED_FOR_RECORDS,
  SECOND_MS,
} from "../../timings.js";
import { type ApiCall, type CallLayer, type CallPriority, type RateFacts, requesterKey } from "../call.js";
import { isAnswer5xx, isProviderError, type ProviderError, supersededBecause, supersededError } from "../errors.js";
import { abortedError } from "./deadlines-and-retries.js";
import { type AskedPause, heldError, RatePause, refusedError, type SentCall } from "./rate-pause.js";
import { FairQueue, type Iteration, type RateLimit, ReportedBudget, SlidingWindow } from "./rate-windows.js";

interface Waiter {
  readonly call: ApiCall;
  admit(call: number): void;
  reject(error: unknown): void;
}

/** The limits of an account keep calls waiting. */
export interface LimitWait {
  /** Calls that wait now. */
  readonly calls: number;
  /** When the limits allow the next one, ms since the epoch. Absent: after the answer to one that tests whether a pause is over. */
  readonly until?: number;
  /** The API asks for this pause, and one call at a time looks earlier whether it is over. @default false */
  readonly paused?: boolean;
}

export interface RateLimiterOptions {
  /** Whether addresses move through this API: else nothing is reserved for moves. @default true */
  readonly movesAddresses?: boolean;
}

/**
 * One for each token: calls wait for a connection, for the documented windows, and for the budget that answers report. Moves
 * may use everything; the other classes leave them a reserve. After a refusal, one call a minute tries whether it still holds.
 */
export class RateLimiter {
  private readonly queue = new FairQueue<Waiter>();
  private readonly windows: readonly SlidingWindow[];
  /** The same, of calls that are no moves: a class that had its share has no claim to the reserve. */
  private readonly others: readonly SlidingWindow[];
  private readonly reported: ReportedBudget;
  /** Of each limit, what a class leaves to more urgent ones. */
  private readonly kept: Readonly<Record<CallPriority, number>>;
  private open = 0;
  private readonly pause: RatePause;
  private timer: Timer | undefined;

  /** @param limits as the API documents them; its headers speak of the longest. */
  constructor(
    private readonly clock: Clock,
    limits: readonly RateLimit[],
    { movesAddresses = true }: RateLimiterOptions = {},
  ) {
    this.pause = new RatePause(clock);
    this.windows = limits.map((limit) => new SlidingWindow(limit));
    this.others = limits.map((limit) => new SlidingWindow(limit));
    this.reported = new ReportedBudget(Math.max(1, ...limits.map(({ seconds }) => seconds)));
    const reserve = movesAddresses ? RESERVED_FOR_MOVES : 0;
    this.kept = { assignment: 0, records: reserve, check: reserve + RESERVED_FOR_RECORDS };
  }

  /** Seconds until the limits allow the next move of an address. */
  get limitSeconds(): number {
    return this.secondsOf(0);
  }

  /** @param kept the share of each limit that is left to others */
  private secondsOf(kept: number): number {
    const now = this.clock.monotonic();
    const waits = this.windows.map((window) => window.waitMs(now, window.share(kept)));
    return Math.max(this.pause.leftMs(now), this.reported.waitMs(now, kept), ...waits) / SECOND_MS;
  }

  /** Calls that wait. */
  get waiting(): number {
    return this.queue.size;
  }

  /** `undefined`: a call of the class would not wait long. */
  longWait(priority: CallPriority): LimitWait | undefined {
    const { long } = this.pause;
    if (long !== undefined) return { calls: this.waiting, until: long.until, paused: true };
    const seconds = this.secondsOf(this.kept[priority]);
    // Each of many short pauses says little: together they are long.
    if (Math.max(seconds, this.pause.refusingSeconds) < RATE_LIMIT_SHOWN_SECONDS) return undefined;
    if (seconds > 0) return { calls: this.waiting, until: this.clock.now() + seconds * SECOND_MS };
    // The pause is over, and one call tests that.
    return this.waiting === 0 ? undefined : { calls: this.waiting };
  }

  /**
   * Resolves when the call may be sent, with its number; `left` must follow. Rejects when its signal aborts first, and
   * as Superseded when the decision behind it does not hold at that moment: then it has used up nothing.
   */
  async admit(call: ApiCall): Promise<number> {
    const { signal } = call.context;
    const aborted = signal && anyAbort([signal]);
    let leave = () => {};
    try {
      return await new Promise<number>((admit, reject) => {
        leave = this.enter({ call, admit, reject });
        const abort = () => {
          leave();
          if (signal !== undefined) reject(this.lateError(call, signal));
        };
        aborted?.signal.addEventListener("abort", abort, { once: true });
        if (signal?.aborted === true) abort();
        this.pump();
      });
    } finally {
      leave();
      aborted?.dispose();
    }
  }

  /** A call that a long pause held back did not run into an outage. */
  private lateError(call: ApiCall, signal: AbortSignal): ProviderError {
    const error = abortedError(call, signal, "not-sent", failedCalls.limitLate);
    const { long } = this.pause;
    return long === undefined || error.reason !== "DeadlineExceeded" ? error : heldError(call, long);
  }

  /** Queues a call in its class, and in a more urgent one as soon as its urgency rises. @returns takes it out */
  private enter(waiter: Waiter): () => void {
    const { requester, urgency, priority: fixed } = waiter.call.context;
    const [key, since] = [requesterKey(requester), this.clock.monotonic()];
    let priority = urgency?.priority ?? fixed;
    const end = urgency?.onRaise(() => {
      if (!this.queue.remove(priority, key, waiter)) return;
      priority = urgency.priority;
      this.queue.push(priority, key, waiter, since);
      this.pump();
    });
    this.queue.push(priority, key, waiter, since);
    return () => {
      end?.();
      this.queue.remove(priority, key, waiter);
    };
  }

  /** An admitted call has ended, however. */
  left(): void {
    this.open -= 1;
    this.pump();
  }

  /** An answer showed how many calls are left. @param call its number */
  heard(facts: RateFacts, call: number): void {
    const { remaining, resetAt } = facts;
    this.reported.heard(facts, call, this.clock.monotonic());
    // Nothing is left until then, however fast the window refills on average.
    if (remaining <= 0 && resetAt !== undefined) this.pause.ask((resetAt - this.clock.now()) / SECOND_MS);
    this.pump();
  }

  /** The API refused a call for its rate. */
  refused(seconds = RATE_LIMIT_DEFAULT_WAIT_SECONDS, call?: SentCall): AskedPause {
    return this.pause.ask(seconds, call);
  }

  /** The API answered a call. */
  answered(call: SentCall): void {
    this.pause.answered(call);
  }

  /** @returns the error for whoever asked. */
  failed(call: ApiCall, number: number, error: unknown): unknown {
    const { name, group } = call;
    const isLimit = isProviderError(error, "RateLimited");
    if (isLimit && group === undefined)
      return refusedError(call, error, this.refused(error.retryAfterSeconds, { name, number }));
    const isAnswer = !isLimit && isProviderError(error) && (error.outcome === "refused" || isAnswer5xx(error));
    if (isAnswer) this.pause.answered({ name, number });
    else this.pause.unanswered({ name, number });
    return error;
  }

  /** Lets go whoever may, and sets a timer for the next. */
  private pump(): void {
    this.timer?.cancel();
    this.timer = undefined;
    for (;;) {
      const now = this.clock.monotonic();
      const next = this.next(now);
      if (next === undefined) return;
      if (typeof next === "number") {
        this.timer = this.clock.setTimer(Math.ceil(next), () => this.pump());
        return;
      }
      this.serve(next, now);
    }
  }

  /** The class whose turn it is, or ms until one may have it. `undefined`: no call waits, or only for a connection. */
  private next(now: number): CallPriority | number | undefined {
    const waits: number[] = [];
    for (const iteration of this.queue.turns(now)) {
      const wait = this.waitMs(iteration, now);
      if (wait <= 0) return iteration.priority;
      waits.push(wait);
    }
    const least = Math.min(...waits);
    return Number.isFinite(least) ? least : undefined;
  }

  private serve(priority: CallPriority, now: number): void {
    const waiter = this.queue.take(priority);
    if (waiter === undefined) return;
    const objection = this.objectionTo(waiter.call, now);
    if (objection !== undefined) {
      waiter.reject(objection.error);
      return;
    }
    this.queue.served(priority);
    this.open += 1;
    for (const window of this.windows) window.take(now);
    if (priority !== "assignment") for (const window of this.others) window.take(now);
    const number = this.reported.take(now);
    this.pause.take({ number, name: waiter.call.name }, priority);
    waiter.admit(number);
  }

  private objectionTo(call: ApiCall, now: number): Objection | undefined {
    const held = this.pause.heldAlone(call, now);
    return held === undefined ? objectionTo(call, now) : { error: heldError(call, held, true) };
  }

  private waitMs({ priority, limits }: Iteration, now: number): number {
    const kept = this.kept[limits];
    if (this.open >= CLOUD_CONNECTIONS - Math.floor(CLOUD_CONNECTIONS * kept)) return Number.POSITIVE_INFINITY;
    return Math.max(
      this.pause.waitMs(priority, now),
      this.reported.waitMs(now, kept),
      ...this.windows.map((window) => window.waitMs(now, window.share(kept))),
      ...(limits === priority ? [] : this.others.map((own) => own.waitMs(now, own.share(this.kept[priority])))),
    );
  }
}

interface Objection {
  readonly error: unknown;
}

/** Why a call must not be sent now. A check that fails is the fault of its caller, who gets the error. */
function objectionTo(call: ApiCall, now: number): Objection | undefined {
  try {
    const because = supersededBecause(call, now);
    return because === undefined ? undefined : { error: supersededError(call, because) };
  } catch (error) {
    return { error };
  }
}

/** @param waited ms that a call waited before it was sent. */
export function withRateLimit(
  limiter: RateLimiter,
  clock: Pick<Clock, "monotonic">,
  waited: (call: ApiCall, ms: number) => void = () => undefined,
): CallLayer {
  return (next) => async (call, send) => {
    const start = clock.monotonic();
    const number = await limiter.admit(call);
    waited(call, clock.monotonic() - start);
    try {
      const answer = await next(call, (attempt) =>
        send({
          ...attempt,
          sawLimit: (facts) => {
            limiter.heard(facts, number);
            attempt.sawLimit(facts);
          },
        }),
      );
      limiter.answered({ number, name: call.name });
      return answer;
    } catch (error) {
      throw limiter.failed(call, number, error);
    } finally {
      limiter.left();
    }
  };
}
