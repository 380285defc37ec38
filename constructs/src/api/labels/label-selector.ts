import { type SelectorSyntaxError, type SelectorToken, selectorSyntaxError, tokenize } from "./label-selector-tokens";
import { labelKeyProblem, labelValueProblem } from "./label-syntax";

/** How a requirement compares the value of a label. */
export type SelectorOperator = "Exists" | "DoesNotExist" | "In" | "NotIn" | "GreaterThan" | "LessThan";

/** One requirement of a selector. `values` is empty for Exists and DoesNotExist, one integer for the comparisons. */
export interface SelectorRequirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  readonly values: readonly string[];
}

/** Requirements, all of which must hold (an empty list selects everything), or the first error. */
export type ParsedSelector =
  | { readonly ok: true; readonly requirements: readonly SelectorRequirement[] }
  | { readonly ok: false; readonly error: SelectorSyntaxError };

/**
 * Parses the Kubernetes label-selector grammar: equality- and set-based requirements and integer comparisons, joined
 * by commas. It accepts what the API server accepts as `?labelSelector=`.
 * Source: the grammar in the documentation of `labels.Parse` in k8s.io/apimachinery.
 */
export function parseLabelSelector(text: string): ParsedSelector {
  try {
    return { ok: true, requirements: new Parser(tokenize(text)).parse() };
  } catch (error) {
    if (isSyntaxError(error)) return { ok: false, error: { position: error.position, message: error.message } };
    throw error;
  }
}

/** Whether the requirements select an object with these labels. */
export function selectorMatches(
  requirements: readonly SelectorRequirement[],
  labels: Readonly<Record<string, string>>,
): boolean {
  return requirements.every((requirement) => requirementMatches(requirement, labels));
}

function requirementMatches(requirement: SelectorRequirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
  switch (requirement.operator) {
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "In":
      return value !== undefined && requirement.values.includes(value);
    case "NotIn":
      return value === undefined || !requirement.values.includes(value);
    default:
      return value !== undefined && compares(requirement, value);
  }
}

function compares({ operator, values }: SelectorRequirement, value: string): boolean {
  const limit = values[0];
  if (limit === undefined || !/^[0-9]+$/.test(value)) return false;
  const [seen, wanted] = [BigInt(value), BigInt(limit)];
  if (seen > MAX_INT64) return false;
  return operator === "GreaterThan" ? seen > wanted : seen < wanted;
}

const MAX_INT64 = 9_223_372_036_854_775_807n;

/** Operators that take one value, by their spelling. */
const SINGLE_VALUE: Readonly<Record<string, SelectorOperator>> = {
  "=": "In",
  "==": "In",
  "!=": "NotIn",
  ">": "GreaterThan",
  "<": "LessThan",
};

class Parser {
  private index = 0;

  constructor(private readonly tokens: readonly SelectorToken[]) {}

  parse(): readonly SelectorRequirement[] {
    const requirements: SelectorRequirement[] = [];
    if (this.peek().kind === "end") return requirements;
    for (;;) {
      requirements.push(this.requirement());
      if (this.peek().kind === "end") return requirements;
      this.expectSymbol(",", '"," or the end');
      if (this.peek().kind === "end") fail(this.peek(), "a label key");
    }
  }

  private requirement(): SelectorRequirement {
    const negated = this.takeSymbol("!");
    const key = this.key();
    const next = this.peek();
    if (negated) return { key, operator: "DoesNotExist", values: [] };
    if (next.kind === "end" || isSymbol(next, ",")) return { key, operator: "Exists", values: [] };
    const operator = SINGLE_VALUE[next.text];
    if (next.kind === "symbol" && operator) return this.singleValue(key, operator);
    if (next.kind === "word" && (next.text === "in" || next.text === "notin")) return this.set(key);
    return fail(next, 'one of "=", "==", "!=", ">", "<", "in", "notin" or ","');
  }

  private singleValue(key: string, operator: SelectorOperator): SelectorRequirement {
    this.index += 1;
    const next = this.peek();
    const empty = next.kind === "end" || isSymbol(next, ",");
    const value = empty ? "" : this.word("a label value");
    if (operator === "GreaterThan" || operator === "LessThan") {
      if (!/^[0-9]+$/.test(value) || BigInt(value) > MAX_INT64) {
        throw selectorSyntaxError(next.position, `"${value}" is not an integer, which ">" and "<" need`);
      }
    }
    return { key, operator, values: [checkedValue(value, next.position)] };
  }

  private set(key: string): SelectorRequirement {
    const operator = this.peek().text === "in" ? "In" : "NotIn";
    this.index += 1;
    this.expectSymbol("(", `"(" and a list of values`);
    const values = this.setValues();
    this.expectSymbol(")", '"," or ")"');
    return { key, operator, values };
  }

  /**
   * Values between commas. As in the API server's parser, an empty position between commas or parentheses is the empty
   * value: `()`, `(a,)` and `(,,a)` are valid.
   */
  private setValues(): readonly string[] {
    const values = new Set<string>();
    let commas = this.takeCommas();
    if (commas > 0 || isSymbol(this.peek(), ")")) values.add("");
    while (this.peek().kind === "word" && (commas > 0 || values.size === 0)) {
      const { position } = this.peek();
      values.add(checkedValue(this.word("a label value"), position));
      commas = this.takeCommas();
      if (commas > 1) values.add("");
    }
    if (commas > 0) values.add("");
    return [...values];
  }

  private takeCommas(): number {
    let commas = 0;
    while (this.takeSymbol(",")) commas += 1;
    return commas;
  }

  private key(): string {
    const { position } = this.peek();
    const key = this.word("a label key");
    const problem = labelKeyProblem(key);
    if (problem) throw selectorSyntaxError(position, problem);
    return key;
  }

  private word(expected: string): string {
    const token = this.peek();
    if (token.kind !== "word") return fail(token, expected);
    this.index += 1;
    return token.text;
  }

  private takeSymbol(symbol: string): boolean {
    const taken = isSymbol(this.peek(), symbol);
    if (taken) this.index += 1;
    return taken;
  }

  private expectSymbol(symbol: string, expected: string): void {
    if (!this.takeSymbol(symbol)) fail(this.peek(), expected);
  }

  private peek(): SelectorToken {
    const last = this.tokens.length - 1;
    return this.tokens[Math.min(this.index, last)] ?? { kind: "end", text: "", position: 0 };
  }
}

function isSymbol(token: SelectorToken, symbol: string): boolean {
  return token.kind === "symbol" && token.text === symbol;
}

function checkedValue(value: string, position: number): string {
  const problem = labelValueProblem(value);
  if (problem) throw selectorSyntaxError(position, problem);
  return value;
}

function fail(token: SelectorToken, expected: string): never {
  const seen = token.kind === "end" ? "the end" : `"${token.text}"`;
  throw selectorSyntaxError(token.position, `expected ${expected}, found ${seen}`);
}

function isSyntaxError(error: unknown): error is Error & SelectorSyntaxError {
  return error instanceof Error && error.name === "SelectorSyntaxError";
}
