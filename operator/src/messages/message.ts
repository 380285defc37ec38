/**
 * The terms of the catalogue. Each text that a condition, a status or an Event shows is an entry of one of the files beside
 * this one: a sentence over typed values, what to do, and who can do it. Decisions compare identities and values, never texts.
 */

import { EVENTS, type EventReason, type Reason } from "cdk8s-flipop/api";
import { jsonEqual } from "../kube/objects.js";
import type { EventInput } from "../kube/write/events.js";

/** Who can remove an obstacle. The values are for the reference page. */
export const ACTORS = {
  operator: "The operator does it.",
  author: "Whoever edits this resource.",
  other: "Whoever edits the other resource that the message names.",
  administrator: "The cluster's administrator.",
  account: "The owner of the cloud or DNS account.",
  cause: "Whoever can remove the cause.",
} as const;

export type Actor = keyof typeof ACTORS;

/** A text of the catalogue with the values that it names. */
export interface Problem {
  /** Which entry: `creation.noRegion`. Values without one come from tests. */
  readonly id?: string;
  readonly reason: Reason;
  /** What was seen, where, and how to correct it. */
  readonly message: string;
  readonly values?: unknown;
}

export type EventMessage = Pick<EventInput, "type" | "reason" | "action" | "note">;

interface Sentence<V> {
  /** What the operator saw, and what that means. */
  readonly text: (values: V) => string;
  /** For the reference page. */
  readonly example?: NoInfer<V>;
}

export interface NoteEntry<V> extends Sentence<V> {
  readonly reason: Reason | ((values: V) => Reason);
}

type Remedy = string | readonly string[];

export interface ProblemEntry<V> extends NoteEntry<V> {
  readonly by: Actor;
  /** What to do; the message ends with it. Several are alternatives, the mildest first. @default the remedy of the reason, on the reference page only */
  readonly remedy?: Remedy | ((values: V) => Remedy);
  /** The text itself says what to do: it is one of a provider, for example. */
  readonly remedyInText?: true;
}

export interface EventEntry<V> extends Sentence<V> {
  readonly reason: EventReason;
  readonly action: string;
}

/** An entry, for the reference page and for tests. */
export interface Row {
  readonly id: string;
  /** That of the example, if the values decide it. */
  readonly reason: () => Reason | EventReason;
  /** Who can remove the obstacle. Absent: there is none. */
  readonly by?: Actor;
  /** The text with the example's values. */
  readonly example: () => string;
  /** The text with the example's values, as `change` makes them. */
  readonly exampleWith: (change: <V>(values: V) => V) => string;
  /** The text says what to do. */
  readonly hasRemedy?: boolean;
}

/** Makes a message of values. */
export interface Maker<V, M> {
  (values: V): M;
  readonly id: string;
  readonly row: Row;
}

/** A maker without its id, which `topic` gives it. */
export type Named<Made> = (id: string) => Made;

/** Stands between what was seen and what to do about it. */
export const FIX = "; fix: ";

/** What was seen, then what to do about it, for each cause that the message names. */
export function partsOf(message: string): readonly [string, ...string[]] {
  const [seen = "", ...fixes] = message.split(FIX);
  return [seen, ...fixes];
}

/** For a place with one line: what to do is in the condition. */
export function seenIn(message: string): string {
  return partsOf(message)[0];
}

/** More facts come before what to do. */
export function withSeen(message: string, more: readonly string[]): string {
  const [seen, ...fixes] = partsOf(message);
  return [[seen, ...more].join("; "), ...fixes].join(FIX);
}

/** What a condition says when something stands in the way. */
export function problem<V = void>(entry: ProblemEntry<V>): Named<Maker<V, Problem>> {
  const { remedy, text, by, remedyInText: hasRemedy = false } = entry;
  if (remedy === undefined) return conditionText(entry, { by, hasRemedy });
  const cure = (values: V) => (typeof remedy === "function" ? remedy(values) : remedy);
  const message = (values: V) => [text(values), ...[cure(values)].flat()].join(FIX);
  return conditionText({ ...entry, text: message }, { by, hasRemedy: true });
}

/** What a condition says when nothing stands in the way. */
export function note<V = void>(entry: NoteEntry<V>): Named<Maker<V, Problem>> {
  return conditionText(entry);
}

function conditionText<V>(
  { reason, text, example }: NoteEntry<V>,
  more: Pick<Row, "by" | "hasRemedy"> = {},
): Named<Maker<V, Problem>> {
  const reasonOf = (values: V) => (typeof reason === "function" ? reason(values) : reason);
  return (id) => {
    const make = (values: V) => ({ id, reason: reasonOf(values), message: text(values), values });
    return maker(make, { id, ...more, reason: () => reasonOf(example as V), ...examplesOf(text, example) });
  };
}

/** What an Event says. */
export function event<V = void>({ reason, action, text, example }: EventEntry<V>): Named<Maker<V, EventMessage>> {
  const make = (values: V) => ({ type: EVENTS[reason].type, reason, action, note: text(values) });
  return (id) => maker(make, { id, reason: () => reason, ...examplesOf(text, example) });
}

function examplesOf<V>(text: (values: V) => string, example: V | undefined): Pick<Row, "example" | "exampleWith"> {
  return { example: () => text(example as V), exampleWith: (change) => text(change(example as V)) };
}

function maker<V, M>(make: (values: V) => M, row: Row): Maker<V, M> {
  return Object.assign((values: V) => make(values), { id: row.id, row });
}

/** Entries of one topic; each gets the topic and its own name as its id. */
export function topic<T extends Readonly<Record<string, Named<unknown>>>>(
  name: string,
  entries: T,
): { readonly [K in keyof T]: ReturnType<T[K]> } {
  const made = Object.entries(entries).map(([key, named]) => [key, named(`${name}.${key}`)]);
  return Object.fromEntries(made) as { readonly [K in keyof T]: ReturnType<T[K]> };
}

/** The same entry with the same values. */
export function isSame(a: Problem, b: Problem): boolean {
  return a.id === b.id && a.reason === b.reason && jsonEqual(a.values, b.values) && (a.id !== undefined || a === b);
}

/** Whether `part` is `whole`, or one of the problems that `whole` names as its cause. */
export function includes(whole: Problem, part: Problem): boolean {
  return isSame(whole, part) || causesOf(whole).some((cause) => includes(cause, part));
}

/** Whether `whole` or one of its causes is one of these entries. */
export function includesEntry(whole: Problem, entries: readonly { readonly id: string }[]): boolean {
  return entries.some(({ id }) => id === whole.id) || causesOf(whole).some((cause) => includesEntry(cause, entries));
}

/** The values of each message of this entry in `whole`: itself, or one of its causes. */
export function valuesIn<V>(whole: Problem, entry: Maker<V, Problem>): readonly V[] {
  const own = whole.id === entry.id ? [whole.values as V] : [];
  return [...own, ...causesOf(whole).flatMap((cause) => valuesIn(cause, entry))];
}

function causesOf({ values }: Problem): readonly Problem[] {
  if (typeof values !== "object" || values === null) return [];
  return Object.values(values).flat().filter(isProblem);
}

function isProblem(value: unknown): value is Problem {
  return typeof value === "object" && value !== null && "reason" in value && "message" in value;
}
