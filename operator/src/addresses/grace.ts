/** Step 3: which holders keep their address, though they do not match for the moment. */

import { type Grace, graceOf } from "../match/grace.js";
import { omitUndefined } from "../omit-undefined.js";
import { timeOf } from "../times.js";
import type { AddressSnapshot } from "./address-set.js";
import type { Holding } from "./observed.js";

export interface Placement extends Holding {
  /** `undefined`: no known holder, or the set may not judge it. */
  readonly grace: Grace | undefined;
}

export function placementsOf(snapshot: AddressSnapshot, observed: readonly Holding[]): readonly Placement[] {
  return observed.map((holding) => ({ ...holding, grace: graceFor(snapshot, holding) }));
}

/** Whether the holder keeps it and it is served there. */
export function isServed({ address, certainty, action, grace }: Placement): boolean {
  // An action of unknown outcome may never have begun: until a read shows its end, the holder serves.
  const leaving = certainty === "moving" && action?.id !== "";
  if (!isOurs({ address }) || !address.wanted || leaving) return false;
  return grace?.state === "matches" || grace?.state === "protected";
}

export function isOurs({ address }: Pick<Holding, "address">): boolean {
  return address.claim?.ours === true;
}

function graceFor(
  { now, set, leadsSince }: AddressSnapshot,
  { address, holder, verdict, was }: Holding,
): Grace | undefined {
  if (holder === undefined || !address.wanted) return undefined;
  const periodMs = set.gracePeriodSeconds * 1000;
  return graceOf({ verdict, memory: graceMemory(was, holder), periodMs, now, ...omitUndefined({ leadsSince }) });
}

/** What the status remembers is of its holder; while an address moves, of the one that it comes from. */
function graceMemory(was: Holding["was"], holder: string) {
  const { state, providerID, actionID } = was;
  // The goal of another party's action is unknown, so the status names the holder.
  const ofHolder =
    state === "in-progress"
      ? providerID !== holder || actionID === undefined
      : providerID === undefined || providerID === holder;
  const since = ofHolder ? timeOf(was.graceSince) : undefined;
  if (since === undefined) return {};
  return { since, over: was.state !== "active" };
}
