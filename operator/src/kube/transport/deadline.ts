import type { Clock, Timer } from "../../clock.js";

/** The call's own deadline has passed; whether the server acted on it is unknown. */
export class DeadlineError extends Error {
  /** Without the number of seconds: near the end of a lease it is another one each time, and the text goes to statuses. */
  constructor(where: string) {
    super(
      `${where}: no complete answer before its deadline; check the network, the server's load or raise the deadline`,
    );
    this.name = "DeadlineError";
  }
}

/** One signal for a deadline and a caller's signal that leaves neither timer nor listener behind once disposed. */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: Timer | undefined;
  private readonly endsAt: number;
  private readonly onAbort = () => this.controller.abort(this.parent?.reason);

  constructor(
    private readonly clock: Clock,
    seconds: number,
    private readonly where: string,
    private readonly parent?: AbortSignal,
  ) {
    this.endsAt = clock.monotonic() + seconds * 1000;
    if (parent?.aborted) {
      this.onAbort();
      return;
    }
    parent?.addEventListener("abort", this.onAbort, { once: true });
    this.timer = clock.setTimer(seconds * 1000, () => this.expire());
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get remainingMs(): number {
    return this.endsAt - this.clock.monotonic();
  }

  /** Throws once aborted or past the deadline, also where a stalled process has not run the timer yet. */
  check(): void {
    if (this.remainingMs <= 0) this.expire();
    this.signal.throwIfAborted();
  }

  /** The deadline no longer counts, the caller's signal still does. */
  lift(): void {
    this.timer?.cancel();
  }

  dispose(): void {
    this.timer?.cancel();
    this.parent?.removeEventListener("abort", this.onAbort);
  }

  private expire(): void {
    this.controller.abort(new DeadlineError(this.where));
  }
}
