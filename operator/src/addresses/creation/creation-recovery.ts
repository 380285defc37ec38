/**
 * Finds out from later lists what a creation with a lost answer did. Every known fact narrows the choice among the new
 * addresses; even the only one that remains may belong to another party. Pure.
 */

import { Annotation, canonicalIp, type PendingCreation } from "cdk8s-flipop/api";
import { timeOf } from "../../clock.js";
import type { InventoryAddress } from "../../inventory/view.js";
import { WHYS } from "../../messages/action-reasons.js";
import { refText } from "../../messages/claims.js";
import { CALL_OVER_MS, CREATION_OVER_MS, INFERENCE_WINDOW_MS, LISTS_APART_MS, STRAY_AFTER_MS } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import { type AddressSnapshot, isDeleting, type OtherCreation } from "../address-set.js";
import { createdRegion } from "./create-address.js";
import { areApart, type ListObservation } from "./creation-registry.js";

/** One creation whose answer was lost. */
interface OpenCase {
  readonly intent: PendingCreation;
  /** ms since the epoch. */
  readonly startedAt: number;
  /** Addresses that were there before. */
  readonly seen: ReadonlySet<string>;
  /** Whole lists that were read since, oldest first. */
  readonly lists: readonly ListObservation[];
}

function caseOf(snapshot: AddressSnapshot, intent: PendingCreation): OpenCase {
  const startedAt = startOf(snapshot, intent);
  return {
    intent,
    startedAt,
    seen: new Set((intent.unassignedSeen ?? []).map(canonicalIp)),
    lists: snapshot.memory.lists.filter(({ at }) => at >= startedAt),
  };
}

/** A start in the future is of a clock that was set back since: then it counts from where this process met it. */
function startOf({ now, memory }: AddressSnapshot, { startedAt }: PendingCreation): number {
  const at = timeOf(startedAt);
  return at === undefined || at > now ? (memory.intentSeenAt ?? now) : at;
}

/** New, unassigned, and excluded by no fact; sorted. */
function candidatesIn(snapshot: AddressSnapshot, open: OpenCase, list: ListObservation): readonly string[] {
  const all = [...list.unassigned].filter((ip) => isCandidate(snapshot, open, ip)).sort();
  const { wasAssigned } = snapshot.memory;
  // A creation on a machine can fail before the assignment, so this excludes an address only beside one that was on a machine.
  const isNarrowed = open.intent.providerID !== undefined && all.some((ip) => wasAssigned?.get(ip) === true);
  return isNarrowed ? all.filter((ip) => wasAssigned?.get(ip) !== false) : all;
}

function isCandidate(snapshot: AddressSnapshot, { intent, seen, lists, startedAt }: OpenCase, ip: string): boolean {
  if (seen.has(ip) || isForeign(snapshot, ip)) return false;
  return !isElsewhere(snapshot.inventory.get(ip)?.region, intent.region) && !isLate(lists, startedAt, ip);
}

function isElsewhere(region: string | undefined, wanted: string | undefined): boolean {
  return Boolean(region) && Boolean(wanted) && region !== wanted;
}

/** It was not there, or not free, when the call had long ended. */
function isLate(lists: readonly ListObservation[], startedAt: number, ip: string): boolean {
  const first = lists.findIndex(({ unassigned }) => unassigned.has(ip));
  return lists.slice(0, Math.max(first, 0)).some(({ at }) => at >= startedAt + CREATION_OVER_MS);
}

/** The addresses in the project of the resource's other addresses; all addresses if that project is unknown. */
function ofProject({ inventory }: AddressSnapshot, { intent }: OpenCase, ips: readonly string[]): readonly string[] {
  const projectOf = (ip: string) => inventory.get(ip)?.project;
  const { project } = intent;
  return project === undefined ? ips : ips.filter((ip) => (projectOf(ip) ?? project) === project);
}

/** Why a single candidate is no proof; `undefined`: it is taken for the one. */
function doubtOf(snapshot: AddressSnapshot, open: OpenCase, ip: string): string | undefined {
  const { lists, startedAt, intent } = open;
  if (wasNeverAssigned(snapshot, open, ip))
    return "it was never on a machine: the creation failed before the assignment, or someone else created it";
  if (intent.providerID !== undefined && snapshot.memory.wasAssigned?.get(ip) !== true)
    return "it is on no machine, though the creation was to assign it to one";
  const rivals = rivalsOf(snapshot, open);
  if (rivals.length > 0) return `${rivals.map(({ resource }) => refText(resource)).join(", ")} lost an answer, too`;
  const first = lists[0]?.at ?? startedAt;
  return first - startedAt > INFERENCE_WINDOW_MS ? "no list was read soon after the creation" : undefined;
}

function wasNeverAssigned({ memory }: AddressSnapshot, { intent }: OpenCase, ip: string): boolean {
  return intent.providerID !== undefined && memory.wasAssigned?.get(ip) === false;
}

/** The weakest doubt has a bound: the address does nothing, and the resource still lacks one. */
function strayAt(snapshot: AddressSnapshot, open: OpenCase, ip: string): number | undefined {
  const isBounded = wasNeverAssigned(snapshot, open, ip) && !isDeleting(snapshot.set);
  return isBounded ? open.startedAt + STRAY_AFTER_MS : undefined;
}

/** A creation that began when this one's address may have come to be has a right to the same newcomers. */
function rivalsOf({ otherCreations }: AddressSnapshot, { startedAt, intent }: OpenCase): readonly OtherCreation[] {
  const region = createdRegion(intent);
  return otherCreations.filter((other) => !areApart(region, other.region) && competes(other, startedAt));
}

