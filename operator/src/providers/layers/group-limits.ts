/** Limits that an API has for one group of calls beside those for all, such as the creations of addresses. */

import type { Clock } from "../../clock.js";
import { failedCalls } from "../../messages/failed-calls.js";
import { RATE_LIMIT_DEFAULT_WAIT_SECONDS, RATE_WINDOW_MARGIN_MS, SECOND_MS, TURN_KEPT_MS } from "../../timings.js";
import { type ApiCall, type CallGroup, type CallLayer, callText, type Requester, requesterKey } from "../call.js";
import { isProviderError, ProviderError, withProps } from "../errors.js";
import type { RateLimit } from "./rate-windows.js";

/** A turn to come, and the limit that it waits for. */
export interface GroupTurn extends Pick<RateLimit, "calls" | "seconds"> {
  /** ms since the epoch. */
  readonly until: number;
}

/**
 * The limit of one group of calls. Who comes too early gets a turn: the time at which the limit has room again, after
 * everybody who came before. So a hundred creations that wait cost a try or two each.
 */
export class GroupLimit {
  /** When the last calls were sent, monotonic ms. */
  private sent: number[] = [];
  /** Of each asker that waits, monotonic ms. */
  private readonly turns = new Map<string, number>();
  private blockedUntil = 0;

  constructor(
    private readonly clock: Pick<Clock, "now" | "monotonic">,
    readonly limit: RateLimit,
  ) {}

  /** The turn of an asker that must wait. `undefined`: it may send its call now. */
  turnOf(requester: Requester): GroupTurn | undefined {
    const waitSeconds = this.waitSeconds(requesterKey(requester));
    const { calls, seconds } = this.limit;
    return waitSeconds === 0 ? undefined : { calls, seconds, until: this.clock.now() + waitSeconds * SECOND_MS };
  }

  /** Seconds until the asker may send its next call; 0: it has its turn now. */
  waitSeconds(requester: string): number {
    const now = this.clock.monotonic();
    for (const [key, at] of this.turns) if (at + TURN_KEPT_MS < now) this.turns.delete(key);
    const turn = Math.max(this.turns.get(requester) ?? this.nextTurn(now), this.blockedUntil, this.roomAt());
    this.turns.set(requester, turn);
    return Math.max(0, turn - now) / SECOND_MS;
  }

  /** The asker sends its call. */
  take(requester: string): void {
    this.turns.delete(requester);
    this.sent = [...this.sent, this.clock.monotonic()].slice(-this.limit.calls);
  }

  refused(retryAfterSeconds: number): void {
    this.blockedUntil = Math.max(this.blockedUntil, this.clock.monotonic() + retryAfterSeconds * SECOND_MS);
  }

  /** When the calls that were sent leave room for another one. */
  private roomAt(): number {
    return this.after(this.sent);
  }

  /** The same, with the calls of all who wait. */
  private nextTurn(now: number): number {
    return Math.max(now, this.after([...this.sent, ...this.turns.values()].sort((a, b) => a - b)));
  }

  private after(times: readonly number[]): number {
    const { calls, seconds } = this.limit;
    const oldest = times.at(-calls);
    return times.length < calls || oldest === undefined ? 0 : oldest + seconds * SECOND_MS + RATE_WINDOW_MARGIN_MS;
  }
}

export function groupLimits(limits: readonly RateLimit[], clock: Clock): ReadonlyMap<CallGroup, GroupLimit> {
  const groups = new Map<CallGroup, GroupLimit>();
  for (const limit of limits) if (limit.group !== undefined) groups.set(limit.group, new GroupLimit(clock, limit));
  return groups;
}

/**
 * A call beyond the limit of its group fails at once, and its caller plans when to try again: a wait here would hold up
 * the other actions of the resource. What the API refuses holds up the group alone, not the moves of addresses.
 */
export function withGroupLimits(limits: ReadonlyMap<CallGroup, GroupLimit>): CallLayer {
  return (next) => async (call, send) => {
    const group = call.group && limits.get(call.group);
    if (group === undefined) return next(call, send);
    const requester = requesterKey(call.context.requester);
    checkTurn(call, group, requester);
    try {
      return await next(call, async (attempt) => {
        // Others of the group may have been sent while this one waited for the limits of all calls.
        checkTurn(call, group, requester);
        group.take(requester);
        return send(attempt);
      });
    } catch (error) {
      if (!isProviderError(error, "RateLimited") || error.outcome === "not-sent") throw error;
      const { retryAfterSeconds = RATE_LIMIT_DEFAULT_WAIT_SECONDS } = error;
      group.refused(retryAfterSeconds);
      throw withProps(error, { reason: "GroupLimit", retryAfterSeconds, retrySafe: false });
    }
  };
}

function checkTurn(call: ApiCall, group: GroupLimit, requester: string): void {
  const retryAfterSeconds = group.waitSeconds(requester);
  if (retryAfterSeconds === 0) return;
  throw new ProviderError({
    kind: "RateLimited",
    where: callText(call),
    ...failedCalls.groupLimit(group.limit),
    outcome: "not-sent",
    reason: "GroupLimit",
    retrySafe: false,
    retryAfterSeconds,
  });
}
