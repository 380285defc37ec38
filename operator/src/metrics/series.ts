/** The series that one resource shows: those that it no longer has vanish with the next look. */

/** The part of a gauge that is needed. */
export interface SettableGauge {
  set(labels: Record<string, string>, value: number): void;
  remove(labels: Record<string, string>): void;
}

export interface Sample {
  readonly gauge: SettableGauge;
  readonly labels: Record<string, string>;
  readonly value: number;
}

export class OwnSeries {
  private shown = new Map<string, Sample>();
  private readonly ids = new Map<SettableGauge, number>();

  /** Replaces all that was shown before. */
  show(samples: readonly Sample[]): void {
    const next = new Map(samples.map((sample) => [this.keyOf(sample), sample]));
    for (const [key, { gauge, labels }] of this.shown) if (!next.has(key)) gauge.remove(labels);
    for (const { gauge, labels, value } of next.values()) gauge.set(labels, value);
    this.shown = next;
  }

  /** The resource is gone. */
  clear(): void {
    this.show([]);
  }

  private keyOf({ gauge, labels }: Sample): string {
    const id = this.ids.get(gauge) ?? this.ids.size;
    this.ids.set(gauge, id);
    return `${id} ${JSON.stringify(labels)}`;
  }
}
