/** Conditions as plans make them, and as statuses have them. */

import { BAD_WHEN_TRUE, type ConditionType, type Reason } from "cdk8s-flipop/api";
import type { Condition } from "../../kube/write/patch.js";
import { omitUndefined } from "../../omit-undefined.js";
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

/** A person has to know: a Warning Event reports the change. */
export function isBad({ type, status, reason }: Pick<Condition, "type" | "status" | "reason">): boolean {
  if (BAD_WHEN_TRUE.some((bad) => bad === type)) return status === "True";
  return status === "False" ? !PASSING.has(reason) : IGNORED.has(reason);
}

/** Conditions that have turned bad, for Events. */
export function turnedBad(
  before: readonly Pick<Condition, "type" | "status" | "reason">[] | undefined,
  planned: readonly PlannedCondition[],
): readonly PlannedCondition[] {
  return planned.filter(({ type, status, reason }) => {
    const old = before?.find((condition) => condition.type === type);
    if (old?.status === status && old.reason === reason) return false;
    return isBad({ type, status, reason });
  });
}

/** They end by themselves, and soon. */
const PASSING: ReadonlySet<string> = new Set<Reason>(["CoolingOff", "UnderWay", "InGrace"]);

/** The resource is served, apart from a part of its spec. */
const IGNORED: ReadonlySet<string> = new Set<Reason>(["Invalid", "DuplicateAddress"]);

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

/** Of a kind whose status is little more than its conditions. */
export function conditionsPatch(
  { generation }: { readonly generation?: number },
  conditions: readonly PlannedCondition[],
  now: number,
) {
  return { ...omitUndefined({ observedGeneration: generation }), conditions: stamped(conditions, { now, generation }) };
}

export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 3)}...`;
}
