/** What a unit remembers, as the plan reads it. */

import { canonicalIp } from "cdk8s-flipop/api";
import { PLACEMENT_LASTING_MS, REVERTS_KEPT } from "../../bounds.js";
import type { PoolMemory } from "../floating-ip-pool/snapshot.js";
import { addressSubject } from "../floating-ip-pool/subject.js";
import { given } from "../given.js";
import type { Snapshot } from "./snapshot.js";
import type { RoutedUnit } from "./unit.js";

export interface Scene extends Pick<Snapshot, "inventory" | "verdictOf" | "now"> {
  /** At `now`. */
  readonly monotonic: number;
}

type Remembered = Pick<
  RoutedUnit,
  | "addressRetry"
  | "creationFailure"
  | "creationResult"
  | "cleanup"
  | "nodeRetries"
  | "reverts"
  | "placement"
  | "sightings"
  | "read"
>;

/** @param recordReverts of the record set */
export function memoryOf(unit: Remembered, scene: Scene, recordReverts: readonly number[] = []): PoolMemory {
  noticeReverts(unit, scene);
  const { addressRetry, creationFailure, creationResult, cleanup, nodeRetries, reverts, placement } = unit;
  const ip = placement?.ip ?? unit.read()?.routed.status.routedIP;
  const own = reverts.length === 0 || ip === undefined ? [] : [[canonicalIp(ip), reverts] as const];
  const waits =
    addressRetry === undefined || ip === undefined
      ? []
      : [[addressSubject(canonicalIp(ip)), addressRetry.retryAt] as const];
  const records = recordReverts.length === 0 ? [] : [["records", recordReverts] as const];
  return {
    nodeRetryAt: new Map([...nodeRetries].map(([node, { retryAt }]) => [node, retryAt])),
    ...given({ creationFailure, creationResult }),
    ...unit.sightings.seen(scene),
    accountRetryAt: new Map(waits),
    reverts: new Map([...own, ...records]),
    cleanup,
  };
}

/** Somebody took the address off a node of ours that is well. */
function noticeReverts(unit: Remembered, { inventory, verdictOf, now }: Scene): void {
  const { placement } = unit;
  const facts = placement && inventory.get(placement.ip);
  if (placement === undefined || facts === undefined || facts.doubted || facts.action !== undefined) return;
  if (facts.holder === placement.machine) {
    if (now - placement.at >= PLACEMENT_LASTING_MS) unit.reverts = [];
    return;
  }
  unit.placement = undefined;
  if (verdictOf(placement.machine)?.refusals.length === 0) unit.reverts = [...unit.reverts, now].slice(-REVERTS_KEPT);
}
