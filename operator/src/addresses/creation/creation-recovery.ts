/** What became of a creation whose answer was lost: read off the lists that came after it. */

import { canonicalIp, type PendingCreation } from "cdk8s-flipop/api";
import { CALL_OVER_MS, LISTS_APART_MS } from "../../bounds.js";
import type { InventoryAddress } from "../../inventory/types.js";
import type { AddressSnapshot } from "../address-set.js";
import { candidatesIn, caseOf, doubtOf, isForeign, type OpenCase, ofProject, rivalsOf } from "./inference.js";

/**
 * `ours`: this address is taken for it. `listed`: a person has said by `spec.ips` which one it is. `nothing`: nothing
 * was created. `several`: it could be any of these. `elsewhere`: it was sent to another account than the spec names now.
 * `wait`: not yet known; look again then.
 */
export type CreationRecovery =
  | { readonly is: "ours"; readonly ip: string; readonly why: string }
  | { readonly is: "listed"; readonly ip: string }
  | { readonly is: "nothing" }
  | { readonly is: "elsewhere" }
  | { readonly is: "several"; readonly ips: readonly string[]; readonly why?: string }
  | { readonly is: "wait"; readonly until: number };

export function settle(snapshot: AddressSnapshot, intent: PendingCreation): CreationRecovery {
  const { provider } = snapshot.set;
  if (intent.provider !== provider || intent.family !== snapshot.set.family) return { is: "elsewhere" };
  const open = caseOf(snapshot, intent);
  const onNode = heldOnNode(snapshot, open);
  if (onNode !== undefined) return { is: "ours", ip: onNode.ip, why: "it is on the node that it was created for" };
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
  const why = doubtOf(snapshot, open);
  if (why !== undefined) return { is: "several", ips: [only], why };
  return { is: "ours", ip: only, why: "it is the only new address of the account that may be it" };
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
