/** The one patch of the status: the plan's view, after all that was done. Pure. */

import { type Condition, canonicalIp, type RoutedIPStatus } from "cdk8s-flipop/api";
import { cut, type PlannedCondition, stamped } from "../planned-condition.js";
import { given } from "./given.js";
import type { Plan } from "./plan.js";
import type { Snapshot } from "./snapshot.js";

const LONGEST_ERROR = 4096;

export type StatusWish = { readonly [K in keyof RoutedIPStatus]?: RoutedIPStatus[K] | undefined };

export function statusWish({ routed, now }: Snapshot, { status, conditions }: Plan): StatusWish {
  const { generation } = routed.metadata;
  // An address that was created stays the one on record until it is forgotten.
  const created = routed.status.created === true ? routed.status.routedIP : undefined;
  return {
    ...status,
    ...(created !== undefined && canonicalIp(created) !== canonicalIp(status.routedIP ?? "")
      ? { routedIP: created }
      : {}),
    error: status.error === undefined ? undefined : cut(status.error, LONGEST_ERROR),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: stamped(conditions, { now, generation }),
  };
}

/** Of a kind whose status is little more than its conditions. */
export function conditionsWish(
  { generation }: Pick<Snapshot["routed"]["metadata"], "generation">,
  conditions: readonly PlannedCondition[],
  now: number,
) {
  return { ...given({ observedGeneration: generation }), conditions: stamped(conditions, { now, generation }) };
}

/** Conditions that have turned bad, for Events. */
export function turnedBad(
  before: readonly Pick<Condition, "type" | "status" | "reason">[] | undefined,
  { conditions }: Pick<Plan, "conditions">,
): readonly PlannedCondition[] {
  return conditions.filter(({ type, status, reason }) => {
    const old = before?.find((condition) => condition.type === type);
    if (old?.status === status && old.reason === reason) return false;
    return type === "Conflict" ? status === "True" : status === "False" && !QUIET.has(reason);
  });
}

/** They end by themselves, and soon. */
const QUIET: ReadonlySet<string> = new Set(["CoolingOff", "NotObserved", "InGrace"]);
