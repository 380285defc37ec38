/** The code that an import writes, independent of its language. */

import type { CLASSES } from "./generated-classes";

/** A class whose static methods a program calls: each must be in the list that makes the calls. */
export type ClassName = keyof typeof CLASSES;

/** A call, a value or a reference. */
export type Expression = Data | List | Struct | Call | Member | Variable;

/** Plain data, such as a text, a number, or a map whose keys are data. */
export interface Data {
  readonly kind: "data";
  readonly value: unknown;
}

/** A list of expressions. */
export interface List {
  readonly kind: "list";
  readonly items: readonly Expression[];
}

/** An object whose keys are props, which each language spells in its own way. */
export interface Struct {
  readonly kind: "struct";
  readonly props: Readonly<Record<string, Expression>>;
}

/** A call of a static method. */
export interface Call {
  readonly kind: "call";
  readonly of: ClassName;
  readonly method: string;
  readonly args: readonly Expression[];
}

/** A member of an enum. */
export interface Member {
  readonly kind: "member";
  readonly of: string;
  readonly name: string;
}

/** A variable that an earlier statement defines. */
export interface Variable {
  readonly kind: "variable";
  readonly name: string;
}

/** Plain data. */
export function data(value: unknown): Data {
  return { kind: "data", value };
}

/** Plain data, if there is any. */
export function optional(value: unknown): Data | undefined {
  return value === undefined ? undefined : data(value);
}

/** A struct of the given props, without absent ones. */
export function struct(props: Readonly<Record<string, Expression | undefined>>): Struct {
  const given = Object.entries(props).filter((entry): entry is [string, Expression] => entry[1] !== undefined);
  return { kind: "struct", props: Object.fromEntries(given) };
}

/** A call of a static method; a last argument without props is left out. */
export function call(of: ClassName, method: string, ...args: readonly Expression[]): Call {
  const last = args.at(-1);
  const needless = last?.kind === "struct" && Object.keys(last.props).length === 0;
  return { kind: "call", of, method, args: needless ? args.slice(0, -1) : args };
}

/** The parts of an expression, itself first. */
export function partsOf(expression: Expression): readonly Expression[] {
  return [expression, ...childrenOf(expression).flatMap(partsOf)];
}

function childrenOf(expression: Expression): readonly Expression[] {
  if (expression.kind === "list") return expression.items;
  if (expression.kind === "struct") return Object.values(expression.props);
  return expression.kind === "call" ? expression.args : [];
}
