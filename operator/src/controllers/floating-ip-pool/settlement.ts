/** What became of a creation whose answer was lost: read off the lists that came after it. */

import { canonicalIp, type PendingCreation } from "cdk8s-flipop/api";
import { CALL_OVER_MS, LISTS_APART_MS } from "../../bounds.js";
import type { InventoryAddress } from "../../inventory/types.js";
import type { ListSighting } from "../addresses/list-sightings.js";
import { timeOf } from "../times.js";
import type { Snapshot } from "./snapshot.js";

/**
 * `ours`: this address is it. `listed`: a person has said by `spec.ips` which one it is. `nothing`: nothing was created.
 * `several`: it could be any of these. `wait`: not yet known; look again then.
 */
export type Settlement =
  | { readonly is: "ours"; readonly ip: string; readonly why: string }
  | { readonly is: "listed"; readonly ip: string }
  | { readonly is: "nothing" }
  | { readonly is: "several"; readonly ips: readonly string[] }
  | { readonly is: "wait"; readonly until: number };

export function settle(snapshot: Snapshot, intent: PendingCreation): Settlement {
  const seen = new Set((intent.unassignedSeen ?? []).map(canonicalIp));
  const startedAt = startOf(snapshot, intent);
  const listed = (snapshot.pool.spec.ips ?? []).map(canonicalIp).find((ip) => isNewcomer(snapshot, ip, seen));
  const onNode = heldOnNode(snapshot, intent, seen);
  if (onNode !== undefined) return { is: "ours", ip: onNode.ip, why: "it is on the node that it was created for" };
  const lists = snapshot.memory.lists.filter(({ at }) => at >= startedAt);
  const last = lists.at(-1);
  if (last === undefined) return { is: "wait", until: snapshot.now + LISTS_APART_MS };
  const newcomers = [...last.unassigned].filter((ip) => !seen.has(ip) && !isForeign(snapshot, ip)).sort();
  if (listed !== undefined && newcomers.includes(listed)) return { is: "listed", ip: listed };
  return newcomers.length === 0
    ? settleNone(snapshot, lists, { startedAt, seen })
    : settleNewcomers(snapshot, lists, newcomers);
}

/** A start in the future is of a clock that was set back since: then it counts from where this process met it. */
function startOf({ now, memory }: Snapshot, { startedAt }: PendingCreation): number {
  const at = timeOf(startedAt);
  return at === undefined || at > now ? (memory.intentSeenAt ?? now) : at;
}

function settleNone(
  snapshot: Snapshot,
  lists: readonly ListSighting[],
  { startedAt, seen }: { readonly startedAt: number; readonly seen: ReadonlySet<string> },
): Settlement {
  const lateEnough = lists.filter(({ at }) => at >= startedAt + CALL_OVER_MS);
  const empty = lateEnough.filter(({ unassigned }) =>
    [...unassigned].every((ip) => seen.has(ip) || isForeign(snapshot, ip)),
  );
  const [first, last] = [empty[0], empty.at(-1)];
  if (first !== undefined && last !== undefined && last.at - first.at >= LISTS_APART_MS) return { is: "nothing" };
  const from = first?.at ?? Math.max(snapshot.now, startedAt + CALL_OVER_MS - LISTS_APART_MS);
  return { is: "wait", until: Math.max(from + LISTS_APART_MS, snapshot.now + 1000) };
}

function settleNewcomers(snapshot: Snapshot, lists: readonly ListSighting[], newcomers: readonly string[]): Settlement {
  const at = lists.at(-1)?.at ?? 0;
  const firstSeen = (ip: string) => lists.find(({ unassigned }) => unassigned.has(ip))?.at ?? at;
  const youngest = Math.max(...newcomers.map(firstSeen));
  if (at - youngest < LISTS_APART_MS) {
    return { is: "wait", until: Math.max(youngest + LISTS_APART_MS, snapshot.now + 1000) };
  }
  const [only, ...others] = newcomers;
  if (only === undefined || others.length > 0) return { is: "several", ips: newcomers };
  return { is: "ours", ip: only, why: "it is the only new address of the account since the creation was sent" };
}

/** Nobody else puts an address there: only one install has the node. */
function heldOnNode(
  snapshot: Snapshot,
  { providerID, dropletHadAddress, family }: PendingCreation,
  seen: ReadonlySet<string>,
): InventoryAddress | undefined {
  if (providerID === undefined || dropletHadAddress !== false) return undefined;
  const held = snapshot.inventory.heldBy(providerID).filter((address) => address.family === family);
  return held.find(({ ip, doubted }) => !doubted && !seen.has(ip) && !isForeign(snapshot, ip));
}

/** Another resource has it, or this one had it before. */
function isForeign({ ownerOf, pool, inventory }: Snapshot, ip: string): boolean {
  const owner = ownerOf(ip);
  if (inventory.get(ip)?.borrowed === true) return true;
  if (owner === undefined) return false;
  if (owner.uid !== pool.metadata.uid) return true;
  const created = (pool.status.createdIPs ?? []).some((entry) => canonicalIp(entry.ip) === ip);
  return created || Object.keys(pool.status.ips ?? {}).some((known) => canonicalIp(known) === ip);
}

function isNewcomer(snapshot: Snapshot, ip: string, seen: ReadonlySet<string>): boolean {
  return !seen.has(ip) && !isForeign(snapshot, ip) && snapshot.inventory.get(ip) !== undefined;
}
