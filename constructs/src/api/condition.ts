import type { SchemaOf } from "./schema/schema";

/** One observed aspect of a resource, in the shape of `metav1.Condition`. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** Schema of {@link Condition}, with the bounds of `metav1.Condition`. */
export const conditionSchema: SchemaOf<Condition> = {
  type: "object",
  description: "One observed aspect of a resource, in the shape of `metav1.Condition`.",
  properties: {
    type: {
      type: "string",
      description: "Type of the condition, as one CamelCase word such as Ready.",
      pattern:
        "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
      maxLength: 316,
    },
    status: {
      type: "string",
      description: "True, False, or Unknown until the operator has observed it.",
      enum: { True: true, False: true, Unknown: true },
    },
    observedGeneration: {
      type: "integer",
      format: "int64",
      optional: true,
      description: "The `metadata.generation` from which the operator computed the condition.",
      minimum: 0,
    },
    lastTransitionTime: { type: "string", format: "date-time", description: "When `status` last changed." },
    reason: {
      type: "string",
      description: "Reason for `status`, as one CamelCase word for programs.",
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
      minLength: 1,
      maxLength: 1024,
    },
    message: {
      type: "string",
      description: "Explanation for people: the cause, and what to do about it.",
      maxLength: 32768,
    },
  },
};

/** `status.conditions` of every kind. */
export const conditionsSchema: SchemaOf<readonly Condition[]> = {
  type: "array",
  description:
    "Observed conditions, one for each type. A status is Unknown until the operator has observed the resource.",
  items: conditionSchema,
  listType: "map",
  keys: ["type"],
  maxItems: 32,
};

/** `status.observedGeneration` of every kind. Without the default, kstatus would call a resource without a status Current. */
export const observedGenerationSchema: SchemaOf<number> = {
  type: "integer",
  format: "int64",
  description:
    "The `metadata.generation` from which the operator computed this status; 0 until it has observed the resource.",
  minimum: 0,
  default: 0,
};
