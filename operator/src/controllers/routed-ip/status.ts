/** The one patch of the status: the plan's view, after all that was done. Pure. */

import { canonicalIp, MAX_ERROR, type RoutedIPStatus } from "cdk8s-flipop/api";
import { cut, stamped } from "../../reconcile/conditions/planned-condition.js";
import type { Plan } from "./plan.js";
import type { Snapshot } from "./snapshot.js";

export type StatusPatch = { readonly [K in keyof RoutedIPStatus]?: RoutedIPStatus[K] | undefined };

export function statusPatchOf({ routed, now }: Snapshot, { status, conditions }: Plan): StatusPatch {
  const { generation } = routed.metadata;
  // An address that was created stays the one on record until it is forgotten.
  const created = routed.status.created === true ? routed.status.routedIP : undefined;
  return {
    ...status,
    ...(created !== undefined && canonicalIp(created) !== canonicalIp(status.routedIP ?? "")
      ? { routedIP: created }
      : {}),
    error: status.error === undefined ? undefined : cut(status.error, MAX_ERROR),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: stamped(conditions, { now, generation }),
  };
}
