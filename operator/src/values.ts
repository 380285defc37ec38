/** Small functions of values that no library of Node has. */

/** Fields that have a value: an absent one is left out, as optional fields ask for. */
export function omitUndefined<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { readonly [K in keyof T]?: Exclude<T[K], undefined> };
}

/** Orders texts by their UTF-16 code units, the same on every machine: below 0 if `a` comes first. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
