/** Where each address is and how certain this is; and which holders keep their address although they do not match now. */

import { type AddressStatus, canonicalIp } from "cdk8s-flipop/api";
import { timeOf } from "../clock.js";
import { hasEnded, type InventoryAddress, type InventoryView } from "../inventory/view.js";
import type { Verdict } from "../match/checks.js";
import { type Grace, graceOf } from "../match/grace.js";
import type { ProviderId } from "../providers/types.js";
import { ACTION_SECONDS, LOCKED_READ_SECONDS, SECOND_MS } from "../timings.js";
import { omitUndefined } from "../values.js";
import type { ActionChain, AddressAction } from "./actions.js";
import type { AddressSnapshot } from "./address-set.js";
import type { Desired, DesiredAddress } from "./desired-addresses.js";

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

/** Another resource has it. An undecided claim is none of this. */
export function isOfOther(placement: Pick<Holding, "address"> | undefined): boolean {
  return placement?.address.claim?.ours === false;
}

function graceFor({ now, set, leadsSince }: AddressSnapshot, holding: Holding): Grace | undefined {
  const { address, holder, verdict } = holding;
  if (holder === undefined || !address.wanted) return undefined;
  const periodMs = set.gracePeriodSeconds * 1000;
  return graceOf({ verdict, memory: graceMemory(holding), periodMs, now, ...omitUndefined({ leadsSince }) });
}

/**
 * What the status remembers is of its holder; while an address moves, of the one that it comes from. A move whose answer
 * was lost may have ended on the machine that the status names: the grace of its predecessor is none of its own.
 */
function graceMemory({ was, holder, certainty }: Holding) {
  const { state, providerID, actionID } = was;
  // The goal of another party's action is unknown, so the status names the holder while that action runs.
  const ofHolder =
    state === "in-progress"
      ? providerID !== holder || (actionID === undefined && certainty === "moving")
      : providerID === undefined || providerID === holder;
  const since = ofHolder ? timeOf(was.graceSince) : undefined;
  if (since === undefined) return {};
  return { since, over: was.state !== "active" };
}

/**
 * `seen`: as the provider shows it. `doubted`: a read said otherwise, one more is needed. `moving`: an action runs on it.
 * `gone`: the provider says that it does not exist. `unread`: it was in no list and is still to be read alone.
 */
type Certainty = "seen" | "doubted" | "moving" | "gone" | "unread";

interface Holding {
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
  return address !== undefined && isLocked(address) && untilRead(address) <= 0;
}

/** ms until the first of them is to be read again; `undefined`: none is locked. */
export function lockedDueMs(view: InventoryView | undefined, ips: readonly string[]): number | undefined {
  const locked = ips.flatMap((ip) => view?.get(ip) ?? []).filter(isLocked);
  const waits = locked.map((address) => Math.max(0, untilRead(address)) * SECOND_MS);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** A lock that lasts is read less often: the calls are those of all resources of the account. */
function untilRead({ ageSeconds, lockedSeconds = 0 }: InventoryAddress): number {
  const { first, longest } = LOCKED_READ_SECONDS;
  const lasted = lockedSeconds - ageSeconds;
  return Math.min(longest, Math.max(first, lasted / 4)) - ageSeconds;
}

/** An own action would have ended by then: only the provider can end what locks the address. `undefined`: it may end. */
export function lastingLock({
  facts,
  certainty,
}: Placement): { readonly seconds: number; readonly id?: string } | undefined {
  const { lockedSeconds = 0, ended } = facts ?? {};
  if (certainty !== "moving" || facts === undefined || !isLocked(facts) || lockedSeconds < ACTION_SECONDS)
    return undefined;
  return { seconds: lockedSeconds, ...(ended !== undefined && ended.id !== "" && { id: ended.id }) };
}

/** The operator polls its own actions. */
function isLocked({ action, inFlight }: InventoryAddress): boolean {
  return action !== undefined && action.id === undefined && inFlight === undefined;
}

type PollAction = Extract<AddressAction, { readonly do: "poll" }>;

/** Looks at each action that runs: another one on the same address waits for its end. */
export function pollChains(placements: readonly Placement[]): readonly ActionChain<PollAction>[] {
  return placements.filter(isOurs).flatMap((placement): readonly ActionChain<PollAction>[] => {
    const { action, address, holder: expected } = placement;
    const { ip } = address;
    if (action?.id !== undefined) {
      return [[{ do: "poll", ip, id: action.id, expected: action.expected, why: "an action runs on it" }]];
    }
    const id = arrivedBy(placement);
    if (id === undefined) return [];
    return [[{ do: "poll", ip, id, expected, arrived: true, why: "a read shows it on its node" }]];
  });
}

/** The action in the status whose end is not reported yet: a read showed it first, or a former process died meanwhile. */
function arrivedBy({ certainty, holder, was }: Placement): string | undefined {
  const shown = certainty === "seen" && was.state === "in-progress" && holder !== undefined;
  return shown && was.providerID === holder ? was.actionID : undefined;
}
