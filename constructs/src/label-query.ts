import { labelKeyProblem, labelValueProblem } from "./api/label-syntax";
import { checkArguments } from "./private/arguments";
import type { Site } from "./private/draft";
import { PART, type Part } from "./private/part";
import type { Shapes } from "./private/props";

/** A requirement on the labels of a node or pod. If several are given, all must hold. */
export class LabelQuery {
  /**
   * The label has this value.
   *
   * @param key label key, such as `app` or `example.com/tier`
   * @param value the value; may be empty
   */
  public static is(key: string, value: string): LabelQuery {
    return new LabelQuery(key, { value, part: PART.text }, (text) => `${text}=${value}`);
  }

  /**
   * The label is present, with any value.
   *
   * @param key label key
   */
  public static exists(key: string): LabelQuery {
    return new LabelQuery(key, {}, (text) => text);
  }

  /**
   * The label is absent.
   *
   * @param key label key
   */
  public static doesNotExist(key: string): LabelQuery {
    return new LabelQuery(key, {}, (text) => `!${text}`);
  }

  /**
   * The label has one of these values.
   *
   * @param key label key
   * @param values at least one
   */
  public static in(key: string, values: string[]): LabelQuery {
    return new LabelQuery(key, { values }, (text) => `${text} in (${listed(values)})`);
  }

  /**
   * The label is absent, or has none of these values.
   *
   * @param key label key
   * @param values at least one
   */
  public static notIn(key: string, values: string[]): LabelQuery {
    return new LabelQuery(key, { values }, (text) => `${text} notin (${listed(values)})`);
  }

  /**
   * The label's value is a whole number greater than this one. The requirement does not hold if the label is absent or
   * has another value.
   *
   * @param key label key
   * @param value a whole number, 0 or more
   */
  public static gt(key: string, value: number): LabelQuery {
    return new LabelQuery(key, { value, part: PART.number }, (text) => `${text}>${value}`);
  }

  /**
   * The label's value is a whole number less than this one. The requirement does not hold if the label is absent or has
   * another value.
   *
   * @param key label key
   * @param value a whole number, 0 or more
   */
  public static lt(key: string, value: number): LabelQuery {
    return new LabelQuery(key, { value, part: PART.number }, (text) => `${text}<${value}`);
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "LabelQuery";

  private constructor(
    private readonly key: string,
    private readonly operand: Operand,
    private readonly render: (key: string) => string,
  ) {}

  /**
   * The requirement as part of a selector.
   *
   * @internal
   */
  public _write(site: Site): string {
    const { value, values } = this.operand;
    checkArguments(site, { key: this.key, value, values }, shapesOf(this.operand));
    // A key or value with a comma or bracket would change the meaning of the selector.
    const keyProblem = labelKeyProblem(this.key);
    if (keyProblem !== undefined) site.refuse(keyProblem);
    if (values?.length === 0) {
      site.refuse(`label "${this.key}" is compared with an empty list: give at least one value`);
    }
    for (const one of values ?? (value === undefined ? [] : [value])) {
      const problem = typeof one === "string" ? labelValueProblem(one) : numberProblem(this.key, one);
      if (problem !== undefined) site.refuse(problem);
    }
    return this.render(this.key);
  }
}

/** The right side of a requirement, if it has one. */
interface Operand {
  readonly value?: string | number;
  /** The type of `value`. */
  readonly part?: Part;
  readonly values?: readonly string[];
}

function shapesOf(operand: Operand): Shapes {
  const key: Shapes = { key: { part: PART.text, required: true } };
  if (operand.part) return { ...key, value: { part: operand.part, required: true } };
  return "values" in operand ? { ...key, values: { list: true, required: true } } : key;
}

/** The values of a set. In the grammar, an empty position between commas or brackets is the empty value. */
function listed(values: readonly string[]): string {
  return [...new Set(values)].join(",");
}

function numberProblem(key: string, value: number): string | undefined {
  if (Number.isSafeInteger(value) && value >= 0) return undefined;
  return `label "${key}" is compared with ${value}: give a whole number, 0 or more`;
}
