import { labelKeyProblem } from "../api/labels/label-syntax";
import { parseToleration, type Toleration as TolerationFields } from "../api/labels/match";
import { checkArguments } from "../private/arguments";
import { textOf, written } from "../private/field-values";
import type { Shapes } from "../private/prop-shapes";
import { PART } from "../private/prop-types";
import type { Site } from "../private/refusal-collector";
import { TaintEffect } from "./taint-effect";

/**
 * Allows a node with a matching taint to be a candidate, as a pod's toleration allows scheduling. A node with an
 * untolerated taint is refused, even if the effect is PreferNoSchedule.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { FloatingIPPool, TaintEffect, Toleration } from "cdk8s-flipop";
 *
 * const chart = new Chart(new App(), "edge", { namespace: "edge" });
 * new FloatingIPPool(chart, "pool", {
 *   region: "nyc3",
 *   desiredIps: 2,
 *   // A cordoned node keeps its address.
 *   tolerations: [Toleration.cordoned(), Toleration.keyValue("dedicated", "edge", TaintEffect.NO_SCHEDULE)],
 * });
 */
export class Toleration {
  /**
   * Tolerates taints with this key and any value.
   *
   * @param key the taint's key
   * @param effect the taint's effect; by default all effects
   */
  public static key(key: string, effect?: TaintEffect): Toleration {
    return new Toleration({ key, operator: "Exists", effect: textOf(effect) });
  }

  /**
   * Tolerates taints with this key and value.
   *
   * @param key the taint's key
   * @param value the taint's value
   * @param effect the taint's effect; by default all effects
   */
  public static keyValue(key: string, value: string, effect?: TaintEffect): Toleration {
    return new Toleration({ key, operator: "Equal", value, effect: textOf(effect) });
  }

  /**
   * Tolerates a cordon (`kubectl cordon`): a cordoned node keeps its address and can be a candidate while a required
   * pod on it is ready.
   */
  public static cordoned(): Toleration {
    return Toleration.key("node.kubernetes.io/unschedulable", TaintEffect.NO_SCHEDULE);
  }

  /** Tolerates every taint, a cordon included. */
  public static all(): Toleration {
    return new Toleration({ operator: "Exists" });
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "Toleration";

  private constructor(private readonly fields: TolerationParts) {}

  /**
   * The toleration for a match.
   *
   * @internal
   */
  public _write(site: Site): TolerationFields {
    const fields = checkArguments(site, this.fields, this.shapes());
    const { key } = fields;
    if (key === "") site.below(".key").refuse("an empty key tolerates every taint: use Toleration.all()");
    else if (key !== undefined) {
      const problem = labelKeyProblem(key);
      if (problem !== undefined) site.below(".key").refuse(problem);
    }
    const toleration = written(fields);
    const parsed = parseToleration(toleration);
    if (!parsed.ok) site.refuse(parsed.message);
    return toleration;
  }

  /** Only a toleration of all taints has no key, and only one with a value compares it. */
  private shapes(): Shapes {
    return Object.fromEntries(
      Object.keys(this.fields).map((field) => [field, { part: PART.text, ...(field === "effect" ? {} : REQUIRED) }]),
    );
  }
}

const REQUIRED = { required: true } as const;

interface TolerationParts {
  readonly key?: string;
  readonly operator: string;
  readonly value?: string;
  readonly effect?: string | undefined;
}
