/** Series in the text format of Prometheus and in the notation of `promtool test rules`. */

/** Values by series, such as `up{job="a"}`. */
export type Samples = ReadonlyMap<string, string>;

const LINE = /^([a-zA-Z_]\w*)(?:\{(.*)\})? (\S+)$/gm;

/** @param wanted names of the metrics to keep. */
export function samplesIn(text: string, wanted: ReadonlySet<string>, pod: string): Samples {
  const samples = new Map<string, string>();
  for (const [, name = "", labels = "", value = ""] of text.matchAll(LINE)) {
    if (wanted.has(name)) samples.set(seriesOf(name, labels, pod), value);
  }
  return samples;
}

/** With the labels that Prometheus adds to those of the pod. */
function seriesOf(name: string, labels: string, pod: string): string {
  const target = [/(^|,)namespace="/.test(labels) ? "" : 'namespace="flipop"', `pod="${pod}"`];
  return `${name}{${[labels, ...target].filter((part) => part !== "").join(",")}}`;
}

export interface InputSeries {
  readonly series: string;
  readonly values: string;
}

/** A series that a scrape lacks is stale, as Prometheus marks it. */
export function inputSeries(scrapes: readonly Samples[]): readonly InputSeries[] {
  const names = new Set(scrapes.flatMap((samples) => [...samples.keys()]));
  return [...names].map((series) => ({ series, values: notationOf(scrapes.map((samples) => samples.get(series))) }));
}

function notationOf(values: readonly (string | undefined)[]): string {
  const words = values.map((value, index) => value ?? (values[index - 1] === undefined ? "_" : "stale"));
  return words.join(" ");
}
