/** What the status says, beside conditions and observedGeneration, after all that was done. Pure. */

import { canonicalIp, MAX_ERROR, type RoutedIPStatus } from "cdk8s-flipop/api";
import { cut } from "../../reconcile/conditions/planned-condition.js";
import type { Plan } from "./plan.js";
import type { Snapshot } from "./snapshot.js";

/** `undefined` takes a field away. */
export type StatusChange = { readonly [K in keyof RoutedIPStatus]?: RoutedIPStatus[K] | undefined };

export function statusOf({ routed }: Snapshot, { status }: Plan): StatusChange {
  // An address that was created stays the one on record until it is forgotten.
  const created = routed.status.created === true ? routed.status.routedIP : undefined;
  const error = status.error === undefined ? undefined : cut(status.error, MAX_ERROR);
  const other = created !== undefined && canonicalIp(created) !== canonicalIp(status.routedIP ?? "");
  return { ...status, ...(other ? { routedIP: created } : {}), error };
}
