/** Parts of a `DnsSnapshot`, from cached state and claims. Pure. */

import type { Claim } from "../claims/claims.js";
import type { Owned } from "../messages/claims.js";
import { problemOf } from "../reconcile/conditions.js";
import { omitUndefined } from "../values.js";
import type { RecordSet, RecordSetView } from "./cached-record-set.js";
import type { DnsSnapshot } from "./desired-records.js";

/** Each owner once. */
export function ownersOf(claims: readonly Claim[]): readonly Owned[] {
  const lost = claims.flatMap((claim) => (claim.ours ? [] : [claim.owned]));
  return lost.filter(({ owner }, index) => lost.findIndex((other) => other.owner.uid === owner.uid) === index);
}

/** An absent set has no cached state. */
export function viewOf(tracked: { readonly set: Pick<RecordSet, "view"> } | undefined, mostMs?: number): RecordSetView {
  return tracked === undefined ? { records: "unknown", reverts: [] } : tracked.set.view(mostMs);
}

export function claimPart(claim: Claim | undefined): { readonly claim?: Claim } {
  return claim === undefined ? {} : { claim };
}

/**
 * Of the first that has any; none is called before the last of them may be.
 * @param others hold up no call
 */
export function failurePart(
  views: readonly RecordSetView[],
  others: readonly RecordSetView[] = [],
): Pick<DnsSnapshot, "failure" | "retryAt"> {
  const failure = [...views, ...others].find((view) => view.failure !== undefined)?.failure;
  const times = views.flatMap(({ retryAt }) => retryAt ?? []);
  return {
    ...(failure === undefined ? {} : { failure: problemOf(failure, "ZoneNotFound") }),
    ...(times.length === 0 ? {} : { retryAt: Math.max(...times) }),
  };
}

export function previousPart(
  tracked: object | undefined,
  view: RecordSetView,
  claim: Claim | undefined,
): DnsSnapshot["previous"] {
  const { records, retryAt } = view;
  return { records, ...claimPart(claim), ...omitUndefined({ lost: tracked && lostPlace(tracked, view), retryAt }) };
}

/** What is gone, so that a written set cannot be read any more. */
export function lostPlace(tracked: object | undefined, { failure }: RecordSetView): "provider" | "zone" | undefined {
  if (tracked === undefined) return "provider";
  return failure?.kind === "NotFound" ? "zone" : undefined;
}
