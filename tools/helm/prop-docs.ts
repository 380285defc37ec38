import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { CHART_VALUES, REPLACED_PROPS } from "./values.js";

const PROPS = "cdk8s-flipop.FlipopOperatorProps";

interface Assembly {
  readonly types: Readonly<Record<string, { readonly properties?: readonly Property[] }>>;
}

interface Property {
  readonly name: string;
  readonly docs?: { readonly summary?: string; readonly remarks?: string };
}

/** The docstring of each prop of the operator that is a value of the Helm chart in the same form, as jsii recorded it at the last compilation. */
export function propDocs(): ReadonlyMap<string, string> {
  const file = createRequire(import.meta.url).resolve("cdk8s-flipop/.jsii");
  const { types } = JSON.parse(readFileSync(file, "utf8")) as Assembly;
  const properties = types[PROPS]?.properties;
  if (!properties) throw new Error(`${file} does not contain ${PROPS}: compile the constructs first (npm run compile)`);
  const ofChart = properties.filter(({ name }) => !(name in REPLACED_PROPS || name in CHART_VALUES));
  return new Map(ofChart.map(({ name, docs = {} }) => [name, textOf(docs)]));
}

/**
 * Only for props: an absent prop has its default, and an empty list is refused. A value of the chart is always present,
 * and empty means its default.
 */
const FOR_PROPS_ALONE = "; an empty list is refused";

function textOf({ summary, remarks }: NonNullable<Property["docs"]>): string {
  return [summary, remarks]
    .filter((part) => part !== undefined)
    .join(" ")
    .replaceAll(/\s+/g, " ")
    .replace(FOR_PROPS_ALONE, "");
}
