/** Labels that a selector matches, for nodes and pods that only exist in a simulation. */

import { parseLabelSelector, type SelectorRequirement } from "cdk8s-flipop/api";

type Labels = Readonly<Record<string, string>>;

/** Labels that a selector matches. Throws for a selector that is not valid. */
export function labelsFor(selector: string): Labels {
  const parsed = parseLabelSelector(selector);
  if (!parsed.ok) throw new Error(`"${selector}" is not a label selector: correct it`);
  const pairs = parsed.requirements.map((requirement) => [requirement.key, valueFor(requirement)] as const);
  return Object.fromEntries(pairs.filter((pair): pair is readonly [string, string] => pair[1] !== undefined));
}

/** A value that meets a requirement; undefined if the label's absence does. */
function valueFor({ operator, values }: SelectorRequirement): string | undefined {
  const [first = "x"] = values;
  switch (operator) {
    case "Exists":
      return "x";
    case "GreaterThan":
      return String(Number(first) + 1);
    case "LessThan":
      return String(Number(first) - 1);
    case "DoesNotExist":
    case "NotIn":
      return undefined;
    default:
      return first;
  }
}

/** All labels in one. Throws if two of them give one key different values. */
export function merged(all: readonly Labels[], conflict: (key: string, values: readonly string[]) => string): Labels {
  const result = new Map<string, string>();
  for (const [key, value] of all.flatMap((labels) => Object.entries(labels))) {
    const other = result.get(key);
    if (other !== undefined && other !== value) throw new Error(conflict(key, [other, value]));
    result.set(key, value);
  }
  return Object.fromEntries(result);
}
