/** Step 2: where each address is, and how sure that is. */

import type { AddressStatus } from "cdk8s-flipop/api";
import { canonicalIp } from "cdk8s-flipop/api";
import { LOCKED_READ_SECONDS, SECOND_MS } from "../bounds.js";
import { hasEnded, type InventoryAddress, type InventoryView } from "../inventory/types.js";
import type { Verdict } from "../match/checks.js";
import type { ProviderId } from "../providers/types.js";
import type { AddressSnapshot } from "./address-set.js";
import type { Desired, DesiredAddress } from "./desired.js";

/**
 * `seen`: as the provider shows it. `doubted`: a read said otherwise, one more is needed. `moving`: an action runs on it.
 * `gone`: the provider says that it does not exist. `unread`: it was in no list and is still to be read alone.
 */
export type Certainty = "seen" | "doubted" | "moving" | "gone" | "unread";

export interface Holding {
  readonly address: DesiredAddress;
  readonly certainty: Certainty;
  /** The machine that holds it. */
  readonly holder: ProviderId | undefined;
  /** Of the holder; `undefined`: none, or no node of this cluster. */
  readonly verdict: Verdict | undefined;
  readonly facts: InventoryAddress | undefined;
  /** The action that runs: its id where it is known, and the holder once it is completed. */
  readonly action: { readonly id: string | undefined; readonly expected: ProviderId | undefined } | undefined;
  /** What the status says of it; empty where it says nothing. */
  readonly was: AddressStatus;
}

export function observedOf(snapshot: AddressSnapshot, { addresses }: Desired): readonly Holding[] {
  const statuses = new Map(Object.entries(snapshot.set.statuses).map(([ip, status]) => [canonicalIp(ip), status]));
  return addresses.map((address) => holdingOf(snapshot, address, statuses.get(address.ip) ?? {}));
}

function holdingOf({ inventory, verdictOf }: AddressSnapshot, address: DesiredAddress, was: AddressStatus): Holding {
  const facts = inventory.get(address.ip);
  const holder = facts?.holder;
  const action = facts === undefined ? undefined : runningAction(facts, was);
  return {
    address,
    certainty: facts === undefined ? (inventory.isGone(address.ip) ? "gone" : "unread") : certaintyOf(facts, action),
    holder,
    verdict: holder === undefined ? undefined : verdictOf(holder),
    facts,
    action,
    was,
  };
}

function certaintyOf(facts: InventoryAddress, action: Holding["action"]): Certainty {
  if (action !== undefined) return "moving";
  return facts.unconfirmed ? "doubted" : "seen";
}

/**
 * Not every API shows that an action runs: then the id in the status says it, until the holder is the expected one or
 * the inventory knows that the action ended elsewhere.
 */
function runningAction(facts: InventoryAddress, was: AddressStatus): Holding["action"] {
  const { action, holder, inFlight } = facts;
  if (inFlight !== undefined) return inFlight;
  const named = namedAction(was);
  const ours = named === undefined || hasEnded(facts, named) ? undefined : named;
  if (action !== undefined) return { id: action.id ?? ours?.id, expected: ours === undefined ? holder : ours.expected };
  return ours !== undefined && holder !== ours.expected ? ours : undefined;
}

function namedAction({ state, actionID, providerID }: AddressStatus) {
  if (actionID === undefined || (state !== "in-progress" && state !== "disabled")) return undefined;
  // A disabled address only ever leaves its node.
  return { id: actionID, expected: state === "disabled" ? undefined : providerID };
}

/** Whether it is time to read the address again. */
export function isLockedFor(address: InventoryAddress | undefined): boolean {
  return address !== undefined && isLocked(address) && address.ageSeconds >= LOCKED_READ_SECONDS;
}

/** ms until the first of them is to be read again; `undefined`: none is locked. */
export function lockedDueMs(view: InventoryView | undefined, ips: readonly string[]): number | undefined {
  const locked = ips.flatMap((ip) => view?.get(ip) ?? []).filter(isLocked);
  const waits = locked.map(({ ageSeconds }) => Math.max(0, LOCKED_READ_SECONDS - ageSeconds) * SECOND_MS);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** The operator polls its own actions. */
function isLocked({ action, inFlight }: InventoryAddress): boolean {
  return action !== undefined && action.id === undefined && inFlight === undefined;
}
