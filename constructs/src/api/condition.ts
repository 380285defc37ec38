import type { SchemaOf } from "./schema";

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
      description: "Which aspect, as one CamelCase word such as Ready.",
      pattern:
        "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
      maxLength: 316,
    },
    status: {
      type: "string",
      description: "True, False, or Unknown as long as it has not been observed.",
      enum: { True: true, False: true, Unknown: true },
    },
    observedGeneration: {
      type: "integer",
      format: "int64",
      optional: true,
      description: "The `metadata.generation` that the condition was computed from.",
      minimum: 0,
    },
    lastTransitionTime: { type: "string", format: "date-time", description: "When `status` last changed." },
    reason: {
      type: "string",
      description: "Why, as one CamelCase word for programs.",
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
      minLength: 1,
      maxLength: 1024,
    },
    message: { type: "string", description: "Why and what to do about it, for people.", maxLength: 32768 },
  },
};

/** `status.conditions` of every kind. */
export const conditionsSchema: SchemaOf<readonly Condition[]> = {
  type: "array",
  description: "What was observed, one entry for each type. Unknown until first observed.",
  items: conditionSchema,
  listType: "map",
  keys: ["type"],
  maxItems: 32,
};

/** `status.observedGeneration` of every kind. */
export const observedGenerationSchema: SchemaOf<number> = {
  type: "integer",
  format: "int64",
  description: "The `metadata.generation` that this status was computed from.",
  minimum: 0,
};
