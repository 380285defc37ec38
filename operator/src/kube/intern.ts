import { MAX_INTERN_ENTRIES } from "../bounds.js";

/**
 * Shares equal strings and equal label maps of objects that came as JSON. JSON.parse makes a new copy of each value, and the 50,000 pods of a
 * cluster repeat a few hundred label maps, node names and namespaces.
 */
export class Interner {
  private readonly strings = new Map<string, string>();
  private readonly maps = new Map<string, Readonly<Record<string, string>>>();

  constructor(private readonly maxEntries = MAX_INTERN_ENTRIES) {}

  string(value: string): string {
    const known = this.strings.get(value);
    if (known !== undefined) return known;
    if (this.strings.size >= this.maxEntries) this.strings.clear();
    this.strings.set(value, value);
    return value;
  }

  optional(value: string | undefined): string | undefined {
    return value === undefined ? undefined : this.string(value);
  }

  /** A frozen copy of `labels`, the same object for the same content. */
  labels(labels: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> {
    if (labels === undefined) return NO_LABELS;
    // The protobuf decoder shares its maps already.
    if (Object.isFrozen(labels)) return labels;
    const signature = JSON.stringify(labels);
    const known = this.maps.get(signature);
    if (known !== undefined) return known;
    if (this.maps.size >= this.maxEntries) this.maps.clear();
    const copy: Record<string, string> = {};
    for (const [key, value] of Object.entries(labels)) copy[key] = this.string(value);
    this.maps.set(signature, Object.freeze(copy));
    return copy;
  }
}

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze({});
