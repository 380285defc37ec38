/** The pauses that an API asks for when it refuses calls: of all calls, or of one sort of calls where it answers the others. */

import type { Clock } from "../../clock.js";
import { heldBack, pauseRemedy } from "../../messages/action-reasons.js";
import { LONGEST_ASKED_WAIT_SECONDS, RATE_PROBE_SECONDS, RATE_RETURN_SECONDS, SECOND_MS } from "../../timings.js";
import { type ApiCall, type CallName, type CallPriority, callText } from "../call.js";
import { ProviderError, withProps } from "../errors.js";

const PROBE_MS = RATE_PROBE_SECONDS * SECOND_MS;

/** A call that was sent. */
export interface SentCall {
  /** Of the limiter. */
  readonly number: number;
  readonly name: CallName;
}

/** A pause that calls have to know about. */
interface HeldCalls {
  /** ms since the epoch: when the pause that the API asks for ends. */
  readonly until: number;
  /** Until the next call finds out whether the API still asks for it. */
  readonly probeSeconds: number;
}

/** A pause that the API has just asked for. */
export interface AskedPause extends HeldCalls {
  /** Until its end. */
  readonly seconds: number;
  /** It is for calls like the refused one alone. */
  readonly alone: boolean;
}

/** Also after its end, one call goes alone, and the others follow when it is answered. */
class Pause {
  /** Of the first refusal, monotonic ms. */
  readonly since: number;
  /** Monotonic ms. */
  end = Number.NEGATIVE_INFINITY;
  /** The same, ms since the epoch. */
  until = 0;
  /** Monotonic ms. */
  probeAt = Number.NEGATIVE_INFINITY;
  /** The call that finds out. */
  probe: { readonly number: number; readonly priority: CallPriority } | undefined;
  /** What the API refused. */
  readonly refused = new Set<CallName>();

  constructor(private readonly clock: Pick<Clock, "now" | "monotonic">) {
    this.since = clock.monotonic();
  }

  /** The API asks for it, or asks again. */
  ask(seconds: number): void {
    const now = this.clock.monotonic();
    // A long one keeps its end: a new one with each answer would be another text in each status.
    if (this.end - now <= PROBE_MS) {
      const ms = Math.min(seconds, LONGEST_ASKED_WAIT_SECONDS) * SECOND_MS;
      this.end = Math.max(this.end, now + ms);
      this.until = this.clock.now() + this.end - now;
    }
    this.probe = undefined;
    this.probeAt = Math.min(this.end, now + PROBE_MS);
  }

  /** The same for what it refused, where it answers other calls: the next call may look at once. */
  alone(): Pause {
    const pause = new Pause(this.clock);
    pause.end = this.end;
    pause.until = this.until;
    return pause;
  }

  held(now: number): HeldCalls {
    return { until: this.until, probeSeconds: Math.max(1, (this.probeAt - now) / SECOND_MS) };
  }
}

export class RatePause {
  private all: Pause | undefined;
  /** Of calls that the API refused while it answered another one. */
  private readonly ofCalls = new Map<CallName, Pause>();

  constructor(private readonly clock: Pick<Clock, "now" | "monotonic">) {}

  /** ms until the pause ends that the API asks for. */
  leftMs(now: number): number {
    return this.all === undefined ? 0 : Math.max(0, this.all.end - now);
  }

  /** The pause of all calls, where one looks earlier. */
  get long(): HeldCalls | undefined {
    const now = this.clock.monotonic();
    return this.leftMs(now) > PROBE_MS ? this.all?.held(now) : undefined;
  }

  /** How long the API has refused all calls by now. */
  get refusingSeconds(): number {
    const now = this.clock.monotonic();
    const { all } = this;
    return all === undefined || (all.end <= now && all.probe === undefined) ? 0 : (now - all.since) / SECOND_MS;
  }

