import type { Chart } from "cdk8s";

export type Make = (chart: Chart) => unknown;

/** A phrase of a prop's documentation, what it allows, and what it forbids. */
export type PropClaim = readonly [prop: string, says: string, allowed: readonly Make[], refused: readonly Make[]];

/** A list of values, made from their indexes. */
export function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
