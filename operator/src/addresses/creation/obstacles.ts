/** Why a missing address cannot be created now. */

import type { ResourceRef } from "../../inventory/view.js";
import type { NodeFacts } from "../../match/node-facts.js";
import { refText } from "../../messages/claims.js";
import { creationMessages } from "../../messages/creation.js";
import type { Problem } from "../../messages/message.js";
import { providerMessages, serverMessages } from "../../messages/provider.js";
import { specMessages } from "../../messages/spec.js";
import type { ProviderId } from "../../providers/types.js";
import { isDue } from "../../reconcile/retries.js";
import { compareText, omitUndefined } from "../../values.js";
import type { AddressSet, AddressSnapshot } from "../address-set.js";
import type { Desired } from "../desired-addresses.js";
import { lostName } from "../dns-records.js";
import { isInSetRegion, regionOf } from "../moves/addresses-by-region.js";
import { accountUntil } from "../moves/movable-addresses.js";
import { heldUpUntil } from "./creation-registry.js";

/** What the creation waits for. */
export interface Obstacle {
  readonly chain: readonly [];
  readonly problem: Problem;
  /** When it may be gone, ms since the epoch. @default when another event shows it */
  readonly requeueAt?: number;
}

export function heldUp(problem: Problem, requeueAt?: number): Obstacle {
  return { chain: [], problem, ...omitUndefined({ requeueAt }) };
}

/** What does not pass as soon as others are done. */
export function blockage(snapshot: AddressSnapshot, desired: Desired): Obstacle | undefined {
  const { crdTooOld, memory, now, providerFailure } = snapshot;
  if (crdTooOld) return heldUp(serverMessages.dropsCreation());
  const unable = inability(snapshot, desired);
  if (unable !== undefined) return heldUp(unable);
  // An address without its name costs money, and the owner of the name may be the resource that is meant.
  const limited = snapshot.creationProblem?.() ?? lostName(snapshot);
  if (limited !== undefined) return heldUp(limited);
  const until = accountUntil(snapshot);
  if (providerFailure !== undefined && until !== undefined) return heldUp(providerFailure, until);
  const failure = memory.creationFailure;
  if (failure !== undefined && !isDue(failure.retryAt, now)) return heldUp(failure, failure.retryAt);
  return turnOf(snapshot, desired);
}

/** One more address of either family would be wrong, as the spec says or as the pool is. */
export function otherFamily({ otherFamily: asked, family, createdIPs }: AddressSet): Problem | undefined {
  return asked && specMessages.otherFamily({ asked, family, created: createdIPs.map(({ ip }) => ip) });
}

/** Only who could create at its turn takes one. */
function turnOf({ candidates, creationTurn }: AddressSnapshot, { missing }: Desired): Obstacle | undefined {
  const turn = candidates.length === 0 ? undefined : creationTurn?.();
  return turn && heldUp(creationMessages.afterTurn({ missing, ...turn }), turn.until);
}

function inability(snapshot: AddressSnapshot, { family }: Desired): Problem | undefined {
  const { capabilities, set } = snapshot;
  const { provider } = set;
  const other = otherFamily(set);
  if (other !== undefined) return other;
  if (capabilities === undefined) return providerMessages.notSetUp({ provider });
  const supported = capabilities.families.includes(family);
  return supported ? nodesElsewhere(snapshot) : providerMessages.unsupported({ provider, what: `${family} addresses` });
}

/** An address in a region without a candidate costs money and serves no traffic; the region may be a typo, too. */
function nodesElsewhere(snapshot: AddressSnapshot): Problem | undefined {
  const { candidates, capabilities, set, clusterNodes = () => [] } = snapshot;
  const { kind, region } = set;
  if (capabilities?.regional !== true || !region) return undefined;
  const matches = candidates.length > 0;
  const nodes: Pick<NodeFacts, "labels">[] = [];
  for (const node of matches ? candidates : clusterNodes()) {
    if (isInSetRegion(snapshot, node)) return undefined;
    nodes.push(node);
  }
  return nodes.length === 0
    ? undefined
    : creationMessages.nodesElsewhere({
        ...{ kind, region, regions: regionsText(nodes), matches },
        ...omitUndefined({ refusals: snapshot.refusalsIn?.(region) }),
      });
}

/** Another resource's creation could be mistaken for this one. */
export function holdUpOf(
  snapshot: AddressSnapshot,
  desired: Desired,
  node: ProviderId | undefined,
): Obstacle | undefined {
  const { now, inventory, otherCreations, set } = snapshot;
  const region = node === undefined && set.region ? { region: set.region } : {};
  const beginning = { node, ...region, now, listedAt: now - inventory.ageSeconds * 1000 };
  const waits = otherCreations.flatMap((other) => {
    const until = heldUpUntil(other, beginning);
    return until === undefined ? [] : [{ other, until }];
  });
  const last = waits.sort((a, b) => b.until - a.until)[0];
  if (last === undefined) return undefined;
  const { other, until } = last;
  const waiting = { missing: desired.missing, other: other.resource };
  if (other.unread === true) return heldUp(creationMessages.afterReading(waiting));
  if (other.running === true) return heldUp(creationMessages.afterOther(waiting));
  if (!Number.isFinite(until)) return heldUp(creationMessages.afterLost(waiting));
  return heldUp(creationMessages.afterLostUntil({ ...waiting, until }), until);
}

export function regionsText(nodes: readonly Pick<NodeFacts, "labels">[]): string {
  return [...new Set(nodes.map(regionOf))].sort().join(", ");
}

/** A person who must release an address needs to know where the others are. */
export function withHolders(snapshot: AddressSnapshot, obstacle: Obstacle): Obstacle {
  const { problem: cause } = obstacle;
  if (cause.reason !== "QuotaExceeded") return obstacle;
  const { holders, unknown } = holdersIn(snapshot);
  if (holders.length === 0 && unknown === 0) return obstacle;
  return {
    ...obstacle,
    problem: creationMessages.accountFull({ cause, family: snapshot.set.family, holders, unknown }),
  };
}

/** Addresses of ranges that their owner brought do not count against the limit. */
function holdersIn({ inventory, ownerOf }: AddressSnapshot) {
  const holders = new Map<string, ResourceRef & { readonly count: number }>();
  let unknown = 0;
  for (const { ip, borrowed } of inventory.addresses.values()) {
    if (borrowed === true) continue;
    const owner = ownerOf(ip);
    if (owner === undefined) unknown += 1;
    else holders.set(owner.uid, { ...owner, count: (holders.get(owner.uid)?.count ?? 0) + 1 });
  }
  const sorted = [...holders.values()].sort(
    (one, other) => other.count - one.count || compareText(refText(one), refText(other)),
  );
  return { holders: sorted, unknown };
}
