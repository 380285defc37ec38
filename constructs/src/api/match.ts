import { DNS_LABEL_PATTERN } from "./label-syntax";
import type { SchemaOf } from "./schema";
import { selectorSchema } from "./selector-pattern";

/** Which nodes are candidates. A field that is absent demands nothing; an empty match takes every healthy node. */
export interface Match {
  /** Namespace of the pods to look for; absent with `podLabel`: all namespaces. */
  readonly podNamespace?: string;
  /** Label selector of pods: a node needs at least one that is Running, Ready and not being deleted. */
  readonly podLabel?: string;
  /** Label selector of nodes. */
  readonly nodeLabel?: string;
  /** Taints that a candidate may have. Any taint that is not tolerated, whatever its effect, refuses the node. */
  readonly tolerations?: readonly Toleration[];
}

/** Lets a node with a matching taint be a candidate, as a pod's toleration lets it be scheduled. */
export interface Toleration {
  /** Key of the taint; absent or empty with operator Exists: every key. */
  readonly key?: string;
  /** Equal compares the value, Exists takes any; absent or empty: Equal. */
  readonly operator?: string;
  /** Value of the taint, for operator Equal. */
  readonly value?: string;
  /** Effect of the taint; absent or empty: every effect. */
  readonly effect?: string;
}

// The Go operator stores any text in operator, value and effect; what means nothing tolerates nothing, and Exists
// ignores the value. Refusing it could refuse a pool that works, so the controller says it in a condition.
const tolerationSchema: SchemaOf<Toleration> = {
  type: "object",
  description: "Lets a node with a matching taint be a candidate, as a pod's toleration lets it be scheduled.",
  properties: {
    key: {
      type: "string",
      optional: true,
      description: "Key of the taint; absent or empty with operator Exists: every key.",
      example: "node.kubernetes.io/unschedulable",
      maxLength: 317,
    },
    operator: {
      type: "string",
      optional: true,
      description: "Equal compares the value, Exists takes any; absent or empty: Equal.",
      example: "Exists",
      maxLength: 63,
    },
    value: {
      type: "string",
      optional: true,
      description: "Value of the taint, for operator Equal.",
      example: "ingress",
      maxLength: 4096,
    },
    effect: {
      type: "string",
      optional: true,
      description: "Effect of the taint; absent or empty: every effect.",
      example: "NoSchedule",
      maxLength: 63,
    },
  },
};

/** Schema of {@link Match}. */
export const matchSchema: SchemaOf<Match> = {
  type: "object",
  description:
    "Which nodes are candidates. A field that is absent demands nothing; an empty match takes every healthy node.",
  properties: {
    podNamespace: {
      type: "string",
      optional: true,
      description: "Namespace of the pods to look for; absent with `podLabel`: all namespaces.",
      example: "ingress",
      pattern: `^(${DNS_LABEL_PATTERN})?$`,
      maxLength: 63,
    },
    podLabel: selectorSchema(
      "Label selector of pods: a node needs at least one that is Running, Ready and not being deleted.",
      "app=nginx-ingress,component=controller",
    ),
    nodeLabel: selectorSchema("Label selector of nodes.", "doks.digitalocean.com/node-pool=work"),
    tolerations: {
      type: "array",
      optional: true,
      description:
        "Taints that a candidate may have. Any taint that is not tolerated, whatever its effect, refuses the node.",
      example: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" }],
      items: tolerationSchema,
      listType: "atomic",
      maxItems: 128,
    },
  },
};
