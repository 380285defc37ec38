import type { Expression } from "./expression";
import { FROM_CDK8S } from "./generated-classes";
import type { Program, ResourcePlan } from "./program";

/** Writes a program as code of one language. */
export type Writer = (program: Program) => string;

/** Text in quotation marks, of the kind that needs fewer escapes. */
export function quoted(text: string): string {
  const double = JSON.stringify(text);
  const [doubles, singles] = [text.split('"').length, text.split("'").length];
  if (doubles <= singles) return double;
  return `'${double.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** The names that the code imports, by package: cdk8s and this library. */
export function importsOf({ charts, resources }: Program): {
  readonly cdk8s: readonly string[];
  readonly flipop: readonly string[];
} {
  const names = new Set(["App", ...(charts.length > 0 ? ["Chart"] : []), ...resources.flatMap(namesIn)]);
  const sorted = [...names].sort();
  return {
    cdk8s: sorted.filter((name) => FROM_CDK8S.includes(name)),
    flipop: sorted.filter((name) => !FROM_CDK8S.includes(name)),
  };
}

function namesIn({ className, props, patches }: ResourcePlan): readonly string[] {
  return [className, ...(patches.length > 0 ? ["JsonPatch"] : []), ...classesIn(props)];
}

function classesIn(expression: Expression): readonly string[] {
  switch (expression.kind) {
    case "call":
      return [expression.of, ...expression.args.flatMap(classesIn)];
    case "member":
      return [expression.of];
    case "list":
      return expression.items.flatMap(classesIn);
    case "struct":
      return Object.values(expression.props).flatMap(classesIn);
    default:
      return [];
  }
}
