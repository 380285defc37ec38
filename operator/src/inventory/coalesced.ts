/** One read for all who want it at the same time. */

import { SECOND_MS, SHARED_READ_SECONDS } from "../bounds.js";
import type { Clock } from "../clock.js";
import { ProviderError } from "../providers/errors.js";

/**
 * Runs `read` at most once at a time. Who asks while one runs that began after `since` joins it; else the next one
 * serves all who came meanwhile. A caller that gives up leaves the read to the others.
 */
export class Coalesced {
  private current: { readonly startedAt: number; readonly done: Promise<void> } | undefined;
  private next: Promise<void> | undefined;

  constructor(
    private readonly clock: Pick<Clock, "monotonic" | "setTimer">,
    private readonly read: () => Promise<void>,
  ) {}

  /** @param since monotonic ms: a read that began earlier is too old. */
  run(since: number, signal?: AbortSignal): Promise<void> {
    const { current } = this;
    if (current === undefined) return abortable(this.start(), signal);
    if (current.startedAt >= since) return abortable(current.done, signal);
    this.next ??= current.done.then(
      () => this.startNext(),
      () => this.startNext(),
    );
    return abortable(this.next, signal);
  }

  private startNext(): Promise<void> {
    this.next = undefined;
    return this.start();
  }

  private start(): Promise<void> {
    const done = this.bounded(this.read()).finally(() => {
      if (this.current?.done === done) this.current = undefined;
    });
    this.current = { startedAt: this.clock.monotonic(), done };
    return done;
  }

  private bounded(work: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.setTimer(SHARED_READ_SECONDS * SECOND_MS, () => reject(tooLong()));
      work.then(resolve, reject).finally(() => timer.cancel());
    });
  }
}

function tooLong(): ProviderError {
  return new ProviderError({
    kind: "Unavailable",
    where: "a read that several resources share",
    seen: `it did not end within ${SHARED_READ_SECONDS} s`,
    remedy: "the operator reads again; check whether the API answers slowly",
    outcome: "refused",
  });
}

function abortable(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
