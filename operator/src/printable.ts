/** Text of others (names, annotations, answers of clouds) without what a terminal or a reader's eye would take for something else. */

/**
 * Control characters, except for tab and line feed, the characters that turn the direction of text or end a line, and
 * halves of a character: the API server stores another character for one, so a status would never be as written.
 */
const HIDDEN = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const KEPT = ["\t", "\n"];

/** The text for a terminal or a log: each such character as its escape in JSON, so that JSON stays the same value. */
export function printable(text: string): string {
  return text.replace(HIDDEN, (character) => (KEPT.includes(character) ? character : escaped(character)));
}

/** The text for one line of a condition or an Event: each such character, and each run of white space, is a space. */
export function oneLine(text: string): string {
  return text.replace(HIDDEN, " ").replace(/\s+/g, " ").trim();
}

/**
 * The start of the text, at most `length` characters, without a last word that the cut would leave only a part of: nothing
 * recognizes half a token as a secret.
 */
export function cutAtWord(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(LAST_WORD, "");
}

/** With the characters of tokens, also in a URL, in Base64 or in a JSON string. */
const LAST_WORD = /(?<![\w\-.~+/=%\\])[\w\-.~+/=%\\]+$/;

/** A line of JSON whose strings may be printed once they are parsed. */
export function printableJson(line: string): string {
  return printable(line).replace(ESCAPE, (found) => (TERMINAL_ESCAPE.test(found) ? `\\${found}` : found));
}

/** Whole, so that a backslash before it is seen. */
const ESCAPE = /\\(?:u[0-9a-f]{4}|[^u])/gi;
/** Not those of line feed, tab, quote and backslash. */
const TERMINAL_ESCAPE = /^\\(?:u00[01789]|u061c|u200[ef]|u202[89a-e]|u206[6-9]|[bfr])/i;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
