/** Maximum grace period: one day. */
export const MAX_GRACE_SECONDS = 86_400;

/** Schema of `gracePeriodSeconds`, for every kind with this field. */
export const gracePeriodSchema = {
  type: "integer",
  optional: true,
  description:
    "Grace period in seconds: how long a holder that may recover (node not ready, pod unready or absent) keeps its address and DNS record while another node waits. Any other refusal, such as a cordon, ends the grace period at once.",
  example: 60,
  minimum: 0,
  maximum: MAX_GRACE_SECONDS,
  unit: "seconds",
  default: 0,
} as const;

/** Schema of `paused`, for every kind with this field. */
export const pausedSchema = {
  type: "boolean",
  optional: true,
  description:
    "Whether the resource is paused: the operator writes only its status, and the resource keeps its claims. Deletion still cleans up.",
  default: false,
} as const;
