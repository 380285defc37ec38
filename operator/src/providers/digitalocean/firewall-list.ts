/** One list of all firewalls for all who ask within a while: an account may have dozens of them. */

import { unlessAborted } from "../unless-aborted.js";
import type { CallPriority } from "../urgency.js";

/** What will do for who asks. */
export interface FirewallListRequest {
  /** 0: a list of its own. */
  readonly maxAgeSeconds: number;
  readonly priority: CallPriority;
  readonly signal?: AbortSignal;
}

export interface Listed<T> {
  readonly items: readonly T[];
  /** How long before the question the list was asked for; 0 where it was asked for later. */
  readonly ageSeconds: number;
  /** Somebody else has asked for it. */
  readonly kept: boolean;
}

interface Kept<T> {
  /** Monotonic ms. */
  readonly startedAt: number;
  readonly items: readonly T[];
}

interface Reading<T> {
  readonly startedAt: number;
  readonly priority: CallPriority;
  readonly done: Promise<readonly T[]>;
}

const WHERE = "digitalocean: list firewalls";

export class FirewallList<T> {
  private kept: Kept<T> | undefined;
  private reading: Reading<T> | undefined;

  constructor(
    private readonly monotonic: () => number,
    private readonly read: (priority: CallPriority) => Promise<readonly T[]>,
  ) {}

  /** Rejects as the reading does; one that fails fails for who has begun it alone. */
  async get({ maxAgeSeconds, priority, signal }: FirewallListRequest): Promise<Listed<T>> {
    const askedAt = this.monotonic();
    const serves = ({ startedAt }: { readonly startedAt: number }) =>
      maxAgeSeconds > 0 && askedAt - startedAt <= maxAgeSeconds * 1000;
    const listed = (startedAt: number, items: readonly T[], kept: boolean): Listed<T> => {
      return { items, kept, ageSeconds: Math.max(0, askedAt - startedAt) / 1000 };
    };
    for (;;) {
      const { kept, reading } = this;
      if (kept !== undefined && serves(kept)) return listed(kept.startedAt, kept.items, true);
      // One of lower priority may wait for its turn longer than a new one.
      const urgent = priority === "assignment" && reading?.priority !== "assignment";
      if (reading === undefined || urgent || !serves(reading)) {
        const own = this.start(priority);
        return listed(own.startedAt, await unlessAborted(signal, WHERE, own.done), false);
      }
      const shared = reading.done.catch(() => undefined);
      const items = await unlessAborted(signal, WHERE, shared);
      if (items !== undefined) return listed(reading.startedAt, items, true);
    }
  }

  /** A firewall is written: what was read, or is being read, may not show it. */
  forget(): void {
    this.kept = undefined;
    this.reading = undefined;
  }

  private start(priority: CallPriority): Reading<T> {
    const startedAt = this.monotonic();
    const reading: Reading<T> = { startedAt, priority, done: this.read(priority) };
    this.reading = reading;
    const end = (items?: readonly T[]) => {
      if (this.reading !== reading) return;
      this.reading = undefined;
      if (items !== undefined) this.kept = { startedAt, items };
    };
    reading.done.then(end, () => end());
    return reading;
  }
}
