/**
 * The fence: checks before each write that this process still holds the lease. It compares clock readings, so it also stops
 * a process that was stalled and whose timers have not run yet.
 */

import type { Clock } from "../clock.js";
import type { KubeClient, KubeRequest } from "../kube/client.js";
import {
  CALL_MARGIN_MS,
  CALL_MARGIN_SHARE,
  CUT_OFF_WRITE_MS,
  ELECTION_TIMINGS,
  KUBE_CALL_SECONDS,
  SECOND_MS,
} from "../timings.js";

export interface Fence {
  /** Throws `NotLeaderError` unless a write may start now. Ask right before each write, in the same turn. */
  assertHeld(): void;
  /** ms that a write started now may take, its own deadline: it ends `callMarginMs` before the renew deadline. */
  remainingMs(): number;
  /** Calls the listener each time the fence opens again after it shut by itself: the lease was renewed late. @default never */
  onReopen?(listener: () => void): void;
  /** Each write passes through here, with the signal that may cut it off. Settles as the write does. */
  track?<T>(write: Promise<T>, signal?: AbortSignal): Promise<T>;
}

export class NotLeaderError extends Error {
  override readonly name = "NotLeaderError";
}

/** How long before the renew deadline a write has to end. */
export function callMarginMs(renewDeadlineMs: number): number {
  return Math.min(CALL_MARGIN_MS, renewDeadlineMs * CALL_MARGIN_SHARE);
}

/** A fence that follows one lease. Shut until the lease is won, and again once it is lost or given up. */
export class LeaseFence implements Fence {
  private deadline: number | undefined;
  private inFlight = 0;
  private cutOffAt = Number.NEGATIVE_INFINITY;
  private readonly reopened: (() => void)[] = [];

  private readonly marginMs: number;

  constructor(
    private readonly clock: Pick<Clock, "monotonic">,
    renewDeadlineMs: number = ELECTION_TIMINGS.renewDeadlineMs,
  ) {
    this.marginMs = callMarginMs(renewDeadlineMs);
  }

  /** @param deadline monotonic ms: the renew deadline, counted from the moment the last successful renewal was sent. */
  extendTo(deadline: number): void {
    const expired = this.deadline !== undefined && this.remainingMs() === 0;
    this.deadline = deadline;
    if (expired && this.remainingMs() > 0) for (const listener of this.reopened) listener();
  }

  onReopen(listener: () => void): void {
    this.reopened.push(listener);
  }

  shut(): void {
    this.deadline = undefined;
  }

  /** ms until the renew deadline; 0 where it has passed or there is none. */
  untilDeadlineMs(): number {
    return this.deadline === undefined ? 0 : Math.max(0, this.deadline - this.clock.monotonic());
  }

  remainingMs(): number {
    return Math.max(0, this.untilDeadlineMs() - this.marginMs);
  }

  async track<T>(write: Promise<T>, signal?: AbortSignal): Promise<T> {
    this.inFlight += 1;
    try {
      return await write;
    } catch (error) {
      if (signal?.aborted === true) this.cutOffAt = this.clock.monotonic();
      throw error;
    } finally {
      this.inFlight -= 1;
    }
  }

  /** Whether no write of this process can take effect any more, once the fence is shut. */
  get idle(): boolean {
    return this.inFlight === 0 && this.clock.monotonic() - this.cutOffAt >= CUT_OFF_WRITE_MS;
  }

  assertHeld(): void {
    if (this.remainingMs() > 0) return;
    throw new NotLeaderError(
      this.deadline === undefined
        ? "write refused: this process does not hold the lease"
        : "write refused: the lease was not renewed in time; look for API server trouble or a stalled process",
    );
  }
}

/** Since when a fence has been open without a break, by the wall clock: as far as somebody has asked. */
export class OpenSince {
  private since: number | undefined;

  constructor(
    private readonly fence: Pick<Fence, "remainingMs">,
    private readonly clock: Pick<Clock, "now">,
  ) {}

  /** ms since the epoch; `undefined`: it is shut. */
  get at(): number | undefined {
    this.since = this.fence.remainingMs() > 0 ? (this.since ?? this.clock.now()) : undefined;
    return this.since;
  }
}

/** For a process that runs without leader election. */
export const openFence: Fence = { assertHeld: () => undefined, remainingMs: () => Number.POSITIVE_INFINITY };

/**
 * The same client, whose writes pass the fence and end before it shuts. Reads are free. A client that waits before it
 * sends (tokens, retries) needs the fence inside as well: `fenced(transport.fenced(() => fence.assertHeld()), fence)`.
 */
export function fenced(client: KubeClient, fence: Fence): KubeClient {
  return {
    request: async <T>(request: KubeRequest): Promise<T> => {
      if (request.method === "GET") return client.request<T>(request);
      fence.assertHeld();
      const wanted = request.deadlineSeconds ?? KUBE_CALL_SECONDS;
      const deadlineSeconds = Math.min(wanted, fence.remainingMs() / SECOND_MS);
      const write = client.request<T>({ ...request, deadlineSeconds });
      return fence.track?.(write, request.signal) ?? write;
    },
    open: (request) => client.open(request),
  };
}