  /** ms until a call of the class may be sent; infinite: another call has to be answered first. */
  waitMs(priority: CallPriority, now: number): number {
    if (this.all === undefined) return 0;
    const { probe, probeAt, end } = this.all;
    if (probe === undefined) return probeAt - now;
    // A move waits for the answer to a call of its own class alone, and only during the pause: the call may hang.
    const waits = priority !== "assignment" || (probe.priority === priority && now < end);
    return waits ? Number.POSITIVE_INFINITY : 0;
  }

  /** The pause of calls like this one alone. `undefined`: it may be sent. */
  heldAlone({ name }: Pick<ApiCall, "name">, now: number): HeldCalls | undefined {
    const pause = this.ofCalls.get(name);
    if (pause !== undefined && pause.end <= now) this.ofCalls.delete(name);
    return pause === undefined || pause.end <= now || (pause.probe === undefined && pause.probeAt <= now)
      ? undefined
      : pause.held(now);
  }

  /** A call is sent. */
  take({ number, name }: SentCall, priority: CallPriority): void {
    for (const pause of [this.all, this.ofCalls.get(name)]) if (pause !== undefined) pause.probe = { number, priority };
  }

  /** The API asks for a pause. @param call that it refused; absent: an answer shows that no call is left */
  ask(seconds: number, call?: SentCall): AskedPause {
    const own = call && this.ofCalls.get(call.name);
    if (own !== undefined && call !== undefined) this.unanswered(call);
    const pause = own ?? this.all ?? new Pause(this.clock);
    if (own === undefined) this.all = pause;
    if (call !== undefined) pause.refused.add(call.name);
    pause.ask(seconds);
    const now = this.clock.monotonic();
    return { ...pause.held(now), alone: own !== undefined, seconds: (pause.end - now) / SECOND_MS };
  }

  /** The API has answered a call: it does not limit it. */
  answered({ number, name }: SentCall): void {
    if (this.ofCalls.get(name)?.probe?.number === number) this.ofCalls.delete(name);
    const { all } = this;
    if (all?.probe?.number !== number) return;
    this.all = undefined;
    if (all.end <= this.clock.monotonic() || all.refused.has(name)) return;
    // Either their limit is their own, or it has ended early: their next call shows which.
    for (const refused of all.refused) this.ofCalls.set(refused, all.alone());
  }

  /** A call has ended without an answer: the next one looks, unless the pause is over. */
  unanswered({ number, name }: SentCall): void {
    const now = this.clock.monotonic();
    const own = this.ofCalls.get(name);
    if (own?.probe?.number === number) own.probe = undefined;
    if (this.all?.probe?.number !== number) return;
    this.all.probe = undefined;
    if (this.all.end <= now) this.all = undefined;
  }
}

/** A change whose limit is its own says nothing of the account. */
export function heldError(call: ApiCall, { until, probeSeconds }: HeldCalls, alone = false): ProviderError {
  return new ProviderError({
    kind: "RateLimited",
    where: callText(call),
    ...heldBack({ until, alone }),
    outcome: "not-sent",
    retrySafe: false,
    retryAfterSeconds: alone ? probeSeconds : Math.min(probeSeconds, RATE_RETURN_SECONDS),
    ...(alone && call.write && { reason: "GroupLimit" }),
  });
}

/** Callers come again sooner than the API asks: the limiter holds them back. */
export function refusedError(
  call: Pick<ApiCall, "write">,
  error: ProviderError,
  { alone, seconds, until }: AskedPause,
): ProviderError {
  const reason = alone && call.write ? ({ reason: "GroupLimit" } as const) : {};
  if (seconds <= RATE_PROBE_SECONDS) return alone ? withProps(error, reason) : error;
  const remedy = pauseRemedy(error.remedy, { until, alone });
  const retryAfterSeconds = alone ? RATE_PROBE_SECONDS : RATE_RETURN_SECONDS;
  return withProps(error, { ...reason, remedy, retryAfterSeconds });
}
