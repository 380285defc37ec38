/** A construction that docs, comments and messages must not contain. */
export interface BannedWord {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Plain English: the subject first, an actor for each verb. If you add a row, rewrite its findings. */
const BANNED: readonly BannedWord[] = [
  { pattern: /\b(tells|told)\b/gi, instead: "name what happens: the operator logs, shows, reports, sets a condition" },
  { pattern: /\b(is|are|was|were|be|been) said\b/gi, instead: "name who says it and where: a condition shows" },
  { pattern: /\b(mend|mends|mended|mending)\b/gi, instead: "fix, repair" },
  { pattern: /\bnobody\b/gi, instead: "name the actor: no resource uses it" },
  { pattern: /\b(wherein|whereof)\b/gi, instead: "in which, of which" },
  { pattern: /\bfor want of\b/gi, instead: "because there is no" },
  { pattern: /\bbut for\b/gi, instead: "except for" },
  { pattern: /\b(come|comes|came) to nothing\b/gi, instead: "fails, ends without a result" },
  { pattern: /\bsenseless\b/gi, instead: "useless, or what is wrong with it" },
  {
    pattern: /\b(of|for|from|by|with|to|in|on|at|after|before|and|or|beside|but) what (is|was|are|were|has|have)\b/gi,
    instead: "name the thing: the addresses that are in use",
  },
];

/** A place in a text with a banned construction. */
export interface Finding {
  readonly line: number;
  readonly found: string;
  readonly instead: string;
}

/** The banned constructions in the text of a file. Each piece of text has the number of its first line. */
export function findingsIn(pieces: readonly Piece[]): readonly Finding[] {
  return pieces.flatMap(({ line, text }) =>
    BANNED.flatMap(({ pattern, instead }) =>
      [...text.matchAll(acrossLines(pattern))].map(({ 0: found, index }) => {
        const before = text.slice(0, index).split("\n").length - 1;
        return { line: line + before, found: found.replaceAll(/\s+/g, " "), instead };
      }),
    ),
  );
}

function acrossLines({ source, flags }: RegExp): RegExp {
  return new RegExp(source.replaceAll(" ", "\\s+"), flags);
}

/** A piece of text for readers. */
export interface Piece {
  readonly line: number;
  readonly text: string;
}
