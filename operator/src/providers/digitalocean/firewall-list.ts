/** One list of all firewalls for all who ask within a while: an account may have dozens of them. */

export interface Listed<T> {
  readonly items: readonly T[];
  /** Since the list was asked for. */
  readonly ageSeconds: number;
  /** Somebody else has asked for it. */
  readonly kept: boolean;
}

interface Kept<T> {
  readonly startedAt: number;
  readonly items: readonly T[];
}

interface Reading<T> {
  readonly startedAt: number;
  readonly done: Promise<readonly T[]>;
}

export class FirewallList<T> {
  private kept: Kept<T> | undefined;
  private reading: Reading<T> | undefined;

  /** @param now wall clock in ms; where it is set back, nothing that was kept is used. */
  constructor(private readonly now: () => number) {}

  /** @param read asks the API. Rejects as it does; a list that fails serves nobody else. */
  async get(maxAgeSeconds: number, read: () => Promise<readonly T[]>): Promise<Listed<T>> {
    if (this.kept !== undefined && this.isFresh(this.kept, maxAgeSeconds)) return this.listed(this.kept, true);
    const { reading } = this;
    if (reading !== undefined && this.isFresh(reading, maxAgeSeconds)) {
      const items = await reading.done.catch(() => undefined);
      if (items !== undefined) return this.listed({ ...reading, items }, true);
    }
    return this.listed(await this.start(read), false);
  }

  /** A firewall is written: what was read, or is being read, may not show it. */
  forget(): void {
    this.kept = undefined;
    this.reading = undefined;
  }

  private async start(read: () => Promise<readonly T[]>): Promise<Kept<T>> {
    const reading = { startedAt: this.now(), done: read() };
    this.reading = reading;
    try {
      const kept = { startedAt: reading.startedAt, items: await reading.done };
      if (this.reading === reading) this.kept = kept;
      return kept;
    } finally {
      if (this.reading === reading) this.reading = undefined;
    }
  }

  private isFresh({ startedAt }: Pick<Kept<T>, "startedAt">, maxAgeSeconds: number): boolean {
    const age = this.now() - startedAt;
    return maxAgeSeconds > 0 && age >= 0 && age <= maxAgeSeconds * 1000;
  }

  private listed({ items, startedAt }: Kept<T>, kept: boolean): Listed<T> {
    return { items, kept, ageSeconds: Math.max(0, this.now() - startedAt) / 1000 };
  }
}
