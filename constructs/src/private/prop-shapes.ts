import { nearest } from "../api/schema/nearest";
import { isObject } from "../api/schema/schema";
import type { FlipopResourceProps } from "../flipop-resource";
import { PART, type Part, partProblem, shown } from "./prop-types";
import type { Refusal } from "./refusal-collector";

/** The expected shape of a prop's value, for the check before use. Later code checks the rest. */
export interface Shape {
  /** The type of the value, or of each value in a list or map. */
  readonly part?: Part;
  readonly list?: true;
  /** An object with any keys. */
  readonly map?: true;
  /** An object with these keys, which are checked like props. */
  readonly struct?: Shapes;
  readonly required?: true;
}

/** The shape of a prop of this type. A shape that omits a list, a map, a class or `required` does not compile. */
export type ShapeOf<T> = (undefined extends T ? { readonly required?: never } : { readonly required: true }) &
  (Exclude<T, undefined> extends readonly (infer Item)[]
    ? { readonly list: true; readonly map?: never } & PartOf<Item>
    : { readonly list?: never } & SingleOf<Exclude<T, undefined>>);

type SingleOf<T> = string extends keyof T
  ? { readonly map: true; readonly part: Part }
  : { readonly map?: never } & PartOf<T>;

type PartOf<T> = T extends object ? { readonly part: Part } | { readonly struct: Shapes } : { readonly part?: Part };

/** The shape of each prop of a construct. */
export type Shapes = Readonly<Record<string, Shape>>;

/** Facts about a prop: its fields in the spec, and its shape. */
export interface Facts extends Shape {
  /** Paths below `spec`. */
  readonly fields: readonly string[];
  /** The options of the value that have other names than the fields inside of `fields`, by the fields. */
  readonly options?: Readonly<Record<string, string>>;
}

/** Facts about all props of a construct. It does not compile if a prop is missing. */
export type FactsOf<Props> = {
  readonly [Prop in Exclude<keyof Props, keyof FlipopResourceProps> & string]-?: ShapeOf<Props[Prop]> &
    Pick<Facts, "fields" | "options">;
};

/** Facts about the props of any construct. */
export type AnyFacts = Readonly<Record<string, Facts>>;

/**
 * The values of the known props. They are read by name, because props may be getters of a class, which are not own
 * properties.
 */
export function valuesOf(props: object, shapes: Shapes): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.keys(shapes).map((prop) => [prop, Reflect.get(props, prop)]));
}

/**
 * Unusable props: unknown, missing, null, or of a wrong type, at any depth. They occur only without a type check, such
 * as under `tsx`, or where TypeScript accepts them, such as in a spread object.
 */
export function misfits(props: unknown, shapes: Shapes, path = ""): readonly Refusal[] {
  if (!isObject(props)) return refused(path, `${shown(props)} is not an object: write { prop: value }`);
  const given = valuesOf(props, shapes);
  const known = Object.entries(shapes).flatMap(([prop, shape]) => misfit(below(path, prop), given[prop], shape));
  const others = Object.entries(props).filter(([prop, value]) => value !== undefined && !Object.hasOwn(shapes, prop));
  const unknown = others.flatMap(([prop, value]) =>
    refused(below(path, prop), `${shown(value)} is given, but there is no such prop: ${instead(prop, shapes)}`),
  );
  return [...known, ...unknown];
}

/** The props without the unusable ones. */
export function withoutMisfits<T extends object>(props: T, found: readonly Refusal[], shapes: Shapes): T {
  if (found.length === 0) return props;
  const unfit = new Set(found.map(({ prop }) => prop.split(/[.[]/)[0]));
  const values = Object.entries(isObject(props) ? valuesOf(props, shapes) : {});
  return Object.fromEntries(values.filter(([prop, value]) => value !== undefined && !unfit.has(prop))) as T;
}

function misfit(prop: string, value: unknown, shape: Shape): readonly Refusal[] {
  const { required } = shape;
  if (value === undefined) return refused(prop, required && `is missing: give ${exampleOf(shape)}`);
  if (value === null) return refused(prop, `is null: ${required ? "give" : "remove it, or give"} ${exampleOf(shape)}`);
  return valueMisfits(prop, value, shape);
}

function valueMisfits(prop: string, value: unknown, { part, list, map, struct }: Shape): readonly Refusal[] {
  if (list) return listMisfits(prop, value, part);
  if (map) return mapMisfits(prop, value, part);
  if (struct) return structMisfits(prop, value, struct);
  // The schema, if there is one, checks single texts and numbers.
  return refused(prop, part && partProblem(value, part));
}

function exampleOf({ part, list, map, struct }: Shape): string {
  if (list) return "a list";
  if (map || struct) return "an object";
  return part?.make(undefined).replace('"..."', "a string") ?? "a value";
}

function listMisfits(prop: string, value: unknown, part: Part = PART.text): readonly Refusal[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => refused(`${prop}[${at}]`, partProblem(item, part)));
  return refused(prop, `${shown(value)} is not a list: write [${typeof value === "object" ? "..." : shown(value)}]`);
}

