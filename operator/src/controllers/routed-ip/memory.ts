/** What a unit remembers, as the plan reads it. */

import { canonicalIp } from "cdk8s-flipop/api";
import type { AddressMemory } from "../../addresses/address-set.js";
import { addressLockKey } from "../../addresses/lock-key.js";
import { PLACEMENT_LASTING_MS, REVERTS_KEPT } from "../../bounds.js";
import { omitUndefined } from "../../omit-undefined.js";
import type { RoutedIPState } from "./resource-state.js";
import type { Snapshot } from "./snapshot.js";

export interface Scene extends Pick<Snapshot, "inventory" | "verdictOf" | "now"> {
  /** At `now`. */
  readonly monotonic: number;
}

type Remembered = Pick<
  RoutedIPState,
  | "addressRetry"
  | "creationFailure"
  | "creationResult"
  | "cleanup"
  | "nodeRetries"
  | "reverts"
  | "placement"
  | "listObservations"
  | "read"
>;

/** @param recordReverts of the record set */
export function memoryOf(
  resourceState: Remembered,
  scene: Scene,
  recordReverts: readonly number[] = [],
): AddressMemory {
  noticeReverts(resourceState, scene);
  const { addressRetry, creationFailure, creationResult, cleanup, nodeRetries, reverts, placement } = resourceState;
  const ip = placement?.ip ?? resourceState.read()?.routed.status.routedIP;
  const own = reverts.length === 0 || ip === undefined ? [] : [[canonicalIp(ip), reverts] as const];
  const waits =
    addressRetry === undefined || ip === undefined
      ? []
      : [[addressLockKey(canonicalIp(ip)), addressRetry.retryAt] as const];
  const records = recordReverts.length === 0 ? [] : [["records", recordReverts] as const];
  return {
    nodeRetryAt: new Map([...nodeRetries].map(([node, { retryAt }]) => [node, retryAt])),
    ...omitUndefined({ creationFailure, creationResult }),
    ...resourceState.listObservations.seen(scene),
    accountRetryAt: new Map(waits),
    reverts: new Map([...own, ...records]),
    cleanup,
  };
}

/** Somebody took the address off a node of ours that is well. */
function noticeReverts(resourceState: Remembered, { inventory, verdictOf, now }: Scene): void {
  const { placement } = resourceState;
  const facts = placement && inventory.get(placement.ip);
  if (placement === undefined || facts === undefined || facts.unconfirmed || facts.action !== undefined) return;
  if (facts.holder === placement.machine) {
    if (now - placement.at >= PLACEMENT_LASTING_MS) resourceState.reverts = [];
    return;
  }
  resourceState.placement = undefined;
  if (verdictOf(placement.machine)?.refusals.length === 0)
    resourceState.reverts = [...resourceState.reverts, now].slice(-REVERTS_KEPT);
}
