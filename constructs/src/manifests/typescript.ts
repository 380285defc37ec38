import { variablesIn } from "./build-program";
import type { Expression } from "./expression";
import { type Group, type Layout, print } from "./layout";
import type { Patch } from "./patches";
import type { ChartPlan, ResourcePlan } from "./program";
import { importsOf, quoted, type Writer } from "./writer";

const STYLE = { width: 120, indent: 2 };

/** The program as TypeScript, in the format of biome and prettier with lines of 120 characters. */
export const writeTypeScript: Writer = (program) => {
  const { cdk8s, flipop } = importsOf(program);
  const used = variablesIn(program);
  const imports = [importLine(cdk8s, "cdk8s"), ...(flipop.length > 0 ? [importLine(flipop, "cdk8s-flipop")] : [])];
  const charts = program.charts.map(chartLine);
  const resources = program.resources.map((plan) => resourceLines(plan, used));
  return [imports.join("\n"), ["const app = new App();", ...charts].join("\n"), ...resources, "app.synth();\n"].join(
    "\n\n",
  );
};

function importLine(names: readonly string[], from: string): string {
  const group: Group = { open: "import {", items: names, close: `} from "${from}";`, space: true };
  return print(group, STYLE);
}

function chartLine({ variable, id, namespace }: ChartPlan): string {
  const props = namespace === undefined ? [] : [object([["namespace", quoted(namespace)]])];
  return print([`const ${variable} = `, invoke("new Chart", ["app", quoted(id), ...props]), ";"], STYLE);
}

function resourceLines(plan: ResourcePlan, used: ReadonlySet<string>): string {
  const { className, chart, id, variable, props, patches, rest, comment } = plan;
  const entries = [...entriesOf(props), ...Object.entries(rest).map(dataEntry)];
  const args = [chart.variable, quoted(id), object(entries, { expanded: entries.length > 1 })];
  const named = used.has(variable) || patches.length > 0;
  const lines = [
    ...(comment === undefined ? [] : [`// No construct, because of this problem: ${comment.replaceAll("\n", " ")}`]),
    print([named ? `const ${variable} = ` : "", invoke(`new ${className}`, args), ";"], STYLE),
    ...patches.map((patch) => patchLine(patch, className === "ApiObject" ? variable : `${variable}.apiObject`)),
  ];
  return lines.join("\n");
}

function patchLine({ op, path, value }: Patch, object_: string): string {
  const args = [quoted(path), ...(op === "remove" ? [] : [layoutOf({ kind: "data", value })])];
  return print([invoke(`${object_}.addJsonPatch`, [invoke(`JsonPatch.${op}`, args)]), ";"], STYLE);
}

function layoutOf(expression: Expression): Layout {
  switch (expression.kind) {
    case "data":
      return dataLayout(expression.value);
    case "variable":
      return expression.name;
    case "member":
      return `${expression.of}.${expression.name}`;
    case "list":
      return list(expression.items.map(layoutOf), false);
    case "struct":
      return object(entriesOf(expression));
    case "call":
      return invoke(`${expression.of}.${expression.method}`, expression.args.map(layoutOf));
  }
}

type Entry = readonly [key: string, value: Layout];

function entriesOf(struct: Expression): readonly Entry[] {
  if (struct.kind !== "struct") return [];
  return Object.entries(struct.props).map(([prop, value]) => [prop, layoutOf(value)]);
}

function dataEntry([key, value]: readonly [string, unknown]): Entry {
  return [key, dataLayout(value)];
}

function dataLayout(value: unknown): Layout {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return list(value.map(dataLayout), isTable(value));
  if (typeof value === "object" && value !== null) return object(Object.entries(value).map(dataEntry));
  return String(value);
}

/** Formatters give each item its own line if all are objects or lists with several entries. */
function isTable(items: readonly unknown[]): boolean {
  if (items.length < 2) return false;
  const sizeOf = (item: unknown): number => Object.keys(Object(item)).length;
  const all = (test: (item: unknown) => boolean): boolean => items.every((item) => test(item) && sizeOf(item) > 1);
  return all(Array.isArray) || all((item) => typeof item === "object" && !Array.isArray(item));
}

function list(items: readonly Layout[], expanded: boolean): Group {
  return { open: "[", items, close: "]", expanded };
}

function object(entries: readonly Entry[], { expanded = false } = {}): Group {
  const items = entries.map(([key, value]): Layout => {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key);
    const isText = typeof value === "string" && /^["']/.test(value);
    return isText ? { key: `${name}:`, text: value } : [`${name}: `, value];
  });
  return { open: "{", items, close: "}", space: true, expanded };
}

function invoke(callee: string, args: readonly Layout[]): Group {
  // Only a literal hugs the brackets of its call; a call has a name before its own.
  const last = args.at(-1);
  const hugging = typeof last === "object" && "open" in last && ["{", "["].includes(last.open);
  return { open: `${callee}(`, items: args, close: ")", hugging };
}
