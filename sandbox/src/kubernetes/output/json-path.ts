import { isObject, listOf } from "../json.js";

type Step = (values: readonly unknown[]) => readonly unknown[];

/**
 * A small JSONPath, as printer columns use it: `.a.b`, `['a']`, `[0]`, `[*]` and `[?(@.a.b=="x")]`.
 * Throws for anything else.
 */
export function jsonPath(path: string): (value: unknown) => readonly unknown[] {
  const steps = parse(path);
  return (value) => steps.reduce<readonly unknown[]>((values, step) => step(values), [value]);
}

const PATTERNS: readonly (readonly [RegExp, (match: RegExpExecArray) => Step])[] = [
  [/^\.([\w-]+)/, ([, key = ""]) => field(key)],
  [/^\['([^']+)'\]/, ([, key = ""]) => field(key)],
  [/^\[(\d+)\]/, ([, index = ""]) => element(Number(index))],
  [/^\[\*\]/, () => everything],
  [/^\[\?\(@((?:\.[\w-]+)+)\s*==\s*["']([^"']*)["']\)\]/, ([, inner = "", wanted = ""]) => filter(inner, wanted)],
];

function parse(path: string): readonly Step[] {
  const steps: Step[] = [];
  let rest = path;
  while (rest !== "") {
    const [match, step] = firstMatch(rest, path);
    steps.push(step(match));
    rest = rest.slice(match[0].length);
  }
  return steps;
}

function firstMatch(rest: string, path: string): readonly [RegExpExecArray, (match: RegExpExecArray) => Step] {
  for (const [pattern, step] of PATTERNS) {
    const match = pattern.exec(rest);
    if (match) return [match, step];
  }
  throw new Error(
    `JSONPath ${path}: "${rest}" is not understood, use .field, ['field'], [n], [*] or [?(@.field=="text")]`,
  );
}

function field(key: string): Step {
  return (values) => values.filter(isObject).flatMap((value) => (Object.hasOwn(value, key) ? [value[key]] : []));
}

function element(index: number): Step {
  return (values) => values.map(listOf).flatMap((list) => list.slice(index, index + 1));
}

function everything(values: readonly unknown[]): readonly unknown[] {
  return values.flatMap((value) => (isObject(value) ? Object.values(value) : listOf(value)));
}

function filter(inner: string, wanted: string): Step {
  const find = jsonPath(inner);
  return (values) => everything(values).filter((value) => find(value).some((found) => String(found) === wanted));
}
