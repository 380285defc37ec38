import { labelKeyProblem, labelValueProblem } from "./api/label-syntax";
import type { Site } from "./private/draft";

/** A requirement on the labels of a node or pod. If several are given, all must hold. */
export class LabelQuery {
  /**
   * The label has this value.
   *
   * @param key label key, such as `app` or `example.com/tier`
   * @param value the value; may be empty
   */
  public static is(key: string, value: string): LabelQuery {
    return new LabelQuery(key, [value], (text) => `${text}=${value}`);
  }

  /**
   * The label is present, with any value.
   *
   * @param key label key
   */
  public static exists(key: string): LabelQuery {
    return new LabelQuery(key, [], (text) => text);
  }

  /**
   * The label is absent.
   *
   * @param key label key
   */
  public static doesNotExist(key: string): LabelQuery {
    return new LabelQuery(key, [], (text) => `!${text}`);
  }

  /**
   * The label has one of these values.
   *
   * @param key label key
   * @param values at least one
   */
  public static in(key: string, values: string[]): LabelQuery {
    return new LabelQuery(key, values, (text) => `${text} in (${listed(values)})`, true);
  }

  /**
   * The label is absent, or has none of these values.
   *
   * @param key label key
   * @param values at least one
   */
  public static notIn(key: string, values: string[]): LabelQuery {
    return new LabelQuery(key, values, (text) => `${text} notin (${listed(values)})`, true);
  }

  /**
   * The label's value is a whole number greater than this one. The requirement does not hold if the label is absent or
   * has another value.
   *
   * @param key label key
   * @param value a whole number, 0 or more
   */
  public static gt(key: string, value: number): LabelQuery {
    return new LabelQuery(key, [value], (text) => `${text}>${value}`);
  }

  /**
   * The label's value is a whole number less than this one. The requirement does not hold if the label is absent or has
   * another value.
   *
   * @param key label key
   * @param value a whole number, 0 or more
   */
  public static lt(key: string, value: number): LabelQuery {
    return new LabelQuery(key, [value], (text) => `${text}<${value}`);
  }

  private constructor(
    private readonly key: string,
    private readonly values: readonly (string | number)[],
    private readonly render: (key: string) => string,
    private readonly needsValues = false,
  ) {}

  /**
   * The requirement as part of a selector.
   *
   * @internal
   */
  public _write(site: Site): string {
    // A key or value with a comma or bracket would change the meaning of the selector.
    const keyProblem = labelKeyProblem(this.key);
    if (keyProblem !== undefined) site.refuse(keyProblem);
    if (this.needsValues && this.values.length === 0) {
      site.refuse(`label "${this.key}" is compared with an empty list: give at least one value`);
    }
    for (const value of this.values) {
      const problem = typeof value === "string" ? labelValueProblem(value) : numberProblem(this.key, value);
      if (problem !== undefined) site.refuse(problem);
    }
    return this.render(this.key);
  }
}

/** The values of a set. In the grammar, an empty position between commas or brackets is the empty value. */
function listed(values: readonly string[]): string {
  return [...new Set(values)].join(",");
}

function numberProblem(key: string, value: number): string | undefined {
  if (Number.isSafeInteger(value) && value >= 0) return undefined;
  return `label "${key}" is compared with ${value}: give a whole number, 0 or more`;
}
