import { nearest } from "../api/nearest";
import type { Refusal } from "./draft";
import { PART, type Part, partProblem, shown } from "./part";

/** What a prop takes, as far as it matters before the prop is used: the rest is checked when it is written. */
export interface Shape {
  /** The type of the value, or of each value in a list or map. */
  readonly part?: Part;
  readonly list?: true;
  /** An object with any keys. */
  readonly map?: true;
  readonly required?: true;
}

/** The shape of a prop of this type: it does not compile where a list, a map, a class or the need for it is left out. */
export type ShapeOf<T> = (undefined extends T ? { readonly required?: never } : { readonly required: true }) &
  (Exclude<T, undefined> extends readonly (infer Item)[]
    ? { readonly list: true; readonly map?: never } & PartOf<Item>
    : { readonly list?: never } & SingleOf<Exclude<T, undefined>>);

type SingleOf<T> = string extends keyof T
  ? { readonly map: true; readonly part: Part }
  : { readonly map?: never } & PartOf<T>;

type PartOf<T> = T extends object ? { readonly part: Part } : { readonly part?: Part };

/** What is known of each prop of a construct. */
export type Shapes = Readonly<Record<string, Shape>>;

/** What is known of a prop: which fields of the spec it writes, and what it takes. */
export interface Facts extends Shape {
  /** Paths below `spec`. */
  readonly fields: readonly string[];
}

/** What is known of the props of a construct. It does not compile while a prop is missing. */
export type FactsOf<Props> = {
  readonly [Prop in Exclude<keyof Props, "metadata"> & string]-?: ShapeOf<Props[Prop]> & Pick<Facts, "fields">;
};

/** What is known of the props of any construct. */
export type AnyFacts = Readonly<Record<string, Facts>>;

/** The known props. Each is read by its name: those of a class may be getters, which are none of its own fields. */
export function valuesOf(props: object, shapes: Shapes): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.keys(shapes).map((prop) => [prop, Reflect.get(props, prop) ?? undefined]));
}

/**
 * Props that can't be looked at: missing, of another type, or misspelt. Only where nothing checks types, as under `tsx`,
 * do they get this far. A prop that resembles none, or only one that is given too, is let pass: it may belong to a
 * construct around this one.
 */
export function misfits(props: object, shapes: Shapes): readonly Refusal[] {
  const given = valuesOf(props, shapes);
  const known = Object.entries(shapes).flatMap(([prop, shape]) => misfit(prop, given[prop], shape));
  const others = Object.entries(props).filter(([prop, value]) => value !== undefined && !Object.hasOwn(shapes, prop));
  const misspelt = others.flatMap(([prop]) => {
    const meant = prop === "metadata" ? undefined : nearest(prop, Object.keys(shapes));
    if (meant === undefined || given[meant] !== undefined) return [];
    return refused(prop, `is not a prop: did you mean ${meant}?`);
  });
  return [...known, ...misspelt];
}

/** The props without those that do not fit. */
export function withoutMisfits<T extends object>(props: T, found: readonly Refusal[], shapes: Shapes): T {
  if (found.length === 0) return props;
  const unfit = new Set(found.map(({ prop }) => prop.split(/[.[]/)[0]));
  return Object.fromEntries(Object.entries(valuesOf(props, shapes)).filter(([prop]) => !unfit.has(prop))) as T;
}

function misfit(prop: string, value: unknown, { part, list, map, required }: Shape): readonly Refusal[] {
  if (value === undefined) return refused(prop, required && `is missing: give ${part?.make(value) ?? "a value"}`);
  if (list) return listMisfits(prop, value, part);
  if (map) return mapMisfits(prop, value, part);
  // Text and numbers that stand alone are left to the schema, where there is one.
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

/** Fields that a prop writes by a part of its own. */
const PARTS: Readonly<Record<string, string>> = { "spec.match.podNamespace": "pods.namespace" };

/** The prop that wrote a field, with the rest of the field's path; empty for the spec as a whole. */
export function propOf(facts: AnyFacts, path: string): string {
  for (const [prop, { fields }] of Object.entries(facts)) {
    for (const field of fields) {
      const rest = path.slice(`spec.${field}`.length);
      if (path.startsWith(`spec.${field}`) && /^($|[.[])/.test(rest)) return PARTS[path] ?? `${prop}${rest}`;
    }
  }
  return path.replace(/^spec\.?/, "");
}

/** A message about fields as one about props: it names the prop in the place of a field of another name. */
export function inProps(facts: AnyFacts, message: string): string {
  const props = Object.entries(facts);
  // What stands in quotation marks is a value.
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
