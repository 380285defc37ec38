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

/** What is known of a place in other syntheses. */
interface Others {
  readonly counterparts: readonly Counterpart[];
  /** The syntheses that lack the whole. */
  readonly lackedBy: readonly Probe[];
}

/** Finds for each part of a value the counterparts that lack it. */
export function toTree(value: unknown, others: Others): Tree {
  if (Array.isArray(value)) return listTree(value, others);
  if (!isObject(value)) return { type: "scalar", value };
  const entries = Object.entries(value).map(([key, field]) => {
    const part = toPart(field, others, (other) => (isObject(other) ? other[key] : undefined));
    return [key, part] as const;
  });
  return { type: "map", entries, value };
}

/** Lists of the same length are compared item by item; for others, an equal item is searched. */
function listTree(value: readonly unknown[], others: Others): Tree {
  const items = value.map((item, index) =>
    toPart(item, others, (other) => {
      if (!Array.isArray(other)) return undefined;
      if (other.length === value.length) return other[index];
      return other.find((candidate) => JSON.stringify(candidate) === JSON.stringify(item));
    }),
  );
  return { type: "list", items, value };
}

/** @param find returns the part of a counterpart's value; undefined if it is missing */
function toPart(value: unknown, { counterparts, lackedBy }: Others, find: (other: unknown) => unknown): Part {
  const found = counterparts.map(({ probe, value: other }) => ({ probe, value: find(other) }));
  const left = found.filter((counterpart) => counterpart.value !== undefined);
  const missing = found.filter((counterpart) => counterpart.value === undefined).map(({ probe }) => probe);
  // The condition of a part names its features, and a feature without the whole does not need the part either.
  const inherited = missing.some(ofFeature) ? lackedBy.filter(ofFeature) : [];
  const all = [...lackedBy, ...missing];
  return { tree: toTree(value, { counterparts: left, lackedBy: all }), lackedBy: [...missing, ...inherited] };
}

function ofFeature({ feature }: Probe): boolean {
  return feature !== undefined;
}
