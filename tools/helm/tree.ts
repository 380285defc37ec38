import { isObject } from "cdk8s-flipop/api";
import type { Probe } from "./variants.js";

/** A part of a document, and the syntheses that lack it. */
export interface Part {
  readonly tree: Tree;
  readonly lackedBy: readonly Probe[];
}

/** A document with the syntheses that lack each of its parts. */
export type Tree =
  | { readonly type: "scalar"; readonly value: unknown }
  | { readonly type: "list"; readonly items: readonly Part[]; readonly value: unknown }
  | {
      readonly type: "map";
      readonly entries: readonly (readonly [key: string, part: Part])[];
      readonly value: unknown;
    };

/** The same place in another synthesis. */
interface Counterpart {
  readonly probe: Probe;
  readonly value: unknown;
}

/** Finds for each part of a value the counterparts that lack it. */
export function toTree(value: unknown, counterparts: readonly Counterpart[]): Tree {
  if (Array.isArray(value)) return listTree(value, counterparts);
  if (!isObject(value)) return { type: "scalar", value };
  const entries = Object.entries(value).map(([key, field]) => {
    const part = toPart(field, counterparts, (other) => (isObject(other) ? other[key] : undefined));
    return [key, part] as const;
  });
  return { type: "map", entries, value };
}

/** Lists of the same length are compared item by item; for others, an equal item is searched. */
function listTree(value: readonly unknown[], counterparts: readonly Counterpart[]): Tree {
  const items = value.map((item, index) =>
    toPart(item, counterparts, (other) => {
      if (!Array.isArray(other)) return undefined;
      if (other.length === value.length) return other[index];
      return other.find((candidate) => JSON.stringify(candidate) === JSON.stringify(item));
    }),
  );
  return { type: "list", items, value };
}

/** @param find returns the part of a counterpart's value; undefined if it is missing */
function toPart(value: unknown, counterparts: readonly Counterpart[], find: (other: unknown) => unknown): Part {
  const found = counterparts.map(({ probe, value: other }) => ({ probe, value: find(other) }));
  return {
    tree: toTree(
      value,
      found.filter((counterpart) => counterpart.value !== undefined),
    ),
    lackedBy: found.filter((counterpart) => counterpart.value === undefined).map(({ probe }) => probe),
  };
}
