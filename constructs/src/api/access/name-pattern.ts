import type { Rule, SchemaOf } from "../schema/schema";

/** Stands for the namespace of the resource in a pattern of `allowedNames`. */
export const NAMESPACE_PLACEHOLDER = "{namespace}";

/** A pattern of names as a regular expression, in a syntax that RE2 has too. */
export const NAME_PATTERN = "^([a-z0-9_*-]|[{]namespace[}])+([.]([a-z0-9_*-]|[{]namespace[}])+)*$";
export const NAME_PATTERN_PROBLEM = `is not a pattern of DNS names: give a full name in lower case, where * stands for any text without a dot and ${NAMESPACE_PLACEHOLDER} for the namespace, such as *.${NAMESPACE_PLACEHOLDER}.example.com`;

const namePatternRule: Rule<string> = {
  cel: `self.matches('${NAME_PATTERN}')`,
  message: `the value ${NAME_PATTERN_PROBLEM}`,
  messageCel: `'"' + self + '" ${NAME_PATTERN_PROBLEM}'`,
  check: (self) => (new RegExp(NAME_PATTERN).test(self) ? undefined : `"${self}" ${NAME_PATTERN_PROBLEM}`),
};

const STARS_PROBLEM =
  "has **: write one *, which stands for any text without a dot; for names with more labels, list a pattern with as many, such as *.*.example.com";

/** Whoever writes two means labels of any number, which no pattern allows. */
const oneStarRule: Rule<string> = {
  cel: "!self.contains('**')",
  message: `the value ${STARS_PROBLEM}`,
  messageCel: `'"' + self + '" ${STARS_PROBLEM}'`,
  check: (self) => (self.includes("**") ? `"${self}" ${STARS_PROBLEM}` : undefined),
};

/** Schema of an entry of `allowedNames`. */
export const namePatternSchema: SchemaOf<string> = {
  type: "string",
  description: "A full DNS name, in which `*` stands for any text without a dot.",
  maxLength: 253,
  rules: [namePatternRule, oneStarRule],
};

/** The pattern as a regular expression, in a syntax that RE2 has too. */
export function namePatternText(pattern: string, namespace: string): string {
  const parts = pattern
    .split(NAMESPACE_PLACEHOLDER)
    .map((part) => part.replaceAll(".", "[.]").replaceAll("*", "[^.]+"));
  return `^${parts.join(namespace)}$`;
}

/**
 * Whether a full name, in lower case and without a final dot, matches the pattern. Not by the regular expression: Node's
 * would try every way to divide a name among the stars, and tenants write both.
 */
export function matchesNamePattern(name: string, pattern: string, namespace: string): boolean {
  const labels = name.split(".");
  const patterns = pattern.replaceAll(NAMESPACE_PLACEHOLDER, namespace).split(".");
  return (
    labels.length === patterns.length && patterns.every((each, index) => matchesStars(labels[index] ?? "", each, 1))
  );
}

/** Whether the text matches a pattern, in which each `*` stands for at least so many characters. */
export function matchesStars(text: string, pattern: string, atLeast: number): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let end = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, end + atLeast);
    if (at < 0) return false;
    end = at + part.length;
  }
  return text.length - last.length >= end + atLeast && text.endsWith(last);
}
