import { labelKeyProblem, labelValueProblem } from "../api/labels/label-syntax";
import { checkArguments } from "../private/arguments";
import type { Shapes } from "../private/prop-shapes";
import { PART, type Part } from "../private/prop-types";
import type { Site } from "../private/refusal-collector";

/**
 * A requirement on the labels of a node or pod. If several are given, all must hold.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { FloatingIPPool, LabelQuery, NodeMatch, PodMatch } from "cdk8s-flipop";
 *
 * const chart = new Chart(new App(), "web", { namespace: "web" });
 * new FloatingIPPool(chart, "pool", {
 *   region: "nyc3",
 *   desiredIps: 2,
 *   pods: PodMatch.query([LabelQuery.is("app", "web"), LabelQuery.in("tier", ["edge", "ingress"])]),
 *   nodes: NodeMatch.query([LabelQuery.doesNotExist("example.com/spot"), LabelQuery.gt("example.com/cpus", 3)]),
 * });
 */
export class LabelQuery {
  /**
   * The label has this value.
   *
   * @param key label key, such as `app` or `example.com/tier`
   * @param value the value; may be empty
   */
  public static is(key: string, value: string): LabelQuery {
    return new LabelQuery(key, { value, part: PART.text }, ({ key, value }) => `${key}=${value}`);
  }

  /**
   * The label is present, with any value.
   *
   * @param key label key
   */
  public static exists(key: string): LabelQuery {
    return new LabelQuery(key, {}, ({ key }) => key);
  }

  /**
   * The label is absent.
   *
   * @param key label key
   */
  public static doesNotExist(key: string): LabelQuery {
    return new LabelQuery(key, {}, ({ key }) => `!${key}`);
  }

  /**
   * The label has one of these values.
   *
   * @param key label key
   * @param values at least one
   */
  public static in(key: string, values: string[]): LabelQuery {
    return new LabelQuery(key, { values }, ({ key, values }) => `${key} in (${listed(values)})`);
  }

  /**
   * The label is absent, or has none of these values.
   *
   * @param key label key
   * @param values at least one
   */
  public static notIn(key: string, values: string[]): LabelQuery {
    return new LabelQuery(key, { values }, ({ key, values }) => `${key} notin (${listed(values)})`);
  }

  /**
   * The label's value is a whole number greater than this one. The requirement does not hold if the label is absent or
   * has another value.
   *
   * @param key label key
   * @param value a whole number, 0 or more
   */
  public static gt(key: string, value: number): LabelQuery {
    return new LabelQuery(key, { value, part: PART.number }, ({ key, value }) => `${key}>${value}`);
  }

  /**
   * The label's value is a whole number less than this one. The requirement does not hold if the label is absent or has
   * another value.
   *
   * @param key label key
   * @param value a whole number, 0 or more
   */
  public static lt(key: string, value: number): LabelQuery {
    return new LabelQuery(key, { value, part: PART.number }, ({ key, value }) => `${key}<${value}`);
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
    private readonly render: (given: Given) => string,
  ) {}

  /**
   * The requirement as part of a selector.
   *
   * @internal
   */
  public _write(site: Site): string {
    const { value: one, values: list } = this.operand;
    const given = checkArguments(site, { key: this.key, value: one, values: list }, shapesOf(this.operand));
    const { key, value, values } = given;
    // A key or value with a comma or bracket would change the meaning of the selector.
    const keyProblem = labelKeyProblem(key);
    if (keyProblem !== undefined) site.refuse(keyProblem);
    if (values?.length === 0) {
      site.refuse(`label "${key}" is compared with an empty list: give at least one value`);
    }
    for (const operand of values ?? (value === undefined ? [] : [value])) {
      const problem = typeof operand === "string" ? labelValueProblem(operand) : numberProblem(key, operand);
      if (problem !== undefined) site.refuse(problem);
    }
    return this.render(given);
  }
}

/** A requirement without tokens. */
interface Given {
  readonly key: string;
  readonly value: string | number | undefined;
  readonly values: readonly string[] | undefined;
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
function listed(values: readonly string[] = []): string {
  return [...new Set(values)].join(",");
}

function numberProblem(key: string, value: number): string | undefined {
  if (Number.isSafeInteger(value) && value >= 0) return undefined;
  return `label "${key}" is compared with ${value}: give a whole number, 0 or more`;
}
