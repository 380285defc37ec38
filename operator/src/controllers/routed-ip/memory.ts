/** What this process remembers of a RoutedIP, as the plan reads it. */

import { canonicalIp } from "cdk8s-flipop/api";
import { withoutOld } from "../../addresses/contested.js";
import { PLACEMENT_LASTING_MS, REVERTS_KEPT } from "../../bounds.js";
import { omitUndefined } from "../../omit-undefined.js";
import type { PoolMemory } from "../floating-ip-pool/snapshot.js";
import type { RoutedMemory, RoutedState } from "./routed-state.js";
import type { Snapshot } from "./snapshot.js";

export interface Scene extends Pick<Snapshot, "inventory" | "verdictOf" | "now"> {
  /** At `now`. */
  readonly monotonic: number;
}

interface Remembered extends Pick<RoutedState, "cleanup"> {
  readonly retries: Pick<RoutedState["retries"], "machineRetryAt" | "accountRetryAt">;
  readonly memory: Pick<
    RoutedMemory,
    "creationFailure" | "creationResult" | "reverts" | "placement" | "listObservations"
  >;
}

/** @param recordReverts of the record set */
export function memoryOf(
  { memory, cleanup, retries }: Remembered,
  scene: Scene,
  recordReverts: readonly number[] = [],
): PoolMemory {
  noticeReverts(memory, scene);
  const { creationFailure, creationResult, reverts } = memory;
  const records = recordReverts.length === 0 ? [] : [["records", recordReverts] as const];
  const own = reverts === undefined ? [] : [[reverts.ip, reverts.times] as const];
  return {
    nodeRetryAt: retries.machineRetryAt(scene.now),
    ...omitUndefined({ creationFailure, creationResult }),
    ...memory.listObservations.seen(scene),
    accountRetryAt: retries.accountRetryAt(),
    reverts: new Map([...own, ...records]),
    cleanup,
  };
}

/** Somebody took the address off a node of ours that is well. */
function noticeReverts(memory: Remembered["memory"], { inventory, verdictOf, now }: Scene): void {
  const times = withoutOld(memory.reverts?.times, now);
  memory.reverts = memory.reverts && times.length > 0 ? { ...memory.reverts, times } : undefined;
  const { placement } = memory;
  const facts = placement && inventory.get(placement.ip);
  if (placement === undefined || facts === undefined || facts.unconfirmed || facts.action !== undefined) return;
  const ip = canonicalIp(placement.ip);
  if (facts.holder === placement.machine) {
    if (now - placement.at >= PLACEMENT_LASTING_MS) memory.reverts = undefined;
    return;
  }
  memory.placement = undefined;
  if (verdictOf(placement.machine)?.refusals.length !== 0) return;
  const before = memory.reverts?.ip === ip ? memory.reverts.times : [];
  memory.reverts = { ip, times: [...before, now].slice(-REVERTS_KEPT) };
}
