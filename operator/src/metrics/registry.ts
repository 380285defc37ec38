/** One registry for a process: prom-client behind definitions. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { EVENT_LOOP_SAMPLE_MS } from "../bounds.js";
import type { CounterDefinition, GaugeDefinition, HistogramDefinition, MetricDefinition } from "./definition.js";

export type { Counter, Gauge, Histogram } from "prom-client";

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
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
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