function competes({ startedAt }: OtherCreation, own: number): boolean {
  return startedAt === undefined || Math.abs(startedAt - own) <= CREATION_OVER_MS;
}

/** Another resource has it, or this one had it before. */
function isForeign({ ownerOf, set, inventory }: AddressSnapshot, ip: string): boolean {
  const owner = ownerOf(ip);
  if (inventory.get(ip)?.borrowed === true) return true;
  if (owner === undefined) return false;
  if (owner.uid !== set.metadata.uid) return true;
  const copied = (set.metadata.annotations?.[Annotation.createdIps] ?? "").split(",").map((part) => part.trim());
  const known = [...set.createdIPs.map((entry) => entry.ip), ...Object.keys(set.statuses), ...copied];
  return known.some((entry) => entry !== "" && canonicalIp(entry) === ip);
}

/**
 * `ours`: this address is taken for it. `listed`: a person has said by `spec.ips` which one it is. `nothing`: nothing
 * was created. `several`: it could be any of these; `until`: when the operator creates another one all the same. `stray`: it does. `elsewhere`: it was sent to another account than the spec names now.
 * `wait`: not yet known; look again then.
 */
export type CreationRecovery =
  | { readonly is: "ours"; readonly ip: string; readonly why: string }
  | { readonly is: "listed"; readonly ip: string }
  | { readonly is: "nothing" }
  | { readonly is: "elsewhere" }
  | { readonly is: "several"; readonly ips: readonly string[]; readonly why?: string; readonly until?: number }
  | { readonly is: "stray"; readonly ip: string }
  | { readonly is: "wait"; readonly until: number };

export function settle(snapshot: AddressSnapshot, intent: PendingCreation): CreationRecovery {
  const { provider } = snapshot.set;
  if (intent.provider !== provider || intent.family !== snapshot.set.family) return { is: "elsewhere" };
  const open = caseOf(snapshot, intent);
  const onNode = heldOnNode(snapshot, open);
  if (onNode !== undefined) return { is: "ours", ip: onNode.ip, why: WHYS.onItsNode };
  const last = open.lists.at(-1);
  if (last === undefined) return { is: "wait", until: snapshot.now + LISTS_APART_MS };
  const candidates = candidatesIn(snapshot, open, last);
  const listed = snapshot.set.listed
    .map(canonicalIp)
    .find((ip) => last.unassigned.has(ip) && isNewcomer(snapshot, open, ip));
  if (listed !== undefined) return { is: "listed", ip: listed };
  return candidates.length === 0 ? recoverNone(snapshot, open) : settleSome(snapshot, open, candidates);
}

function recoverNone(snapshot: AddressSnapshot, open: OpenCase): CreationRecovery {
  const { lists, startedAt } = open;
  const lateEnough = lists.filter(({ at }) => at >= startedAt + CALL_OVER_MS);
  const empty = lateEnough.filter((list) => candidatesIn(snapshot, open, list).length === 0);
  const [first, last] = [empty[0], empty.at(-1)];
  if (first !== undefined && last !== undefined && last.at - first.at >= LISTS_APART_MS) return { is: "nothing" };
  const from = first?.at ?? Math.max(snapshot.now, startedAt + CALL_OVER_MS - LISTS_APART_MS);
  return { is: "wait", until: Math.max(from + LISTS_APART_MS, snapshot.now + 1000) };
}

function settleSome(snapshot: AddressSnapshot, open: OpenCase, candidates: readonly string[]): CreationRecovery {
  const { lists } = open;
  const at = lists.at(-1)?.at ?? 0;
  const firstSeen = (ip: string) => lists.find(({ unassigned }) => unassigned.has(ip))?.at ?? at;
  const youngest = Math.max(...candidates.map(firstSeen));
  if (at - youngest < LISTS_APART_MS) {
    return { is: "wait", until: Math.max(youngest + LISTS_APART_MS, snapshot.now + 1000) };
  }
  // Its answer says whose address is whose.
  if (rivalsOf(snapshot, open).some(({ running }) => running === true))
    return { is: "wait", until: snapshot.now + LISTS_APART_MS };
  const [only, ...others] = ofProject(snapshot, open, candidates);
  if (only === undefined || others.length > 0) return { is: "several", ips: candidates };
  const why = doubtOf(snapshot, open, only);
  const until = strayAt(snapshot, open, only);
  if (until !== undefined && snapshot.now >= until) return { is: "stray", ip: only };
  if (why !== undefined) return { is: "several", ips: [only], why, ...omitUndefined({ until }) };
  return { is: "ours", ip: only, why: WHYS.onlyNewAddress };
}

/** On the machine that was asked for, which had none: somebody else would have had to choose the same one just then. */
function heldOnNode(snapshot: AddressSnapshot, { intent, seen }: OpenCase): InventoryAddress | undefined {
  const { providerID, dropletHadAddress, family } = intent;
  if (providerID === undefined || dropletHadAddress !== false) return undefined;
  const held = snapshot.inventory.heldBy(providerID).filter((address) => address.family === family);
  return held.find(({ ip, unconfirmed }) => !unconfirmed && !seen.has(ip) && !isForeign(snapshot, ip));
}

/** A person may name one that no fact would choose. */
function isNewcomer(snapshot: AddressSnapshot, { seen }: OpenCase, ip: string): boolean {
  return !seen.has(ip) && !isForeign(snapshot, ip) && snapshot.inventory.get(ip) !== undefined;
}
