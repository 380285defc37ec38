/** Maximum grace period: one day. */
export const MAX_GRACE_SECONDS = 86_400;

/** Schema of `gracePeriodSeconds`, for every kind with this field. */
export const gracePeriodSchema = {
  type: "integer",
  optional: true,
  description:
    "Grace period in seconds: how long a holder that may recover (node not ready, pod unready or absent) keeps its address while another node waits. Any other refusal, such as a cordon, ends the grace period at once.",
  example: 60,
  minimum: 0,
  maximum: MAX_GRACE_SECONDS,
  unit: "seconds",
  default: 0,
} as const;

/**
 * Schema of `holderLabel`, for every kind with this field. It has no default, which the server would add to each resource:
 * operators of releases before this field refuse a spec that has it.
 */
export const holderLabelSchema = {
  type: "boolean",
  optional: true,
  description:
    "Whether the operator sets a label on the node that has an address of this resource, so that other components can follow it. `status.holderLabel` is the label's key; its value is `true`. The operator sets the label after the address has arrived, and removes it from the previous node first. Absent: false.",
} as const;

/** Schema of `status.holderLabel`. */
export const holderLabelKeySchema = {
  type: "string",
  optional: true,
  description:
    "Key of the label on the node that has an address of this resource. Absent: `spec.holderLabel` is not true.",
  maxLength: 317,
} as const;

/** Schema of `untilAssigned`, for every kind with this field; without a default, as `holderLabel`. */
export const untilAssignedSchema = {
  type: "boolean",
  optional: true,
  description:
    "Whether nodes that match and have no address of this resource get a NoSchedule taint, for pods that must not start before the address is there. `status.untilAssignedTaint` is the taint's key. Pods that the resource follows must tolerate it: otherwise, those that start after the taint is there find no node, and no address moves to them. Absent: false.",
} as const;

/** Schema of `status.untilAssignedTaint`. */
export const untilAssignedKeySchema = {
  type: "string",
  optional: true,
  description:
    "Key of the taint on matching nodes without an address of this resource. Absent: `spec.untilAssigned` is not true.",
  maxLength: 317,
} as const;

/** Schema of `paused`, for every kind with this field. */
export const pausedSchema = {
  type: "boolean",
  optional: true,
  description:
    "Whether the resource is paused: the operator writes only its status, and the resource keeps its claims. Deletion still cleans up.",
  default: false,
} as const;
