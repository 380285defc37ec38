/** Which mutations a seed chooses. Pure: the same sources, seed and changed lines give the same sample. */

import { createHash } from "node:crypto";
import { type Mutation, mutationsOf } from "./mutations.js";

/** A mutation in its file. */
export interface Mutant extends Mutation {
  /** From the file, the change and the text, not from the line: an edit elsewhere in the file leaves it as it is. */
  readonly id: string;
  readonly file: string;
  /** The line of its first character, from 1. */
  readonly line: number;
  readonly before: string;
}

/** How much likelier than others a mutation below this path is. Texts, timing constants and entry points are left out. */
const WEIGHTS: readonly (readonly [prefix: string, weight: number])[] = [
  ["operator/src/messages/", 0],
  ["operator/src/timings.ts", 0],
  ["operator/src/build.ts", 0],
  ["operator/src/commands/", 0.3],
  ["operator/src/metrics/", 0.3],
  ...["addresses", "claims", "controllers", "health", "inventory", "limits", "match", "publishing", "reconcile"].map(
    (folder): readonly [string, number] => [`operator/src/${folder}/`, 3],
  ),
  ["operator/src/records/", 3],
  ["operator/src/routing/", 3],
  ["operator/src/", 1],
  ["constructs/src/api/", 1],
];

export const MUTATED_FOLDERS = ["operator/src", "constructs/src/api"];
/** So that a long file does not take up the sample. */
const MOST_PER_FILE = 3;

/** The mutants of a file, at most those of the lines. @param lines those that changed; `undefined` means all */
export function mutantsOf(file: string, text: string, lines?: ReadonlySet<number>): readonly Mutant[] {
  const starts = lineStarts(text);
  const seen = new Map<string, number>();
  return mutationsOf(file, text)
    .map((mutation) => {
      const before = text.slice(mutation.start, mutation.end);
      const name = [file, mutation.change, before].join("\n");
      const id = hash(`${name}\n${count(seen, name)}`)
        .toString("hex")
        .slice(0, 12);
      return { ...mutation, id, file, before, line: starts.findLastIndex((start) => start <= mutation.start) + 1 };
    })
    .filter(({ line }) => lines?.has(line) ?? true);
}

function lineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

/** The mutants in the order in which the seed chooses them: one for each line, a few for each file, unless `all`. */
export function shuffled(mutants: readonly Mutant[], seed: string, all = false): readonly Mutant[] {
  if (all) return mutants;
  const order = mutants
    .filter(({ file }) => weightOf(file) > 0)
    .map((mutant) => ({ mutant, key: sampleKey(mutant, seed) }))
    .sort((a, b) => b.key - a.key)
    .map(({ mutant }) => mutant);
  const taken = new Map<string, number>();
  return order.filter(({ file, line }) => {
    const ofLine = count(taken, `${file}:${line}`);
    return ofLine === 1 && count(taken, file) <= MOST_PER_FILE;
  });
}

/** For a u between 0 and 1, u^(1/weight) orders a weighted sample. */
function sampleKey({ id, file }: Mutant, seed: string): number {
  return ((hash(`${seed}\n${id}`).readUInt32BE(0) + 1) / 2 ** 32) ** (1 / weightOf(file));
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function count(counts: Map<string, number>, key: string): number {
  const next = (counts.get(key) ?? 0) + 1;
  counts.set(key, next);
  return next;
}

function weightOf(file: string): number {
  return WEIGHTS.find(([prefix]) => file.startsWith(prefix))?.[1] ?? 0;
}

/** The lines of each file that `git diff --unified=0` shows as new. */
export function changedLines(diff: string): ReadonlyMap<string, ReadonlySet<number>> {
  const changed = new Map<string, Set<number>>();
  let lines = new Set<number>();
  for (const row of diff.split("\n")) {
    const file = /^\+\+\+ b\/(.*)$/.exec(row)?.[1];
    if (file !== undefined) {
      lines = new Set();
      changed.set(file, lines);
    }
    const [, first, length = "1"] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(row) ?? [];
    for (let index = 0; first !== undefined && index < Number(length); index++) lines.add(Number(first) + index);
  }
  return changed;
}
