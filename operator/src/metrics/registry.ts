/** Metrics as data, from which the reference page is generated, and one registry for a process: prom-client behind definitions. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { LONGEST_TIMER_MS } from "../timings.js";

export type { Counter, Gauge, Histogram } from "prom-client";

interface Described<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
}

export interface CounterDefinition<L extends string = string> extends Described<L> {
  readonly type: "counter";
}

export interface GaugeDefinition<L extends string = string> extends Described<L> {
  readonly type: "gauge";
}

export interface HistogramDefinition<L extends string = string> extends Described<L> {
  readonly type: "histogram";
  /** Upper bounds, in the metric's unit, growing. */
  readonly buckets: readonly number[];
}

export type MetricDefinition<L extends string = string> =
  | CounterDefinition<L>
  | GaugeDefinition<L>
  | HistogramDefinition<L>;

/** The defaults of Go's client, so that quantiles on existing dashboards mean the same. Seconds. */
const DEFAULT_BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function counter<L extends string>(name: string, labels: readonly L[], help: string): CounterDefinition<L> {
  return { type: "counter", name, labels, help };
}

export function gauge<L extends string>(name: string, labels: readonly L[], help: string): GaugeDefinition<L> {
  return { type: "gauge", name, labels, help };
}

/** @param buckets of the histogram; `DEFAULT_BUCKETS` unless given. */
export function histogram<L extends string>(
  name: string,
  labels: readonly L[],
  help: string,
  buckets: readonly number[] = DEFAULT_BUCKETS,
): HistogramDefinition<L> {
  return { type: "histogram", name, labels, help, buckets };
}

/** They come from a timer of their own, which woke a quiet process 20 times a second. */
const LAG_STATISTICS = ["min", "max", "mean", "stddev", "p50", "p90", "p99"].map(
  (statistic) => `nodejs_eventloop_lag_${statistic}_seconds`,
);

/** Gauges with the suffix of counters, of which promtool complains: the sums of the metrics without it. */
const SUMS = ["handles", "requests", "resources"].map((what) => `nodejs_active_${what}_total`);

const EVENT_LOOP_UTILIZATION = gauge(
  "nodejs_eventloop_utilization",
  [],
  "Share of the time since the last scrape in which the event loop was busy.",
);

export class MetricsRegistry {
  private readonly registry = new Registry();
  private readonly defined: MetricDefinition[] = [];

  /** The value of the `Content-Type` header that `text()` needs. */
  get contentType(): string {
    return this.registry.contentType;
  }

  /** What was registered, in order. */
  get definitions(): readonly MetricDefinition[] {
    return this.defined;
  }

  /** The Prometheus text format. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** Adds the metrics of Node itself (CPU, memory, event loop lag, GC). They observe the process: call it once. */
  addProcessMetrics(): void {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LONGEST_TIMER_MS });
    for (const name of [...LAG_STATISTICS, ...SUMS]) this.registry.removeSingleMetric(name);
    let before = performance.eventLoopUtilization();
    this.gauge(EVENT_LOOP_UTILIZATION, (metric) => {
      const now = performance.eventLoopUtilization();
      metric.set(performance.eventLoopUtilization(now, before).utilization);
      before = now;
    });
  }

  counter<L extends string>(definition: CounterDefinition<L>): Counter<L> {
    return new Counter<L>(this.configuration(definition));
  }

  /** @param collect sets the gauge's values just before each scrape. */
  gauge<L extends string>(definition: GaugeDefinition<L>, collect?: (gauge: Gauge<L>) => void): Gauge<L> {
    const made: Gauge<L> = new Gauge<L>({
      ...this.configuration(definition),
      ...(collect === undefined ? {} : { collect: () => collect(made) }),
    });
    return made;
  }

  histogram<L extends string>(definition: HistogramDefinition<L>): Histogram<L> {
    return new Histogram<L>({ ...this.configuration(definition), buckets: [...definition.buckets] });
  }

  private configuration<L extends string>(definition: MetricDefinition<L>) {
    this.defined.push(definition);
    return {
      name: definition.name,
      help: definition.help,
      labelNames: [...definition.labels],
      registers: [this.registry],
    };
  }
}

/** A gauge with one label, whose source gives all values at each scrape, by the value of the label. */
export class ScrapedGauge<L extends string> {
  private read: () => ReadonlyMap<string, number> = () => new Map();

  constructor(registry: MetricsRegistry, definition: GaugeDefinition<L>) {
    registry.gauge(definition, (gauge) => {
      gauge.reset();
      for (const [label, value] of this.read()) gauge.labels(label).set(value);
    });
  }

  readFrom(source: () => ReadonlyMap<string, number>): void {
    this.read = source;
  }
}

/** Removes every series of a metric that carries all the given labels. */
export async function removeSeries<L extends string>(
  metric: Counter<L> | Gauge<L>,
  labels: Partial<Record<L, string>>,
): Promise<void> {
  const wanted = Object.entries(labels);
  const { values } = await metric.get();
  for (const { labels: found } of values) {
    const series: Record<string, string | number | undefined> = found;
    if (wanted.every(([name, text]) => series[name] === text)) metric.remove(found);
  }
}

/** The part of a gauge that is needed. */
interface SettableGauge {
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

/** A counter that each resource has. A resource that goes takes its series along, unless something was counted. */
export class ResourceCounter<L extends string> implements SettableGauge {
  private readonly counted = new Set<string>();

  constructor(private readonly counter: Counter<L>) {}

  count(labels: Record<L, string>, by: number): void {
    this.counted.add(JSON.stringify(labels));
    this.counter.inc({ ...labels }, by);
  }

  /** Begins at 0: the rate of a counter that appears with its first event misses that event. */
  set(labels: Record<L, string>): void {
    this.counter.inc({ ...labels }, 0);
  }

  remove(labels: Record<L, string>): void {
    if (!this.counted.has(JSON.stringify(labels))) this.counter.remove({ ...labels });
  }
}

/** The counters and the gauge of states of one kind's addresses. */
interface AddressMetrics {
  readonly state: SettableGauge;
  /** They begin at 0, or the rate of a counter that appears with its first event misses that event. */
  readonly counters: readonly { inc(labels: Record<string, string>, by: number): void }[];
  readonly states: readonly string[];
}

interface AddressState {
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
      if (before === undefined) begin(metrics, address);
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

function begin(metrics: AddressMetrics, address: AddressState): void {
  for (const counter of metrics.counters) counter.inc({ ...address.labels }, 0);
  for (const state of metrics.states) set(metrics, address, state, 0);
}

function set({ state: gauge }: AddressMetrics, { labels }: AddressState, state: string, value: number): void {
  gauge.set({ ...labels, state }, value);
}

function remove({ state: gauge, states }: AddressMetrics, { labels }: AddressState): void {
  for (const state of states) gauge.remove({ ...labels, state });
}
