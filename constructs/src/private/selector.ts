import { LabelQuery } from "../label-query";
import type { Site } from "./draft";

/** Requirements as one selector. */
export function writeSelector(queries: readonly LabelQuery[], site: Site): string {
  return queries.map((query) => query._write(site)).join(",");
}

/** Requirements that labels have these values. */
export function labelQueries(labels: Readonly<Record<string, string>> | undefined): readonly LabelQuery[] {
  return Object.entries(labels ?? {}).map(([key, value]) => LabelQuery.is(key, value));
}
