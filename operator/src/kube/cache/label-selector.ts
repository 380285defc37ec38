/** `metav1.LabelSelector`: to the server's query form, and as a predicate with the same meaning. */

export type SelectorOperator = "In" | "NotIn" | "Exists" | "DoesNotExist";

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  /** For In and NotIn. */
  readonly values?: readonly string[];
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly SelectorRequirement[];
}

/** Canonical: equal selectors give equal strings, whatever their order. Empty for a selector that matches all. */
export function selectorString(selector: LabelSelector): string {
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (selector.matchExpressions ?? []).map(requirementString);
  return [...new Set([...labels, ...expressions])].sort().join(",");
}

export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(requirement, labels))
  );
}

function requirementString({ key, operator, values = [] }: SelectorRequirement): string {
  const list = [...new Set(values)].sort().join(",");
  switch (operator) {
    case "In":
      return `${key} in (${list})`;
    case "NotIn":
      return `${key} notin (${list})`;
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
  }
}

/** As the server: NotIn also holds where the label is absent. */
function meets({ key, operator, values = [] }: SelectorRequirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
  }
}
