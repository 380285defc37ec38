/**
 * What this process knows of a status and the API server does not show: fields that wait for the next patch, and fields
 * that an older CRD does not keep. `read` puts them over the stored status, so that a plan sees its own results.
 */

/** A field of the status, or an entry of one that is a map. */
export type StatusPath = readonly [field: string] | readonly [field: string, entry: string];

interface Pending {
  readonly path: StatusPath;
  readonly value: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

export class PendingStatus {
  private readonly waiting = new Map<string, Pending>();
  private unkept: Fields = {};
  private changes = 0;

  /** Grows with each change: what was read before is old. */
  get version(): number {
    return this.changes;
  }

  /** @param value `undefined` removes the field. */
  set(path: StatusPath, value: unknown): void {
    this.waiting.set(keyOf(path), { path, value });
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

  /** The stored status with all that is known better. */
  over(status: Fields | undefined): Fields {
    const fields: Record<string, unknown> = { ...status, ...this.unkept };
    const maps = new Map<string, Record<string, unknown>>();
    for (const { path, value } of this.waiting.values()) {
      const [field, entry] = path;
      if (entry === undefined) {
        maps.delete(field);
        fields[field] = value;
      } else entriesOf(maps, fields, field)[entry] = value;
    }
    for (const [field, entries] of maps) fields[field] = withoutAbsent(entries);
    return withoutAbsent(fields);
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

function withoutAbsent(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function keyOf(path: StatusPath): string {
  return JSON.stringify(path);
}
