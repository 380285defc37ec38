/** Conditions as plans make them, and as statuses have them. */

import type { ConditionType, Reason } from "cdk8s-flipop/api";
import type { Condition } from "../kube/patch.js";
import type { Problem } from "./problem.js";

export interface PlannedCondition {
  readonly type: ConditionType;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: Reason;
  readonly message: string;
}

export function yes(type: ConditionType, reason: Reason, message: string): PlannedCondition {
  return { type, status: "True", reason, message };
}

export function no(type: ConditionType, { reason, message }: Problem): PlannedCondition {
  return { type, status: "False", reason, message };
}

export function unknown(type: ConditionType): PlannedCondition {
  return { type, status: "Unknown", reason: "NotObserved", message: "not observed yet" };
}

const LONGEST_MESSAGE = 32_768;

/** For `statusPatch`, which keeps the time of a status that is the same. */
export function stamped(
  planned: readonly PlannedCondition[],
  { now, generation }: { readonly now: number; readonly generation: number | undefined },
): readonly Condition[] {
  const lastTransitionTime = new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
  return planned.map(({ type, status, reason, message }) => ({
    type,
    status,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime,
    reason,
    message: cut(message, LONGEST_MESSAGE),
  }));
}

export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 3)}...`;
}
