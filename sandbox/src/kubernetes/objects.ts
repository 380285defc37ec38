/** The parts of API objects that the emulator looks at. */

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface Metadata {
  name: string;
  generateName?: string;
  /** Absent: cluster-scoped. */
  namespace?: string;
  uid: string;
  /** Absent until the object is stored. */
  resourceVersion?: string;
  generation?: number;
  /** RFC 3339, whole seconds. */
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: { [key: string]: string };
  annotations?: { [key: string]: string };
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  /** Of custom resources only: what managers applied. */
  managedFields?: readonly unknown[];
}

/** Any object. What is in the store is never changed in place: a write stores a new object. */
export interface ApiObject {
  kind: string;
  apiVersion: string;
  metadata: Metadata;
  [field: string]: unknown;
}

/** What the emulator takes from its surroundings, so that a run can be replayed. */
export interface Env {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A number from 0 to less than 1. */
  random(): number;
}

/** A time as objects have it: RFC 3339 in UTC, whole seconds. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/** A random UUID (version 4). */
export function randomUid(env: Env): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(env.random() * 16));
  digits[12] = 4;
  digits[16] = 8 + ((digits[16] ?? 0) % 4);
  const hex = digits.map((digit) => digit.toString(16)).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

// Without vowels and look-alikes: no words come out.
const SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";

/** What is put behind `generateName`. */
export function randomSuffix(env: Env): string {
  return Array.from({ length: 5 }, () => SUFFIX_LETTERS[Math.floor(env.random() * SUFFIX_LETTERS.length)]).join("");
}

/** The group of an apiVersion; "" for the core group. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}

/** The apiVersion of a group and version. */
export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}
