/** Finds the word that a misspelt word probably means. */

/** Maximum number of wrong, missing or extra letters. */
const MOST_EDITS = 2;

/** The most similar word, if one is similar enough; case and separators are ignored. */
export function nearest(seen: string, words: readonly string[]): string | undefined {
  const bare = bareOf(seen);
  const ranked = words.map((word) => ({ word, edits: edits(bare, bareOf(word)) })).sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  // In a short word, two wrong letters are too many.
  return best !== undefined && best.edits <= Math.min(MOST_EDITS, bare.length / 3) ? best.word : undefined;
}

function bareOf(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, "");
}

/** Levenshtein's distance. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...to].entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
