import type { IResolver, ResolutionContext } from "cdk8s";

/** How the tokens of a CDK look in text and in lists. */
export interface TokenForm {
  readonly text: (id: number) => string;
  readonly listItem: (id: number) => string;
  /** Whether the resolver accepts numbers and lists too; that of the AWS CDK only accepts text. */
  readonly textOnly: boolean;
}

export const AWS_CDK: TokenForm = {
  text: (id) => `\${Token[TOKEN.${id}]}`,
  listItem: (id) => `#{Token[TOKEN.${id}]}`,
  textOnly: true,
};
export const CDKTF: TokenForm = {
  text: (id) => `\${TfToken[TOKEN.${id}]}`,
  listItem: (id) => `#{TfToken[TOKEN.${id}]}`,
  textOnly: false,
};

/** The smallest number token: the CDKs write the id into a huge negative number. */
const NUMBER_BASE = -1.888154589708e289;
const NUMBER_STEP = 1e276;

/**
 * A resolver that behaves like those of the AWS CDK and CDKTF: it knows a token only as the whole value of an output,
 * throws for a token inside of another text, and replaces a value that is not deployed yet by a text with the reason.
 */
export class OutputResolver implements IResolver {
  /** How many values it fetched: each takes a call of a program. */
  fetched = 0;
  private readonly outputs: { readonly value: unknown; readonly result: unknown }[] = [];

  constructor(private readonly form: TokenForm) {}

  /** A text token for an output; undefined: it is not deployed yet. */
  text(result: unknown): string {
    return this.output(this.form.text(this.outputs.length), result);
  }

  number(result: number): number {
    return this.output(NUMBER_BASE + this.outputs.length * NUMBER_STEP, result);
  }

  list(result: readonly string[]): string[] {
    return this.output([this.form.listItem(this.outputs.length)], result);
  }

  resolve(context: ResolutionContext): void {
    const value: unknown = context.value;
    if (!this.isToken(value)) return;
    if (this.form.textOnly && typeof value !== "string") {
      throw new Error(`Invalid value type: ${typeof value} (Expected 'string')`);
    }
    const output = this.outputs.find((one) => one.value === value);
    if (!output) throw new Error(`Unable to find output defined for ${String(value)}`);
    this.fetched += 1;
    context.replaceValue(output.result ?? "Failed fetching value for output web/ip: not deployed");
  }

  private isToken(value: unknown): boolean {
    if (typeof value === "string") return /\$\{(Tf)?Token\[/.test(value);
    if (typeof value === "number") return value <= NUMBER_BASE / 2;
    return Array.isArray(value) && value.length === 1 && /^#\{(Tf)?Token\[/.test(String(value[0]));
  }

  private output<T>(value: T, result: unknown): T {
    this.outputs.push({ value, result });
    return value;
  }
}
