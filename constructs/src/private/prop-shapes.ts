import { nearest } from "../api/nearest";
import type { Refusal } from "./draft";
import { type Part, partProblem, shown } from "./part";

/** What a prop takes, as far as it matters before the prop is used: the rest is checked when it is written. */
export interface Shape {
  /** A class whose objects it takes. */
  readonly part?: Part;
  readonly list?: true;
  readonly required?: true;
}

/** The shape of a prop of this type: it does not compile where a list, a class or the need for it is left out. */
export type ShapeOf<T> = (undefined extends T ? { readonly required?: never } : { readonly required: true }) &
  (Exclude<T, undefined> extends readonly (infer Item)[]
    ? { readonly list: true } & PartOf<Item>
    : { readonly list?: never } & PartOf<Exclude<T, undefined>>);

type PartOf<T> = T extends object ? { readonly part: Part } : { readonly part?: never };

/**
 * Props that can't be looked at: missing, of another type, or misspelt. Only where nothing checks types, as under `tsx`,
 * do they get this far. A prop that resembles none is let pass: it may belong to a construct around this one.
 */
export function misfits(props: object, shapes: Readonly<Record<string, Shape>>): readonly Refusal[] {
  const given: Readonly<Record<string, unknown>> = { ...props };
  const known = Object.entries(shapes).flatMap(([prop, shape]) => misfit(prop, given[prop] ?? undefined, shape));
  const others = Object.keys(given).filter((prop) => given[prop] !== undefined && !Object.hasOwn(shapes, prop));
  const misspelt = others.flatMap((prop) => {
    const meant = prop === "metadata" ? undefined : nearest(prop, Object.keys(shapes));
    return refused(prop, meant && `is not a prop: did you mean ${meant}?`);
  });
  return [...known, ...misspelt];
}

/** The props without those that do not fit. */
export function withoutMisfits<T extends object>(props: T, found: readonly Refusal[]): T {
  const left = Object.entries(props).filter(([name]) => !found.some(({ prop }) => prop.split("[")[0] === name));
  return Object.fromEntries(left) as T;
}

function misfit(prop: string, value: unknown, { part, list, required }: Shape): readonly Refusal[] {
  if (value === undefined) return refused(prop, required && `is missing: give ${part?.make(value) ?? "a value"}`);
  if (!list) return refused(prop, part && partProblem(value, part));
  if (Array.isArray(value)) return value.flatMap((item, at) => refused(`${prop}[${at}]`, itemProblem(item, part)));
  return refused(prop, `${shown(value)} is not a list: write [${typeof value === "object" ? "..." : shown(value)}]`);
}

/** Lists are of text or of objects. Text and numbers that stand alone are left to the schema. */
function itemProblem(item: unknown, part: Part | undefined): string | undefined {
  if (part) return partProblem(item, part);
  return typeof item === "string" ? undefined : `${shown(item)} is not a string`;
}

function refused(prop: string, message: string | undefined): readonly Refusal[] {
  return message ? [{ prop, message }] : [];
}
