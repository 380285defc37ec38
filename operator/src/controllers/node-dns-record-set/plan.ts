/** The decision about one record set: a list of named steps over one snapshot. Pure: no clock, log, metric or I/O. */

import { familyOf, type PublishedAddress, type RecordCounts, type RecordSetState } from "cdk8s-flipop/api";
import { stepsByName } from "../../addresses/dns-records.js";
import { undonePauseUntil } from "../../addresses/undone-writes.js";
import { noGraceOf, noGraceText } from "../../messages/action-reasons.js";
import type { RecordChangeSet } from "../../providers/types.js";
import { type Plan as EnginePlan, inOrder } from "../../reconcile/plan.js";
import { isDue } from "../../reconcile/retries.js";
import { addressesOf, publishedKind, publishedText } from "../../records/node-addresses.js";
import { isSameName, recordRetryKey } from "../../records/record-equality.js";
import { recordChain } from "../../records/record-plan.js";
import { omitUndefined } from "../../values.js";
import { conditionsOf, type Decision, stateOf } from "./conditions.js";
import { deletionChain, deletionOf, emptyingOf, finalizerChain, isDeleting, KEEP } from "./deletion.js";
import { unreadyTimes } from "./long-unready-pods.js";
import { byNode, type Desired, desiredOf, type Publication, publicationOf, ttlOfDesired } from "./published-nodes.js";
import type { Action, ActionChain, Snapshot } from "./resource.js";

export interface Plan extends EnginePlan<Action> {
  /** Published by now. */
  readonly addresses: readonly PublishedAddress[];
  /** Published once the chain has recorded it. */
  readonly intended: readonly PublishedAddress[];
  readonly counts: RecordCounts;
  readonly state: RecordSetState;
  /** What went wrong; absent: nothing. */
  readonly error?: string;
}

export function plan(snapshot: Snapshot): Plan {
  const decision = decisionOf(snapshot);
  const { publication } = decision;
  const addresses = shownOf(snapshot, publication);
  const { state, error } = stateOf(snapshot, decision);
  const requeueAt = requeueTime(snapshot, decision);
  return {
    sequences: sequencesOf(chainOf(snapshot, decision), decision),
    addresses,
    intended: publication.entries,
    counts: {
      candidates: snapshot.candidates.length,
      published: new Set(addresses.map(({ address }) => address)).size,
    },
    conditions: conditionsOf(snapshot, decision),
    state,
    ...(error === undefined ? {} : { error }),
    ...omitUndefined({ requeueAt, ignoredOfMatch: snapshot.ignoredOfMatch, deletion: deletionOf(snapshot) }),
    explanation: changeText(snapshot, snapshot.resource.status.addresses ?? [], publication.entries),
  };
}

/** Finalizer and records have retry times of their own, and so has each name. */
function sequencesOf(chain: ActionChain, { desired }: Decision): Plan["sequences"] {
  const ofFinalizer = chain.every((action) => action.do === "add-finalizer" || action.do === "remove-finalizer");
  if (ofFinalizer) return inOrder("finalizer", chain);
  const retryKey = desired && recordRetryKey({ ...desired.recordSet, provider: desired.provider });
  return [{ lockKey: "records", steps: stepsByName(chain, retryKey ?? "records") }];
}

function decisionOf(snapshot: Snapshot): Decision {
  const desired = desiredOf(snapshot.resource.spec);
  if (desired === undefined || !isServed(snapshot, desired))
    return { desired, publication: asItWas(snapshot), emptying: KEEP };
  const publication = publicationOf(snapshot, withoutLost(desired, snapshot));
  const emptying = emptyingOf(snapshot, desired, publication);
  return { desired, publication: emptying.what === "empty" ? EMPTY : publication, emptying };
}

/** Whether nodes decide what is published; else it stays as the status has it. */
function isServed(snapshot: Snapshot, desired: Desired): boolean {
  const { cachesComplete, resource } = snapshot;
  return cachesComplete && !isBlocked(snapshot, desired) && !isDeleting(resource) && resource.spec.paused !== true;
}

/** Without the provider of its new name, a set still keeps its former one up to date. */
function isBlocked(snapshot: Snapshot, desired: Desired): boolean {
  const { problem, lacksProvider = false } = snapshot;
  return problem !== undefined && !(lacksProvider && formerTypes(desired, snapshot).length > 0);
}

