/**
 * Which new address may be the one that a creation without an answer has made. Every fact that is known narrows the
 * choice; what none of them excludes may still belong to somebody else. Pure.
 */

import { Annotation, canonicalIp, type PendingCreation } from "cdk8s-flipop/api";
import { CREATION_OVER_MS, INFERENCE_WINDOW_MS } from "../../bounds.js";
import { refText } from "../../claims/claimant.js";
import { timeOf } from "../../times.js";
import type { AddressSnapshot, OtherCreation } from "../address-set.js";
import type { ListObservation } from "./list-observations.js";

/** One creation whose answer was lost. */
export interface OpenCase {
  readonly intent: PendingCreation;
  /** ms since the epoch. */
  readonly startedAt: number;
  /** Addresses that were there before. */
  readonly seen: ReadonlySet<string>;
  /** Whole lists that were read since, oldest first. */
  readonly lists: readonly ListObservation[];
}

export function caseOf(snapshot: AddressSnapshot, intent: PendingCreation): OpenCase {
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
export function candidatesIn(snapshot: AddressSnapshot, open: OpenCase, list: ListObservation): readonly string[] {
  return [...list.unassigned].filter((ip) => isCandidate(snapshot, open, ip)).sort();
}

export function isCandidate(
  snapshot: AddressSnapshot,
  { intent, seen, lists, startedAt }: OpenCase,
  ip: string,
): boolean {
  if (seen.has(ip) || isForeign(snapshot, ip)) return false;
  const region = snapshot.inventory.get(ip)?.region ?? "";
  if (region !== "" && intent.region !== undefined && intent.region !== "" && region !== intent.region) return false;
  return !isLate(lists, startedAt, ip);
}

/** It was not there, or not free, when the call had long ended. */
function isLate(lists: readonly ListObservation[], startedAt: number, ip: string): boolean {
  const first = lists.findIndex(({ unassigned }) => unassigned.has(ip));
  return lists.slice(0, Math.max(first, 0)).some(({ at }) => at >= startedAt + CREATION_OVER_MS);
}

/** The addresses in the project of the resource's other addresses; all addresses if that project is unknown. */
export function ofProject(
  { inventory }: AddressSnapshot,
  { intent }: OpenCase,
  ips: readonly string[],
): readonly string[] {
  const projectOf = (ip: string) => inventory.get(ip)?.project;
  const { project } = intent;
  return project === undefined ? ips : ips.filter((ip) => (projectOf(ip) ?? project) === project);
}

/** Why a single candidate is no proof; `undefined`: it is taken for the one. */
export function doubtOf(snapshot: AddressSnapshot, open: OpenCase): string | undefined {
  const { lists, startedAt } = open;
  const rivals = rivalsOf(snapshot, open);
  if (rivals.length > 0) return `${rivals.map(({ resource }) => refText(resource)).join(", ")} lost an answer, too`;
  const first = lists[0]?.at ?? startedAt;
  return first - startedAt > INFERENCE_WINDOW_MS ? "no list was read soon after the creation" : undefined;
}

/** A creation that began when this one's address may have come to be has a right to the same newcomers. */
export function rivalsOf({ otherCreations }: AddressSnapshot, { startedAt }: OpenCase): readonly OtherCreation[] {
  return otherCreations.filter((other) => competes(other, startedAt));
}

function competes({ startedAt }: OtherCreation, own: number): boolean {
  return startedAt === undefined || Math.abs(startedAt - own) <= CREATION_OVER_MS;
}

/** Another resource has it, or this one had it before. */
export function isForeign({ ownerOf, set, inventory }: AddressSnapshot, ip: string): boolean {
  const owner = ownerOf(ip);
  if (inventory.get(ip)?.borrowed === true) return true;
  if (owner === undefined) return false;
  if (owner.uid !== set.metadata.uid) return true;
  const copied = (set.metadata.annotations?.[Annotation.createdIps] ?? "").split(",").map((part) => part.trim());
  const known = [...set.createdIPs.map((entry) => entry.ip), ...Object.keys(set.statuses), ...copied];
  return known.some((entry) => entry !== "" && canonicalIp(entry) === ip);
}
