/** Names of nodes by label. A key is indexed when it is first asked for, and kept from then on. */

import { MAX_INDEXED_KEYS } from "../bounds.js";

type Labels = Readonly<Record<string, string>>;

export class LabelIndex {
  /** Key -> value -> names. */
  private readonly keys = new Map<string, Map<string, Set<string>>>();

  /** @param all every node, read when a key is asked for the first time. */
  constructor(private readonly all: () => Iterable<{ readonly name: string; readonly labels: Labels }>) {}

  /** Names of the nodes whose label `key` has one of the values; `undefined`: too many keys, look at every node. */
  with(key: string, values: readonly string[]): readonly string[] | undefined {
    if (!this.keys.has(key) && this.keys.size >= MAX_INDEXED_KEYS) return undefined;
    const names = this.keys.get(key) ?? this.build(key);
    return values.flatMap((value) => [...(names.get(value) ?? [])]);
  }

  /** A node came (no `before`), changed, or went (no `after`). */
  update(name: string, before: Labels | undefined, after: Labels | undefined): void {
    // Equal label maps are mostly one object: see Interner.
    if (before === after) return;
    for (const [key, names] of this.keys) {
      const [old, next] = [labelOf(before, key), labelOf(after, key)];
      if (old === next) continue;
      if (old !== undefined) remove(names, old, name);
      if (next !== undefined) put(names, next, name);
    }
  }

  private build(key: string): Map<string, Set<string>> {
    const names = new Map<string, Set<string>>();
    for (const { name, labels } of this.all()) {
      const value = labelOf(labels, key);
      if (value !== undefined) put(names, value, name);
    }
    this.keys.set(key, names);
    return names;
  }
}

function labelOf(labels: Labels | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function put(names: Map<string, Set<string>>, value: string, name: string): void {
  const known = names.get(value);
  if (known === undefined) names.set(value, new Set([name]));
  else known.add(name);
}

function remove(names: Map<string, Set<string>>, value: string, name: string): void {
  const known = names.get(value);
  known?.delete(name);
  if (known?.size === 0) names.delete(value);
}