/** Under a name that another resource has, nothing of ours is published: only a former name, until the new one is free. */
function withoutLost(desired: Desired, snapshot: Snapshot): Desired {
  const { lost, ours } = snapshot;
  if (lost.length === 0) return desired;
  const types = ours.length > 0 ? ours : formerTypes(desired, snapshot);
  return {
    ...desired,
    families: desired.families.filter((_, index) => types.some((type) => type === desired.types[index])),
  };
}

function formerTypes({ recordSet, provider }: Desired, { dns, resource: { status } }: Snapshot) {
  const last = status.dns;
  const isFormer = last !== undefined && !isSameName(last, { ...recordSet, provider });
  return isFormer && dns.previous.claim?.ours === true ? last.types : [];
}

/** Nothing is written before the caches are complete; a paused set writes nothing, but is cleaned up when it goes. */
function chainOf(snapshot: Snapshot, decision: Decision): ActionChain {
  const { resource, cachesComplete } = snapshot;
  const { desired } = decision;
  if (isDeleting(resource)) return deletionChain(snapshot, desired);
  if (!cachesComplete || resource.spec.paused === true) return [];
  const finalizer = finalizerChain(snapshot);
  if (finalizer.length > 0 || desired === undefined || isBlocked(snapshot, desired)) return finalizer;
  return wantedChain(snapshot, decision, desired);
}

/** Where every address is stale, the set is left as it is, even where somebody else has changed it meanwhile. */
function wantedChain(snapshot: Snapshot, { publication, emptying }: Decision, desired: Desired): ActionChain {
  const { values, stale } = publication;
  const alive = values.length > stale.length;
  const empty = emptying.what === "empty";
  const halfDone = snapshot.dns.halfDone !== undefined;
  if (!alive && !empty && !halfDone && snapshot.lost.length === 0) return viewOfRecords(snapshot, desired);
  return recordsOf(snapshot, desired, { values: alive ? values : [], empty });
}

/** Nothing is to be written. A read shows all the same what is kept, that the zone is there, and that a failure is over. */
function viewOfRecords({ dns, now, resource, reverts }: Snapshot, { recordSet, provider }: Desired): ActionChain {
  const { dns: last } = resource.status;
  const isWritten = last !== undefined && isSameName(last, { ...recordSet, provider });
  const known = dns.records !== "unknown" || (isWritten && dns.failure === undefined);
  const may = dns.capabilities !== undefined && dns.claim?.ours === true && isDue(dns.retryAt, now);
  if (known || !may || undonePauseUntil(reverts, now) !== undefined) return [];
  return [{ do: "read-records", which: "current", why: "nothing is published yet" }];
}

function recordsOf(
  snapshot: Snapshot,
  desired: Desired,
  { values, empty }: { readonly values: readonly string[]; readonly empty: boolean },
): ActionChain {
  const { resource, now, dns, reverts, ours } = snapshot;
  const { namespace, name } = resource.metadata;
  return recordChain({
    now,
    dns,
    reverts,
    wanted: desired.recordSet,
    provider: desired.provider,
    last: resource.status.dns,
    begun: resource.status.begunRecords,
    types: { asked: desired.types, ours },
    values,
    empty,
    ttl: ttlOfDesired(desired, dns),
    owner: `${namespace}/${name}`,
  });
}

