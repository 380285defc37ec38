/** Longest grace period: a day. */
export const MAX_GRACE_SECONDS = 86_400;

/** Schema of `gracePeriodSeconds` of every kind that has it. */
export const gracePeriodSchema = {
  type: "integer",
  optional: true,
  description:
    "Grace period in seconds: how long a holder that may recover (node not ready, pod unready or absent) keeps its address and DNS record though another node waits. Any other refusal, such as a cordon, ends it at once.",
  example: 60,
  minimum: 0,
  maximum: MAX_GRACE_SECONDS,
  unit: "seconds",
  default: 0,
} as const;

/** Schema of `paused` of every kind that has it. */
export const pausedSchema = {
  type: "boolean",
  optional: true,
  description:
    "Whether the resource is paused: nothing is written but its status, and its claims stay. Deletion still cleans up.",
  default: false,
} as const;
