/** What this process remembers of a RoutedIP, as the plan reads it. */

import { canonicalIp } from "cdk8s-flipop/api";
import type { AddressMemory } from "../../addresses/address-set.js";
import { disputeAfter } from "../../addresses/contested.js";
import { CREATION } from "../../addresses/lock-key.js";
import { omitUndefined } from "../../omit-undefined.js";
import type { ProviderId } from "../../providers/types.js";
import type { RoutedMemory, RoutedState } from "./routed-state.js";
import type { Snapshot } from "./snapshot.js";

export interface Scene extends Pick<Snapshot, "inventory" | "verdictOf" | "now"> {
  /** At `now`. */
  readonly monotonic: number;
}

interface Remembered extends Pick<RoutedState, "cleanup"> {
  readonly retries: Pick<RoutedState["retries"], "get" | "machineRetryAt" | "accountRetryAt">;
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
): AddressMemory {
  noticeReverts(memory, scene);
  const { creationResult, reverts } = memory;
  // Over as soon as the creation may be tried again: its account has recovered, or a person has edited the spec.
  const creationFailure = retries.get(CREATION) === undefined ? undefined : memory.creationFailure;
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

/** Somebody took the address off a node of ours that is well, or has ceased to. */
function noticeReverts(memory: Remembered["memory"], { inventory, verdictOf, now }: Scene): void {
  const { placement, reverts } = memory;
  const named = placement?.ip ?? reverts?.ip;
  if (named === undefined) return;
  const ip = canonicalIp(named);
  const isFit = (machine: ProviderId) => verdictOf(machine)?.refusals.length === 0;
  const before = { placement, reverts: reverts?.ip === ip ? reverts.times : [] };
  const after = disputeAfter(before, { facts: inventory.get(ip), isFit, now });
  if (after.placement === undefined) memory.placement = undefined;
  memory.reverts = after.reverts.length === 0 ? undefined : { ip, times: after.reverts };
}
