import type { KindName } from "../../src/api";
import { minimalSpec } from "./minimal-specs";

/** A spec that must be rejected. */
export interface BadSpec {
  readonly kind: KindName;
  readonly name: string;
  readonly spec: unknown;
  /** Path of the wrong field, in the form of `validateSpec`. */
  readonly path: string;
  /** Part of the message of `validateSpec`. */
  readonly says: string;
  /** Part of the server's message; absent: the same words as `says`. */
  readonly serverSays?: string;
}

/** Fields of a spec. */
export type Fields = Readonly<Record<string, unknown>>;

/** A spec of the kind with these fields over the smallest valid one. */
function bad(kind: KindName, fields: Fields, rest: Omit<BadSpec, "kind" | "spec">): BadSpec {
  return { kind, spec: { ...minimalSpec(kind), ...fields }, ...rest };
}

/** The specs of one kind. */
export function badOf(kind: KindName) {
  return (fields: Fields, rest: Omit<BadSpec, "kind" | "spec">) => bad(kind, fields, rest);
}
