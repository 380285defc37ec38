/** Fields of a status that wait for the next patch, or that an older CRD does not keep: they are read as if the server had them, so that a plan sees its own results. */

import { jsonEqual } from "../kube/objects.js";
import { omitUndefined } from "../values.js";

export function fieldsOf(status: unknown): Readonly<Record<string, unknown>> {
  return typeof status === "object" && status !== null ? { ...status } : {};
}

/** A field of the status, or an entry of one that is a map. */
type StatusPath = readonly [field: string] | readonly [field: string, entry: string];

interface Pending {
  readonly path: StatusPath;
  readonly value: unknown;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A fact that the server did not keep as it was sent. */
interface UnkeptFact {
  readonly value: unknown;
  /** What the server had instead: as long as it has that, nothing newer was written. */
  readonly stored: unknown;
}

export class PendingStatus {
  private readonly waiting = new Map<string, Pending>();
  private readonly facts = new Map<string, UnkeptFact>();
  private unkept: Fields = {};
  private changes = 0;

  /** Grows with each change: what was read before is old. */
  get version(): number {
    return this.changes;
  }

  get isEmpty(): boolean {
    return this.waiting.size === 0;
  }

  /** @param value `undefined` removes the field. */
  set(path: StatusPath, value: unknown): void {
    this.waiting.set(keyOf(path), { path, value });
    // What the server did not keep of the whole field is older.
    if (path.length === 1) this.facts.delete(path[0]);
    this.changes += 1;
  }

  get(path: StatusPath): unknown {
    return this.waiting.get(keyOf(path))?.value;
  }

  /** Fields that the server dropped; replaces those of the last write. Empty: the server keeps all. */
  setUnkept(fields: Fields): void {
    if (Object.keys(fields).length === 0 && Object.keys(this.unkept).length === 0) return;
    this.unkept = fields;
    this.changes += 1;
  }

  /** @param facts as they were sent. @param stored as the server answered. */
  setFacts(facts: Fields, stored: Fields): void {
    for (const [field, value] of Object.entries(facts)) {
      const kept = value === undefined || jsonEqual(stored[field], value);
      if (kept && !this.facts.delete(field)) continue;
      if (!kept) this.facts.set(field, { value, stored: stored[field] });
      this.changes += 1;
    }
  }

  /** The facts that the server lacks. */
  unkeptFacts(status: Fields | undefined): Fields {
    const lacking = [...this.facts].filter(([field, { stored }]) => jsonEqual(status?.[field], stored));
    return Object.fromEntries(lacking.map(([field, { value }]) => [field, value]));
  }

  /** The stored status with all that is known better. */
  over(status: Fields | undefined): Fields {
    const fields: Record<string, unknown> = { ...status, ...this.unkept, ...this.unkeptFacts(status) };
    const maps = new Map<string, Record<string, unknown>>();
    for (const { path, value } of this.waiting.values()) {
      const [field, entry] = path;
      if (entry === undefined) {
        maps.delete(field);
        fields[field] = value;
      } else entriesOf(maps, fields, field)[entry] = value;
    }
    for (const [field, entries] of maps) fields[field] = omitUndefined(entries);
    return omitUndefined(fields);
  }

  /** Marks what waits now; call the result once a status with all of it is written. What changed meanwhile stays. */
  mark(): () => void {
    const marked = new Map(this.waiting);
    return () => {
      for (const [key, pending] of marked) {
        if (this.waiting.get(key) !== pending) continue;
        this.waiting.delete(key);
        this.changes += 1;
      }
    };
  }
}

/** Copies a map once, however many of its entries change. */
function entriesOf(maps: Map<string, Record<string, unknown>>, fields: Fields, field: string): Record<string, unknown> {
  const known = maps.get(field);
  if (known !== undefined) return known;
  const before = fields[field];
  const made = typeof before === "object" && before !== null ? { ...before } : {};
  maps.set(field, made);
  return made;
}

function keyOf(path: StatusPath): string {
  return JSON.stringify(path);
}
