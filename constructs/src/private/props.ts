import { nearest } from "../api/nearest";
import type { FlipopResourceProps } from "../flipop-resource";
import type { Refusal } from "./draft";
import { PART, type Part, partProblem, shown } from "./part";

/** The expected shape of a prop's value, for the check before use. Later code checks the rest. */
export interface Shape {
  /** The type of the value, or of each value in a list or map. */
  readonly part?: Part;
  readonly list?: true;
  /** An object with any keys. */
  readonly map?: true;
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

type PartOf<T> = T extends object ? { readonly part: Part } : { readonly part?: Part };

/** The shape of each prop of a construct. */
export type Shapes = Readonly<Record<string, Shape>>;

/** Facts about a prop: its fields in the spec, and its shape. */
export interface Facts extends Shape {
  /** Paths below `spec`. */
  readonly fields: readonly string[];
}

/** Facts about all props of a construct. It does not compile if a prop is missing. */
export type FactsOf<Props> = {
  readonly [Prop in Exclude<keyof Props, keyof FlipopResourceProps> & string]-?: ShapeOf<Props[Prop]> &
    Pick<Facts, "fields">;
};

/** Facts about the props of any construct. */
export type AnyFacts = Readonly<Record<string, Facts>>;

/**
 * The values of the known props. They are read by name, because props may be getters of a class, which are not own
 * properties.
 */
export function valuesOf(props: object, shapes: Shapes): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.keys(shapes).map((prop) => [prop, Reflect.get(props, prop) ?? undefined]));
}

/**
 * Unusable props: missing, of a wrong type, or misspelt. They occur only without a type check, such as under `tsx`. An
 * unknown prop is accepted if it resembles no prop, or only one that is also set: it may belong to an enclosing
 * construct.
 */
export function misfits(props: object, shapes: Shapes): readonly Refusal[] {
  const given = valuesOf(props, shapes);
  const known = Object.entries(shapes).flatMap(([prop, shape]) => misfit(prop, given[prop], shape));
  const others = Object.entries(props).filter(([prop, value]) => value !== undefined && !Object.hasOwn(shapes, prop));
  const misspelt = others.flatMap(([prop]) => {
    const meant = ["metadata", "cluster"].includes(prop) ? undefined : nearest(prop, Object.keys(shapes));
    if (meant === undefined || given[meant] !== undefined) return [];
    return refused(prop, `is not a prop: did you mean ${meant}?`);
  });
  return [...known, ...misspelt];
}

/** The props without the unusable ones. */
export function withoutMisfits<T extends object>(props: T, found: readonly Refusal[], shapes: Shapes): T {
  if (found.length === 0) return props;
  const unfit = new Set(found.map(({ prop }) => prop.split(/[.[]/)[0]));
  return Object.fromEntries(Object.entries(valuesOf(props, shapes)).filter(([prop]) => !unfit.has(prop))) as T;
}

function misfit(prop: string, value: unknown, { part, list, map, required }: Shape): readonly Refusal[] {
  if (value === undefined) return refused(prop, required && `is missing: give ${part?.make(value) ?? "a value"}`);
  if (list) return listMisfits(prop, value, part);
  if (map) return mapMisfits(prop, value, part);
  // The schema, if there is one, checks single texts and numbers.
  return refused(prop, part && partProblem(value, part));
}

function listMisfits(prop: string, value: unknown, part: Part = PART.text): readonly Refusal[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => refused(`${prop}[${at}]`, partProblem(item, part)));
  return refused(prop, `${shown(value)} is not a list: write [${typeof value === "object" ? "..." : shown(value)}]`);
}

function mapMisfits(prop: string, value: unknown, part: Part = PART.text): readonly Refusal[] {
  const problem = partProblem(value, PART.map);
  if (problem !== undefined) return refused(prop, problem);
  const given = Object.entries(value as object).filter(([, one]) => (one ?? undefined) !== undefined);
  return given.flatMap(([key, one]) => refused(`${prop}.${key}`, partProblem(one, part)));
}

function refused(prop: string, message: string | undefined): readonly Refusal[] {
  return message ? [{ prop, message }] : [];
}

/** Fields that belong to a part of a prop. */
const PARTS: Readonly<Record<string, string>> = { "spec.match.podNamespace": "pods.namespace" };

/** The prop of a field, with the rest of the field's path; empty for the whole spec. */
export function propOf(facts: AnyFacts, path: string): string {
  for (const [prop, { fields }] of Object.entries(facts)) {
    for (const field of fields) {
      const rest = path.slice(`spec.${field}`.length);
      if (path.startsWith(`spec.${field}`) && /^($|[.[])/.test(rest)) return PARTS[path] ?? `${prop}${rest}`;
    }
  }
  return path.replace(/^spec\.?/, "");
}

/** Converts a message about fields to one about props, by replacing the fields' names. */
export function inProps(facts: AnyFacts, message: string): string {
  const props = Object.entries(facts);
  // Text in quotation marks is a value.
  return message.replaceAll(
    /"[^"]*"|\w+/g,
    (word) =>
      props.find(
        ([
          ,
          {
            fields: [field, ...more],
          },
        ]) => field === word && more.length === 0,
      )?.[0] ?? word,
  );
}
