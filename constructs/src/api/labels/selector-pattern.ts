import type { Rule, SchemaOf } from "../schema/schema";
import { parseLabelSelector } from "./label-selector";
import { LABEL_KEY_PATTERN, LABEL_NAME_PATTERN, LABEL_VALUE_PATTERN, MAX_PREFIX_LENGTH } from "./label-syntax";

/** Maximum length of a selector in the API server's check; the Go operator had no limit. */
export const MAX_SELECTOR_LENGTH = 4096;

const S = "[ \\t\\r\\n]*";
const GAP = "[ \\t\\r\\n]+";
/** Integers up to 2^63-1, written with at most 63 characters. */
const INT64 = `(0{0,44}[0-9]{1,18}|0{0,44}(${int64Tails().join("|")}))`;

/**
 * The whole grammar of label selectors as one RE2 expression, for CEL's `matches()`. It covers everything except the
 * length of key prefixes. `label-selector.ts` implements the same grammar with error positions; a test on the real
 * server compares both with the server's own parser.
 */
export const SELECTOR_PATTERN = `^${S}(${requirement()}(,${S}${requirement()})*)?$`;

/** A prefix that is too long; a slash follows only prefixes. */
const LONG_PREFIX_PATTERN = `[a-z0-9.-]{${MAX_PREFIX_LENGTH + 1}}/`;

const FIX = 'is not a label selector: write requirements such as app=web, tier in (a,b), !spot, joined by ","';
const SHOWN = 200;

const selectorRule: Rule<string> = {
  cel: `self.matches(${celString(SELECTOR_PATTERN)}) && !self.matches(${celString(LONG_PREFIX_PATTERN)})`,
  message: `the value ${FIX}`,
  messageCel: `'"' + (size(self) > ${SHOWN} ? self.substring(0, ${SHOWN}) + '…' : self) + ${celString(`" ${FIX}`)}`,
  check: (self) => {
    const parsed = parseLabelSelector(self);
    if (parsed.ok) return undefined;
    const shown = self.length > SHOWN ? `${self.slice(0, SHOWN)}…` : self;
    return `"${shown}" ${FIX}; at character ${parsed.error.position + 1}: ${parsed.error.message}`;
  },
};

/** Schema of a field that holds a label selector. */
export function selectorSchema(description: string, example: string): SchemaOf<string> & { readonly optional: true } {
  return {
    type: "string",
    optional: true,
    description,
    example,
    maxLength: MAX_SELECTOR_LENGTH,
    rules: [selectorRule],
  };
}

function requirement(): string {
  const set = `${GAP}(in|notin)${S}\\(${S}${valueList()}\\)${S}`;
  const single = `${S}(==|!=|=)${S}(${LABEL_VALUE_PATTERN}${S})`;
  const compare = `${S}[<>]${S}${INT64}${S}`;
  return `(!${S}${LABEL_KEY_PATTERN}${S}|${LABEL_KEY_PATTERN}(${S}|${single}|${compare}|${set}))`;
}

/** Values with at least one comma between any two of them, and commas anywhere; or an empty list. */
function valueList(): string {
  const value = `${LABEL_NAME_PATTERN}${S}`;
  const comma = `,${S}`;
  return `(${comma})*(${value}((${comma})+${value})*(${comma})*)?`;
}

/**
 * Expressions for the 19-digit numbers up to 9223372036854775807, one for each position of the first digit below the
 * limit's.
 */
function int64Tails(): string[] {
  const limit = "9223372036854775807";
  const below = [...limit].flatMap((digit, index) => {
    if (digit === "0") return [];
    const rest = limit.length - index - 1;
    const range = digit === "1" ? "0" : `[0-${Number(digit) - 1}]`;
    return [`${limit.slice(0, index)}${range}${rest > 0 ? `[0-9]{${rest}}` : ""}`];
  });
  return [...below, limit];
}

/** A CEL string literal. */
function celString(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`;
}
