import { LabelQuery } from "../match/label-query";
import type { Site } from "./refusal-collector";

/** The requirements as one selector. */
export function writeSelector(queries: readonly LabelQuery[], site: Site): string {
  return queries.map((query) => query._write(site)).join(",");
}

/** The requirements for labels with these values. */
export function labelQueries(labels: Readonly<Record<string, string>> | undefined): readonly LabelQuery[] {
  return Object.entries(labels ?? {}).map(([key, value]) => LabelQuery.is(key, value));
}