function mapMisfits(prop: string, value: unknown, part: Part = PART.text): readonly Refusal[] {
  const problem = partProblem(value, PART.map);
  if (problem !== undefined) return refused(prop, problem);
  const given = Object.entries(value as object).filter(([, one]) => one !== undefined);
  return given.flatMap(([key, one]) => refused(below(prop, key), partProblem(one, part)));
}

function structMisfits(prop: string, value: unknown, struct: Shapes): readonly Refusal[] {
  const keys = Object.keys(struct).map((key) => `${key}: ...`);
  const problem = `${shown(value)} is not an object: write { ${keys.slice(0, 2).join(", ")} }`;
  return isObject(value) && !Reflect.has(value, "node") ? misfits(value, struct, prop) : refused(prop, problem);
}

/** The props to use instead of an unknown one: those that write a field of this name, or a similar one. */
function instead(name: string, shapes: Shapes): string {
  const props = Object.keys(shapes);
  const isMeant = (field: string) => field.toLowerCase() === name.toLowerCase();
  const writers = props.filter((prop) => fieldsOf(shapes[prop]).some(isMeant));
  const similar = nearest(name, props);
  if (writers.length > 0) return `use ${writers.join(", ")}`;
  if (similar !== undefined) return `use ${similar}`;
  return name === "spec" ? "give the fields of the spec as props" : `the props are ${props.join(", ")}`;
}

/** The names of the fields that a prop writes, or whose place it takes. */
function fieldsOf(shape: Shape | undefined): readonly string[] {
  const { fields = [], struct = {} } = (shape ?? {}) as Partial<Facts>;
  return [...fields.flatMap((field) => field.split(".")), ...Object.keys(struct)];
}

function below(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function refused(prop: string, message: string | undefined | false): readonly Refusal[] {
  return message ? [{ prop, message }] : [];
}

/** Fields that belong to a part of a prop. */
const PARTS: Readonly<Record<string, string>> = {
  "match.podNamespace": "pods.namespace",
  updateRoutedIP: "implementation.updateRoutedIP",
  updateFirewall: "implementation.updateFirewall",
};

/** The prop of a field, with the rest of the field's path; empty for the whole spec. */
export function propOf(facts: AnyFacts, path: string): string {
  for (const [prop, { fields, options = {} }] of Object.entries(facts)) {
    for (const field of fields) {
      const rest = path.slice(`spec.${field}`.length);
      if (!path.startsWith(`spec.${field}`) || !/^($|[.[])/.test(rest)) continue;
      return `${PARTS[field] ?? prop}${rest.replaceAll(/\w+/g, (word) => options[word] ?? word)}`;
    }
  }
  return path.replace(/^spec\.?/, "");
}

/** Converts a message about fields to one about props, by replacing the fields' names. */
export function inProps(facts: AnyFacts, message: string): string {
  const names = new Map(Object.entries(facts).flatMap((fact) => namesIn(...fact)));
  // Text in quotation marks is a value.
  return message.replaceAll(/"[^"]*"|\w+(\.\w+)*/g, (text) => names.get(text) ?? text);
}

/** How messages name the fields of a prop, each with the prop or option. A field of a match may go without `match.`. */
function namesIn(prop: string, { fields, options = {} }: Facts): readonly (readonly [string, string])[] {
  const single = fields.filter((field) => fields.length === 1 || field.includes("."));
  const paths = single.map((field) => [field, PARTS[field] ?? prop] as const);
  return [...Object.entries(options), ...paths, ...paths.map(([field, name]) => [lastOf(field), name] as const)];
}

function lastOf(field: string): string {
  return field.slice(field.lastIndexOf(".") + 1);
}
