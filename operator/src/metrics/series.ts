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

/** The counters and the gauge of states of one kind's addresses. */
export interface AddressMetrics {
  readonly state: SettableGauge;
  /** They begin at 0, or the rate of a counter that appears with its first event misses that event. */
  readonly counters: readonly { inc(labels: Record<string, string>, by: number): void }[];
  readonly states: readonly string[];
}

export interface AddressState {
  /** With `ip`, and without `state`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly state: string;
}

/** One series for each state of each address of a resource: 1 for the present one, 0 for the others. */
export class StateSeries {
  private shown = new Map<string, AddressState>();
  private metrics: AddressMetrics | undefined;

  /** Replaces all that was shown before. Costs what has changed: a pool may have thousands of addresses. */
  show(metrics: AddressMetrics, addresses: readonly AddressState[]): void {
    this.metrics = metrics;
    const next = new Map(addresses.map((address) => [keyOf(address), address]));
    for (const [key, address] of this.shown) if (!next.has(key)) remove(metrics, address);
    for (const [key, address] of next) {
      const before = this.shown.get(key);
      if (before === undefined) runActions(metrics, address);
      else if (before.state !== address.state) set(metrics, address, before.state, 0);
      if (before?.state !== address.state) set(metrics, address, address.state, 1);
    }
    this.shown = next;
  }

  /** The resource is gone. */
  clear(): void {
    if (this.metrics !== undefined) this.show(this.metrics, []);
  }
}

function keyOf({ labels: { ip = "", provider = "", dns = "" } }: AddressState): string {
  return `${ip} ${provider} ${dns}`;
}

function runActions(metrics: AddressMetrics, address: AddressState): void {
  for (const counter of metrics.counters) counter.inc({ ...address.labels }, 0);
  for (const state of metrics.states) set(metrics, address, state, 0);
}

function set({ state: gauge }: AddressMetrics, { labels }: AddressState, state: string, value: number): void {
  gauge.set({ ...labels, state }, value);
}

function remove({ state: gauge, states }: AddressMetrics, { labels }: AddressState): void {
  for (const state of states) gauge.remove({ ...labels, state });
}
