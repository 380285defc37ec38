/** Why a text is not a selector, and the position of the mistake. */
export interface SelectorSyntaxError {
  /** Offset of the offending character, from 0. */
  readonly position: number;
  /** The text that was found, and the text that was expected. */
  readonly message: string;
}

/** A piece of a selector: a key, value or keyword, or one of the symbols. `position` is its offset in the text. */
export interface SelectorToken {
  readonly kind: "word" | "symbol" | "end";
  readonly text: string;
  readonly position: number;
}

const SPACE = /[ \t\r\n]/;
/** Longest first, so that "==" is not read as two symbols. */
const SYMBOLS = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];
const SYMBOL_CHARACTER = /[=!(),><]/;

/** Splits a selector into tokens, the last of kind "end". It does not check words. */
export function tokenize(text: string): readonly SelectorToken[] {
  const tokens: SelectorToken[] = [];
  let position = 0;
  while (position < text.length) {
    if (SPACE.test(text.charAt(position))) {
      position += 1;
      continue;
    }
    const token = symbolAt(text, position) ?? wordAt(text, position);
    tokens.push(token);
    position += token.text.length;
  }
  tokens.push({ kind: "end", text: "", position: text.length });
  return tokens;
}

/** An error that `parseLabelSelector` turns into its result. */
export function selectorSyntaxError(position: number, message: string): Error & SelectorSyntaxError {
  return Object.assign(new Error(message), { name: "SelectorSyntaxError", position });
}

function symbolAt(text: string, position: number): SelectorToken | undefined {
  const symbol = SYMBOLS.find((candidate) => text.startsWith(candidate, position));
  return symbol === undefined ? undefined : { kind: "symbol", text: symbol, position };
}

function wordAt(text: string, position: number): SelectorToken {
  let end = position;
  while (end < text.length && !SPACE.test(text.charAt(end)) && !SYMBOL_CHARACTER.test(text.charAt(end))) end += 1;
  return { kind: "word", text: text.slice(position, end), position };
}
