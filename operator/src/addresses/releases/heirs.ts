/** A created address that its resource gives up, and another one lists: that one takes it over before it is forgotten here. */

import { type CreatedAddress, canonicalIp } from "cdk8s-flipop/api";
import type { Heirs } from "../../claims/heirs.js";
import type { Recheck } from "../../providers/call.js";
import type { ForgetAction, PassOnAction } from "../actions.js";
import type { AddressSet } from "../address-set.js";
import { type Outcome, skipped } from "../call-outcomes.js";
import type { Placement } from "../placements.js";
import { askedBy, isCertain } from "./releasable.js";

/**
 * Writes the entry into the status of its resource, unless a retained address would be released one day for it. Rejects as
 * the API server does.
 */
export type TakeOver = (given: Pick<PassOnAction, "entry" | "retained">) => Promise<Outcome>;

export async function carryOutPassOn(heirs: Heirs<TakeOver>, giver: string, action: PassOnAction): Promise<Outcome> {
  const takeOver = heirs.takerOf(giver, action.ip, action.heir.uid);
  return takeOver === undefined ? skipped("another resource gets the address by now") : takeOver(action);
}

interface Forgetting {
  /** Whether the decision still holds. */
  readonly recheck?: Recheck | undefined;
  readonly forget: () => Promise<Outcome>;
}

/** The resource that keeps the address may have given it up since the decision. */
export async function carryOutForget<T>(
  heirs: Heirs<T>,
  { ip, gone }: ForgetAction,
  { recheck, forget }: Forgetting,
): Promise<Outcome> {
  if (gone !== undefined) return forget();
  const because = recheck?.();
  if (because !== undefined) return { is: "superseded", because };
  return heirs.forgetAlone(ip, forget) ?? skipped("the other resource that has the address forgets it now");
}

/** One that may have been created by somebody else stays as it is: no status may say that it was created for another resource. */
export function passOn(set: AddressSet, placement: Placement, why: string): readonly PassOnAction[] {
  const [heir, entry] = [askedBy(placement), entryOf(set, placement.address.ip)];
  if (heir === undefined || entry === undefined || !isCertain(placement.address)) return [];
  const retained = set.reclaimPolicy === "Delete" ? {} : ({ retained: true } as const);
  return [{ do: "pass-on", ip: placement.address.ip, heir, entry, ...retained, why }];
}

export function entryOf({ createdIPs }: Pick<AddressSet, "createdIPs">, ip: string): CreatedAddress | undefined {
  return createdIPs.find((entry) => canonicalIp(entry.ip) === ip);
}
