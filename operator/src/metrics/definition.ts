/** Metrics as data: what they are made of, and what the reference page is generated from. */

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
export const DEFAULT_BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

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
