/** Small functions of values that no library of Node has. */

import { familyOf } from "cdk8s-flipop/api";

/** Fields that have a value: an absent one is left out, as optional fields ask for. */
export function omitUndefined<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { readonly [K in keyof T]?: Exclude<T[K], undefined> };
}

/** The family of the address, as `BlockList` of node:net spells it. */
export function netFamilyOf(ip: string): "ipv4" | "ipv6" {
  return familyOf(ip) === "IPv6" ? "ipv6" : "ipv4";
}

/** Names that a message shows of a list, and longer texts. */
const NAMES = 8;
const CLAUSES = 5;

/** The first few, and how many more: a message must not grow with the cluster. */
export function listed(names: readonly string[], most = NAMES): string {
  return joined(names, most, ", ");
}

/** The same for texts that have commas. */
export function listedClauses(texts: readonly string[]): string {
  return joined(texts, CLAUSES, "; ");
}

/** `1 record`, `2 records`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function joined(texts: readonly string[], most: number, separator: string): string {
  const more = texts.length - most;
  return more > 0 ? `${texts.slice(0, most).join(separator)} and ${more} more` : texts.join(separator);
}

/** Orders texts by their UTF-16 code units, the same on every machine: below 0 if `a` comes first. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Puts the entry last. If the map then has more than `most` entries, the one that was put longest ago goes. */
export function putLast<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > most && first !== undefined) map.delete(first);
}

/** Whether both have the same texts, in whatever order. */
export function sameTexts(some: readonly string[], others: readonly string[]): boolean {
  return [...some].sort().join() === [...others].sort().join();
}
