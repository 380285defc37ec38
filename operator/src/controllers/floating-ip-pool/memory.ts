/** What a unit remembers, as the plan reads it. */

import type { AddressMemory } from "../../addresses/address-set.js";
import { NODE_FAILURE_KEPT_MS, PLACEMENT_LASTING_MS, REVERTS_KEPT } from "../../bounds.js";
import { omitUndefined } from "../../omit-undefined.js";
import type { ProviderId } from "../../providers/types.js";
import type { PoolState } from "./resource-state.js";
import type { Snapshot } from "./snapshot.js";

export interface Scene extends Pick<Snapshot, "inventory" | "verdictOf" | "now"> {
  /** At `now`. */
  readonly monotonic: number;
  /** Of the record set. */
  readonly recordReverts: readonly number[];
}

export function memoryOf(resourceState: PoolState, scene: Scene): AddressMemory {
  noticeReverts(resourceState, scene);
  forgetNodes(resourceState, scene.now);
  resourceState.firstPlannedAt ??= scene.now;
  const { creationFailure, creationResult, lastAssignmentAt, firstPlannedAt, cleanup, nodeRetries, reverts } =
    resourceState;
  const records = scene.recordReverts.length === 0 ? [] : [["records", scene.recordReverts] as const];
  return {
    ...(lastAssignmentAt === undefined ? {} : { lastAssignmentAt }),
    firstPlannedAt,
    assigning: resourceState.assigning.size > 0,
    nodeRetryAt: new Map([...nodeRetries].map(([node, { retryAt }]): [ProviderId, number] => [node, retryAt])),
    ...omitUndefined({ creationFailure, creationResult }),
    ...resourceState.listObservations.seen(scene),
    accountRetryAt: accountWaits(resourceState),
    reverts: new Map([...reverts, ...records]),
    cleanup,
  };
}

/** By subject. */
function accountWaits({ accountFailures, retries }: PoolState): ReadonlyMap<string, number> {
  return new Map(
    [...accountFailures].flatMap((lockKey) => {
      const state = retries.get(lockKey);
      return state === undefined ? [] : [[lockKey, state.retryAt] as const];
    }),
  );
}

/** Somebody took an address off a node of ours that is well. */
function noticeReverts(resourceState: PoolState, { inventory, verdictOf, now }: Scene): void {
  for (const [ip, { machine, at }] of resourceState.lastPlacements) {
    const facts = inventory.get(ip);
    if (facts === undefined || facts.unconfirmed || facts.action !== undefined) continue;
    if (facts.holder === machine) {
      if (now - at >= PLACEMENT_LASTING_MS) resourceState.reverts.delete(ip);
      continue;
    }
    resourceState.lastPlacements.delete(ip);
    if (verdictOf(machine)?.refusals.length !== 0) continue;
    resourceState.reverts.set(ip, [...(resourceState.reverts.get(ip) ?? []), now].slice(-REVERTS_KEPT));
  }
}

function forgetNodes(resourceState: PoolState, now: number): void {
  for (const [node, { retryAt }] of resourceState.nodeRetries) {
    if (now - retryAt > NODE_FAILURE_KEPT_MS) resourceState.nodeRetries.delete(node);
  }
}