/** The earliest of all that is waited for. */
function requeueTime(snapshot: Snapshot, { publication, emptying }: Decision) {
  const { now, dns, reverts, resource } = snapshot;
  const { paused } = resource.spec;
  const times = [
    ...publication.graceEnds,
    ...unreadyTimes(snapshot, publication),
    emptying.what === "wait" ? emptying.until : undefined,
    ...(paused === true ? [] : [dns.retryAt, dns.readAgainAt, undonePauseUntil(reverts, now)]),
  ];
  const ahead = times.filter((time) => time !== undefined).filter((time) => time >= now);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

/** The addresses of the status: as they should be once that is written, until then as they were. */
function shownOf(snapshot: Snapshot, { entries, values }: Publication): readonly PublishedAddress[] {
  const { resource, dns } = snapshot;
  const { status } = resource;
  const before = status.addresses ?? [];
  const isWritten = `${status.dns?.values ?? []}` === `${values}`;
  if (dns.held !== undefined) {
    const known = isWritten ? entries : [...entries, ...before];
    return heldOf(dns.held, [...known, ...inSightOf(snapshot, known)]);
  }
  if (isWritten) return entries;
  const isSame = (a: PublishedAddress, b: PublishedAddress) => a.address === b.address && a.nodeName === b.nodeName;
  return before.map((was) => entries.find((is) => isSame(is, was)) ?? was);
}

/** Entries of nodes in sight, for addresses that no other entry has: a set that is paused amid a change publishes as before. */
function inSightOf(snapshot: Snapshot, known: readonly PublishedAddress[]): readonly PublishedAddress[] {
  const isKnown = new Set(known.map(({ address }) => address));
  const kind = publishedKind(snapshot.resource.spec);
  const all = snapshot.meant().flatMap(({ node }) => {
    return addressesOf(node, kind).map((address) => ({ address, nodeName: node.name }));
  });
  return all.filter(({ address }) => !isKnown.has(address));
}

/** Entries of the values that a change under way, or half-done, has left so far: each once, the first one. */
function heldOf(held: readonly string[], entries: readonly PublishedAddress[]): readonly PublishedAddress[] {
  const isHeld = new Set(held);
  const keyOf = ({ address, nodeName }: PublishedAddress) => `${address} ${nodeName}`;
  const kept = entries.filter(({ address }) => isHeld.has(address));
  // Of two entries with one key, a map keeps the last.
  return [...new Map(kept.toReversed().map((entry) => [keyOf(entry), entry])).values()].sort(byNode);
}

function asItWas({ resource }: Snapshot): Publication {
  const entries = resource.status.addresses ?? [];
  const values = [...new Set(entries.map(({ address }) => address))].sort();
  return { ...EMPTY, entries, values };
}

const EMPTY: Publication = {
  entries: [],
  values: [],
  stale: [],
  cordoned: [],
  graceEnds: [],
  addressless: [],
  shared: [],
  cut: 0,
};

/** The same of a change that ended half-way. The status may already lack its nodes. */
export function halfChangeText(
  snapshot: Snapshot,
  { intended }: Pick<Plan, "intended">,
  { before, after }: Pick<RecordChangeSet, "before" | "after">,
): string {
  const known = [...(snapshot.resource.status.addresses ?? []), ...intended];
  const all = [...known, ...inSightOf(snapshot, known)];
  return changeText(snapshot, heldOf(before, all), heldOf(after, all));
}

/** `game: + 203.0.113.7 (node-9); - 203.0.113.5 (node-3: NodeNotReady); gracePeriodSeconds is 0`; empty where nothing changes. */
function changeText(
  snapshot: Snapshot,
  before: readonly PublishedAddress[],
  entries: readonly PublishedAddress[],
): string {
  const { metadata } = snapshot.resource;
  const [was, is] = [before, entries].map((list) => new Set(list.map(({ address }) => address)));
  const come = entries
    .filter(({ address }) => was?.has(address) !== true)
    .map(({ address, nodeName }) => `+ ${address} (${nodeName})`);
  const left = before.filter(({ address }) => is?.has(address) !== true);
  const gone = left.map(
    ({ address, nodeName }) => `- ${address} (${nodeName}${whyGone(snapshot, { address, nodeName })})`,
  );
  const changes = [...come, ...gone];
  if (changes.length === 0) return "";
  const shown = changes.slice(0, SHOWN).join("; ");
  const more = changes.length > SHOWN ? `; and ${changes.length - SHOWN} more` : "";
  return `${metadata.name}: ${shown}${more}${atOnceText(snapshot, left)}`;
}

/** Why addresses of nodes that do not match left without a grace period, once for all of them. */
function atOnceText({ resource, verdictOf }: Snapshot, left: readonly PublishedAddress[]): string {
  const periodMs = (resource.spec.gracePeriodSeconds ?? 0) * 1000;
  const none = left.flatMap(({ nodeName }) => noGraceOf(verdictOf(nodeName)?.refusals ?? [], periodMs) ?? []);
  if (none.length === 0) return "";
  const reasons = none.filter((reason) => reason !== "zero");
  return `; ${noGraceText(reasons.length === 0 ? "zero" : [...new Set(reasons)])}`;
}

function whyGone({ verdictOf, resource: { spec } }: Snapshot, { address, nodeName }: PublishedAddress): string {
  const verdict = verdictOf(nodeName);
  if (verdict === undefined) return ": NodeGone";
  const reasons = verdict.refusals.map(({ reason }) => reason);
  if (reasons.length > 0) return `: ${reasons.join(", ")}`;
  const kind = { ...publishedKind(spec), families: [familyOf(address)] };
  const lacks = addressesOf(verdict.node, kind).length === 0;
  return lacks ? `: it has no ${publishedText(kind)} any more` : ": its address changed";
}

/** An Event's note holds 1,024 bytes. */
const SHOWN = 12;
