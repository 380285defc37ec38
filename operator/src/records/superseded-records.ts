/** Pure: whether a new plan still contains a change of records that an older one decided. */

import type { DnsAction } from "./desired-records.js";

type Change = Extract<DnsAction, { readonly do: "apply-records" }>;

/** @param planned the actions of a plan made now; `undefined`: the resource is gone. */
export function supersededRecords(planned: readonly unknown[] | undefined, action: DnsAction): string | undefined {
  if (action.do !== "apply-records") return undefined;
  const wanted = goalOf(action);
  const same = planned?.some((other) => isChange(other) && goalOf(other) === wanted);
  return same === true ? undefined : "the records that should exist have changed since the decision";
}

function isChange(action: unknown): action is Change {
  return typeof action === "object" && action !== null && "do" in action && action.do === "apply-records";
}

/** What the record set holds in the end; the steps that lead there depend on the steps that are done already. */
function goalOf({ which, changes: { zone, fqdn, after } }: Change): string {
  return JSON.stringify([which, zone, fqdn, after]);
}
