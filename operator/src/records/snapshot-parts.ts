/** Parts of a `DnsSnapshot`, from cached state and claims, and what a call fails with that finds no provider. Pure. */

import type { DnsStatus } from "cdk8s-flipop/api";
import type { Claim } from "../claims/claims.js";
import type { Owned } from "../messages/claims.js";
import { HAS_CNAME, REMEDIES } from "../messages/failed-calls.js";
import type { Problem } from "../messages/message.js";
import { providerMessages } from "../messages/provider.js";
import { typeOf } from "../providers/diff.js";
import { ProviderError } from "../providers/errors.js";
import type { RecordType } from "../providers/types.js";
import { problemOf } from "../reconcile/conditions.js";
import { omitUndefined } from "../values.js";
import type { RecordSet, RecordSetView } from "./cached-record-set.js";
import type { OwnChange } from "./own-record-writes.js";
import type { DnsSnapshot, LostPlace } from "./record-actions.js";
import { hasCname } from "./record-equality.js";

/** Each owner once. */
export function ownersOf(claims: readonly Claim[]): readonly Owned[] {
  const lost = claims.flatMap((claim) => (claim.ours ? [] : [claim.owned]));
  return lost.filter(({ owner }, index) => lost.findIndex((other) => other.owner.uid === owner.uid) === index);
}

/** An absent set has no cached state. */
export function viewOf(tracked: { readonly set: Pick<RecordSet, "view"> } | undefined, mostMs?: number): RecordSetView {
  return tracked === undefined ? { records: "unknown", reverts: [] } : tracked.set.view(mostMs);
}

/** What is written beside a CNAME does not count, and some providers take it all the same. */
export function withCname(provider: string, view: RecordSetView): RecordSetView {
  const { records } = view;
  if (records === "unknown" || !hasCname(records)) return view;
  const where = `${provider}: read records of ${records.fqdn}`;
  return {
    ...view,
    failure: new ProviderError({
      ...{ kind: "Conflict", reason: "RecordExists", outcome: "not-sent" },
      ...{ where, seen: HAS_CNAME, remedy: REMEDIES.RecordExists },
    }),
  };
}

/** Where the status says that the set holds records, an empty answer counts only if a second one agrees. */
export function unlessInDoubt(
  view: RecordSetView,
  written: Pick<DnsStatus, "values"> | undefined,
  types: readonly RecordType[],
): RecordSetView {
  const { emptyUntil, ...sure } = view;
  const holdsSome = written?.values.some((value) => types.includes(typeOf(value))) === true;
  if (emptyUntil === undefined || !holdsSome) return sure;
  const { readAt: _at, readAgainAt: _again, ...rest } = sure;
  return { ...rest, records: "unknown", emptyUntil };
}

export function claimPart(claim: Claim | undefined): { readonly claim?: Claim } {
  return claim === undefined ? {} : { claim };
}

/** Of the set that the spec names. */
export function ownPart({ isOurs, halfDone, held, wrote }: RecordSetView): Omit<OwnChange, "emptyUntil"> {
  return omitUndefined({ isOurs, halfDone, held, wrote });
}

interface Views {
  readonly view: RecordSetView;
  readonly previousView: RecordSetView;
  readonly begunView: RecordSetView;
}

/** What is wrong with another name holds up no change of the wanted one. What goes is not called before all may be. */
export function failurePart(
  { wanted, deleting = false }: { readonly wanted: object | undefined; readonly deleting?: boolean },
  { view, previousView, begunView }: Views,
): Pick<DnsSnapshot, "failure" | "failureRetryAt" | "retryAt"> {
  const isWanted = wanted !== undefined && !deleting;
  const awaited = isWanted ? [view] : [view, previousView, ...(deleting ? [begunView] : [])];
  // The wanted set may be in order: begunRecords shows the former one, and that it may have to stay is reported in the end.
  const others = [previousView, begunView].filter((other) => lostPlace({}, other) === undefined);
  // Before the wanted name was read, the failure of a former one would look like its own.
  const reported = isWanted && view.records !== "unknown" ? [view, ...others] : awaited;
  const failed = reported.find(({ failure }) => failure !== undefined);
  const times = awaited.flatMap(({ retryAt, emptyUntil }) => emptyUntil ?? retryAt ?? []);
  return {
    ...(failed && failureOf(failed)),
    ...(times.length === 0 ? {} : { retryAt: Math.max(...times) }),
  };
}

/** A CNAME that a read has shown counts until the next read. */
function failureOf(view: RecordSetView): Pick<DnsSnapshot, "failure" | "failureRetryAt"> {
  const { failure, retryAt, emptyUntil = retryAt, readAgainAt } = view;
  const problem = failure && problemOf(failure, "ZoneNotFound");
  return omitUndefined({ failure: problem, failureRetryAt: emptyUntil ?? readAgainAt });
}

/** When the wanted set has to be read again, or another name, whose empty answer waits for a second one. */
export function readAgainPart({ view, previousView, begunView }: Views, now: number): Pick<DnsSnapshot, "readAgainAt"> {
  const others = [previousView, begunView].flatMap((other) => [other.emptyUntil, zoneRetryAt(other)]);
  const times = [view.readAgainAt, ...others].filter((at) => at !== undefined);
  // A name that stays is not read a second time.
  const ahead = times.filter((at) => at >= now);
  return ahead.length === 0 ? {} : { readAgainAt: Math.min(...ahead) };
}

/** What was written on a name, or of types, that the spec does not have. */
export interface OtherSet {
  readonly view: RecordSetView;
  readonly claim?: Claim;
  readonly lost?: LostPlace;
}

export function otherPart({ view, claim, lost }: OtherSet): NonNullable<DnsSnapshot["begun"]> {
  const { records, emptyUntil, wrote } = view;
  return { records, ...omitUndefined({ claim, lost, emptyUntil, wrote }) };
}

function zoneRetryAt(view: RecordSetView): number | undefined {
  return lostPlace({}, view) === "zone" ? view.retryAt : undefined;
}

/** What is gone, so that a written set cannot be read any more. A kind that the API server does not serve may come back. */
export function lostPlace(
  tracked: object | undefined,
  { failure, isLongZoneless }: RecordSetView,
): LostPlace | undefined {
  if (tracked === undefined) return "provider";
  if (failure?.kind !== "NotFound" || failure.reason === "KindMissing") return undefined;
  return isLongZoneless === true ? "zone for long" : "zone";
}

/** A plan asked for a call to a provider that has gone meanwhile. */
export class NoDnsError extends Error {
  override readonly name = "NoDnsError";
  readonly problem: Problem;

  constructor(provider: string) {
    const problem = providerMessages.noDns({ provider });
    super(problem.message);
    this.problem = problem;
  }
}
