import { ApiObject, App, Chart, JsonPatch } from "cdk8s";
import type { IConstruct } from "constructs";
import { isObject, type JsonObject } from "../api/schema/schema";
import { warnQuietly } from "../private/app/emit-warning";
import { type Expression, partsOf } from "./expression";
import { ENUMS } from "./from-values";
import { CLASSES, CONSTRUCTS } from "./generated-classes";
import type { Patch } from "./patches";
import type { Program, ResourcePlan } from "./program";

/** A resource of a program, built in this process. */
export interface Built {
  readonly plan: ResourcePlan;
  readonly construct: IConstruct;
  readonly object: ApiObject;
}

type Variables = Map<string, unknown>;

/** Builds the app of a program in this process, as the code that is written for it would. */
export function build({ charts, resources }: Program): readonly Built[] {
  const app = new App();
  warnQuietly(app);
  const variables: Variables = new Map();
  for (const { variable, id, namespace } of charts) {
    variables.set(variable, new Chart(app, id, namespace === undefined ? {} : { namespace }));
  }
  return resources.map((plan) => {
    const construct = buildResource(plan, variables);
    variables.set(plan.variable, construct);
    const object = ApiObject.of(construct);
    for (const patch of plan.patches) object.addJsonPatch(jsonPatch(patch));
    return { plan, construct, object };
  });
}

/** The object as the app would write it; undefined if it cannot be written. */
export function synthesised(object: ApiObject): JsonObject | undefined {
  try {
    const json: unknown = object.toJson();
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function buildResource({ className, chart, id, props, rest }: ResourcePlan, variables: Variables): IConstruct {
  const scope = variables.get(chart.variable) as Chart;
  const values = evaluate(props, variables) as never;
  if (!Object.hasOwn(CONSTRUCTS, className))
    return new ApiObject(scope, id, { ...(values as ApiObjectFields), ...rest });
  return new CONSTRUCTS[className as keyof typeof CONSTRUCTS](scope, id, values);
}

interface ApiObjectFields {
  readonly apiVersion: string;
  readonly kind: string;
}

function evaluate(expression: Expression, variables: Variables): unknown {
  switch (expression.kind) {
    case "data":
      return expression.value;
    case "variable":
      return variables.get(expression.name);
    case "member":
      return Reflect.get(ENUMS[expression.of as keyof typeof ENUMS], expression.name);
    case "list":
      return expression.items.map((item) => evaluate(item, variables));
    case "struct":
      return Object.fromEntries(
        Object.entries(expression.props).map(([prop, value]) => [prop, evaluate(value, variables)]),
      );
    case "call": {
      const args = expression.args.map((arg) => evaluate(arg, variables));
      const method: unknown = Reflect.get(CLASSES[expression.of] ?? {}, expression.method);
      return typeof method === "function" ? Reflect.apply(method, CLASSES[expression.of], args) : undefined;
    }
  }
}

function jsonPatch({ op, path, value }: Patch): JsonPatch {
  if (op === "remove") return JsonPatch.remove(path);
  return op === "add" ? JsonPatch.add(path, value) : JsonPatch.replace(path, value);
}

/** The variables that a program's expressions use, beside those of charts. */
export function variablesIn({ resources }: Program): ReadonlySet<string> {
  const parts = resources.flatMap(({ props }) => partsOf(props));
  return new Set(parts.flatMap((part) => (part.kind === "variable" ? [part.name] : [])));
}
