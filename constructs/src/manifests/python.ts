import { variablesIn } from "./build-program";
import type { Expression } from "./expression";
import { type Group, type Layout, print } from "./layout";
import { snakeCase } from "./names";
import type { Patch } from "./patches";
import type { ChartPlan, ResourcePlan } from "./program";
import { importsOf, quoted, type Writer } from "./writer";

const STYLE = { width: 88, indent: 4 };

/** The program as Python, in the format of black. */
export const writePython: Writer = (program) => {
  const { cdk8s, flipop } = importsOf(program);
  const used = variablesIn(program);
  // In Python, an ApiObject takes no other fields than its props: patches add them.
  const patched = program.resources.map((plan) => ({ ...plan, patches: [...restPatches(plan), ...plan.patches] }));
  const needsPatch = patched.some(({ patches }) => patches.length > 0);
  const names = needsPatch ? [...new Set([...cdk8s, "JsonPatch"])].sort() : cdk8s;
  return [
    [importLine(names, "cdk8s"), ...(flipop.length > 0 ? [importLine(flipop, "cdk8s_flipop")] : [])].join("\n"),
    ["app = App()", ...program.charts.map(chartLine)].join("\n"),
    ...patched.map((plan) => resourceLines(plan, used)),
    "app.synth()\n",
  ].join("\n\n");
};

function restPatches({ rest }: ResourcePlan): readonly Patch[] {
  return Object.entries(rest).map(([field, value]) => ({ op: "add", path: `/${field}`, value }));
}

function importLine(names: readonly string[], from: string): string {
  const line = `from ${from} import ${names.join(", ")}`;
  return line.length <= STYLE.width ? line : print({ open: `from ${from} import (`, items: names, close: ")" }, STYLE);
}

function chartLine({ variable, id, namespace }: ChartPlan): string {
  const props = namespace === undefined ? [] : [`namespace=${quoted(namespace)}`];
  return print([`${snakeCase(variable)} = `, invoke("Chart", ["app", quoted(id), ...props])], STYLE);
}

function resourceLines(plan: ResourcePlan, used: ReadonlySet<string>): string {
  const { className, chart, id, props, patches, comment } = plan;
  const variable = snakeCase(plan.variable);
  const keywords = keywordsOf(props);
  const named = used.has(plan.variable) || patches.length > 0;
  const call = invoke(className, [snakeCase(chart.variable), quoted(id), ...keywords], keywords.length > 1);
  const lines = [
    ...(comment === undefined ? [] : [`# No construct, because of this problem: ${comment.replaceAll("\n", " ")}`]),
    print([named ? `${variable} = ` : "", call], STYLE),
    ...patches.map((patch) => patchLine(patch, className === "ApiObject" ? variable : `${variable}.api_object`)),
  ];
  return lines.join("\n");
}

function patchLine({ op, path, value }: Patch, object: string): string {
  const args = [quoted(path), ...(op === "remove" ? [] : [layoutOf({ kind: "data", value })])];
  return print([invoke(`${object}.add_json_patch`, [invoke(`JsonPatch.${op}`, args)])], STYLE);
}

function layoutOf(expression: Expression): Layout {
  switch (expression.kind) {
    case "data":
      return dataLayout(expression.value);
    case "variable":
      return snakeCase(expression.name);
    case "member":
      return `${expression.of}.${expression.name}`;
    case "list":
      return list(expression.items.map(layoutOf));
    case "struct":
      return dictionary(
        Object.entries(expression.props).map(([prop, value]) => [snakeCase(prop), layoutOf(value)] as const),
      );
    case "call": {
      const { of, method, args } = expression;
      const positional = args.filter(({ kind }) => kind !== "struct").map(layoutOf);
      const keywords = args.flatMap((arg) => keywordsOf(arg));
      return invoke(`${of}.${snakeCase(method)}`, [...positional, ...keywords]);
    }
  }
}

function keywordsOf(struct: Expression): readonly Layout[] {
  if (struct.kind !== "struct") return [];
  return Object.entries(struct.props).map(([prop, value]) => [`${snakeCase(prop)}=`, layoutOf(value)]);
}

function dataLayout(value: unknown): Layout {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return list(value.map(dataLayout));
  if (typeof value === "object" && value !== null) {
    return dictionary(Object.entries(value).map(([key, one]) => [key, dataLayout(one)] as const));
  }
  return value === null ? "None" : String(value);
}

function list(items: readonly Layout[]): Group {
  return { open: "[", items, close: "]" };
}

function dictionary(entries: readonly (readonly [string, Layout])[]): Group {
  return { open: "{", items: entries.map(([key, value]) => [`${quoted(key)}: `, value]), close: "}" };
}

function invoke(callee: string, args: readonly Layout[], expanded = false): Group {
  return { open: `${callee}(`, items: args, close: ")", expanded };
}
