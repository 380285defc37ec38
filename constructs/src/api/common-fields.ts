/** Longest grace period: a day. */
export const MAX_GRACE_SECONDS = 86_400;

/** Schema of `gracePeriodSeconds` of every kind that has it. */
export const gracePeriodSchema = {
  type: "integer",
  optional: true,
  description:
    "Seconds that a holder which may recover (not ready, pod unready) keeps its address though another node waits.",
  example: 60,
  minimum: 0,
  maximum: MAX_GRACE_SECONDS,
  default: 0,
} as const;

/** Schema of `paused` of every kind that has it. */
export const pausedSchema = {
  type: "boolean",
  optional: true,
  description: "Stops every write but status; deletion still cleans up.",
  default: false,
} as const;
