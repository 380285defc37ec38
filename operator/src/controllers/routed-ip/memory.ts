/** What this process remembers of a RoutedIP, as the plan reads it. */

import { canonicalIp } from "cdk8s-flipop/api";
import type { AddressMemory } from "../../addresses/address-set.js";
import { withoutOld } from "../../addresses/contested.js";
import { CREATION } from "../../addresses/lock-key.js";
import { PLACEMENT_LASTING_MS, REVERTS_KEPT } from "../../bounds.js";
import { omitUndefined } from "../../omit-undefined.js";
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

/** Somebody took the address off a node of ours that is well. */
function noticeReverts(memory: Remembered["memory"], { inventory, verdictOf, now }: Scene): void {
  memory.reverts = stillCounting(memory.reverts, now);
  const { placement, reverts } = memory;
  const facts = placement && inventory.get(placement.ip);
  if (placement === undefined || facts === undefined || facts.unconfirmed || facts.action !== undefined) return;
  if (facts.holder === placement.machine) {
    if (now - placement.at >= PLACEMENT_LASTING_MS) memory.reverts = undefined;
    return;
  }
  memory.placement = undefined;
  if (verdictOf(placement.machine)?.refusals.length === 0) memory.reverts = oneMore(reverts, placement.ip, now);
}

/** A dispute that nobody renews ends, also where the operator has no reason to place the address again. */
function stillCounting(reverts: RoutedMemory["reverts"], now: number): RoutedMemory["reverts"] {
  const times = withoutOld(reverts?.times, now);
  return reverts === undefined || times.length === 0 ? undefined : { ...reverts, times };
}

function oneMore(reverts: RoutedMemory["reverts"], ip: string, now: number): RoutedMemory["reverts"] {
  const before = reverts?.ip === canonicalIp(ip) ? reverts.times : [];
  return { ip: canonicalIp(ip), times: [...before, now].slice(-REVERTS_KEPT) };
}
