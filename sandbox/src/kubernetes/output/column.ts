import type { ApiObject } from "../objects.js";

/** A column of a Table. */
export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** `name` marks the column of the name. @default "" */
  readonly format?: string;
  /** @default "" */
  readonly description?: string;
  /** 1: shown by `-o wide` only. @default 0 */
  readonly priority?: number;
  /** The cell for a stored object; `now` is in milliseconds since the epoch. */
  readonly cell: (object: ApiObject, now: number) => unknown;
}
