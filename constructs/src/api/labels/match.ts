import type { SchemaOf } from "../schema/schema";
import { DNS_LABEL_PATTERN, DNS_LABEL_WORDS } from "./label-syntax";
import { selectorSchema } from "./selector-pattern";

/**
 * Which nodes are candidates: those that meet every given field. Empty: every node that is Ready, has no taints
 * except flipop's own, and is not cordoned.
 */
export interface Match {
  readonly podNamespace?: string;
  readonly podLabel?: string;
  readonly nodeLabel?: string;
  readonly tolerations?: readonly Toleration[];
}

/** Allows a node with a matching taint to be a candidate, as a pod's toleration allows scheduling. */
export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

// The Go operator stores any text in operator, value and effect; an invalid text tolerates nothing, and Exists ignores
// the value. A schema error could reject a pool that works, so the controller sets a condition instead.
const tolerationSchema: SchemaOf<Toleration> = {
  type: "object",
  description: "Allows a node with a matching taint to be a candidate, as a pod's toleration allows scheduling.",
  properties: {
    key: {
      type: "string",
      optional: true,
      description: "Key of the taint. Absent or empty: every key.",
      example: "node.kubernetes.io/unschedulable",
      maxLength: 317,
    },
    operator: {
      type: "string",
      optional: true,
      description:
        "Equal compares the value, Exists accepts any value. Absent or empty: Equal. Any other word tolerates nothing.",
      example: "Exists",
      maxLength: 63,
    },
    value: {
      type: "string",
      optional: true,
      description: "Value of the taint, for operator Equal. Absent: the empty value.",
      example: "ingress",
      maxLength: 4096,
    },
    effect: {
      type: "string",
      optional: true,
      description:
        "Effect of the taint: NoSchedule, PreferNoSchedule or NoExecute. Absent or empty: every effect. Any other word tolerates nothing.",
      example: "NoSchedule",
      maxLength: 63,
    },
  },
};

/** Schema of {@link Match}. */
export const matchSchema: SchemaOf<Match> = {
  type: "object",
  description:
    "Which nodes are candidates: those that meet every given field. Empty: every node that is Ready, has no taints except flipop's own and is not cordoned.",
  properties: {
    podNamespace: {
      type: "string",
      optional: true,
      description:
        "Namespace of the pods. Absent or empty: all namespaces. Without `podLabel`, any pod of this namespace counts.",
      example: "ingress",
      pattern: `^(${DNS_LABEL_PATTERN})?$`,
      words: DNS_LABEL_WORDS,
      maxLength: 63,
    },
    podLabel: selectorSchema(
      "Label selector of pods. A node needs at least one of them that is Running, Ready and not being deleted. Without `podLabel` and `podNamespace` it needs none.",
      "app=nginx-ingress,component=controller",
    ),
    nodeLabel: selectorSchema(
      "Label selector of nodes. Absent or empty: nodes with any labels.",
      "doks.digitalocean.com/node-pool=work",
    ),
    tolerations: {
      type: "array",
      optional: true,
      description:
        "Taints that a candidate may have. A node with any other taint is refused, even if the effect is PreferNoSchedule; only taints under flipop.digitalocean.com/ are ignored.",
      example: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" }],
      items: tolerationSchema,
      listType: "atomic",
      maxItems: 128,
    },
  },
};

/** A taint of a node. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** A toleration with its defaults filled in. `key` and `effect` undefined: any. */
export interface ParsedToleration {
  readonly key?: string;
  readonly operator: "Equal" | "Exists";
  readonly value: string;
  readonly effect?: string;
}

/** A toleration, or the reason why it tolerates nothing. */
export type TolerationResult =
  | { readonly ok: true; readonly toleration: ParsedToleration }
  | { readonly ok: false; readonly message: string };

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/**
 * Fills in the defaults of a toleration with the scheduler's semantics: an empty key is every key (Equal then compares
 * only values), and Exists ignores the value. A toleration with an unknown operator or effect tolerates nothing; the
 * result is an error for a condition. The Go operator ignored it silently. Source: `Toleration.ToleratesTaint` of
 * k8s.io/api/core/v1.
 */
export function parseToleration({ key, operator, value = "", effect }: Toleration): TolerationResult {
  const parsedOperator = operator === undefined || operator === "" ? "Equal" : operator;
  if (parsedOperator !== "Equal" && parsedOperator !== "Exists") {
    return failure(`operator "${parsedOperator}" tolerates nothing: use Equal or Exists`);
  }
  if (effect && !EFFECTS.includes(effect)) {
    return failure(`effect "${effect}" tolerates nothing: use ${EFFECTS.join(", ")}, or remove it for all effects`);
  }
  return {
    ok: true,
    toleration: { operator: parsedOperator, value, ...(key ? { key } : {}), ...(effect ? { effect } : {}) },
  };
}

/** Whether the toleration covers the taint. */
export function tolerates(toleration: ParsedToleration, taint: Taint): boolean {
  if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false;
  if (toleration.key !== undefined && toleration.key !== taint.key) return false;
  return toleration.operator === "Exists" || toleration.value === (taint.value ?? "");
}

function failure(message: string): TolerationResult {
  return { ok: false, message };
}
