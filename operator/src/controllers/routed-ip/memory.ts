/** One RoutedIP in this process: what it remembers beside its status, and how the plan reads it. Losing it costs time, never an address. */

import { canonicalIp, type RoutedIPStatus } from "cdk8s-flipop/api";
import type { AddressAccount } from "../../addresses/accounts/address-account.js";
import { CREATION } from "../../addresses/actions.js";
import type { AddressMemory, CreationFailure } from "../../addresses/address-set.js";
import { ListObservations } from "../../addresses/creation/creation-registry.js";
import type { CreationResult } from "../../addresses/creation/creation-result.js";
import { listSeconds } from "../../addresses/requeue-at.js";
import { disputeAfter, TakenAddresses } from "../../addresses/undone-writes.js";
import type { ResourceHealth } from "../../health/resource-health.js";
import type { Reservation } from "../../inventory/view.js";
import type { Problem } from "../../messages/message.js";
import { StateSeries } from "../../metrics/registry.js";
import type { ProviderId } from "../../providers/types.js";
import type { ActionCall } from "../../reconcile/kind.js";
import type { ActionResult } from "../../reconcile/plan.js";
import type { ResourceState } from "../../reconcile/resource-state.js";
import type { RetryState } from "../../reconcile/retries.js";
import type { RoutedIP, RoutedObject, RoutedRead } from "../../routing/read-resources.js";
import { MOVE_MAX_AGE_SECONDS } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import type { Action } from "./actions.js";
import { withResult } from "./address/address-set.js";
import type { JobAction } from "./jobs/actions.js";
import type { ServiceFollower } from "./service-follower.js";
import type { Gathered, IssuedGathered, Move, Snapshot } from "./snapshot.js";
import type { RoutedPlan } from "./update/sequences.js";

export const KIND = "RoutedIP";
export const PLURAL = "routedips";

/** The types of this kind, for the engine. */
export interface RoutedKind {
  readonly object: RoutedObject;
  readonly resource: RoutedRead;
  readonly snapshot: Gathered;
  readonly action: Action | JobAction;
  readonly plan: RoutedPlan;
  readonly memory: RoutedMemory;
}

export type OfKind<K extends RoutedKind["action"]["do"]> = Extract<RoutedKind["action"], { readonly do: K }>;

/** A call for a RoutedIP that the operator serves itself. */
export type IssuedCall = ActionCall<RoutedKind> & { readonly snapshot: IssuedGathered };

export type RoutedResult = ActionResult<RoutedKind["action"]>;

export type RoutedState = ResourceState<RoutedKind>;

export interface RoutedMemory {
  readonly follower: ServiceFollower;
  /** Absent: the operator runs without feature healthchecks. */
  readonly health?: ResourceHealth;
  readonly stateSeries: StateSeries;
  readonly listObservations: ListObservations;
  /** What others may know of its creation counts from here on. */
  readonly onCreationResult: () => void;
  creationResult: CreationResult | undefined;
  creationFailure: CreationFailure | undefined;
  /** `announced`: others know that it is about to create an address. `called`: the call may be on its way. */
  creating: "announced" | "called" | undefined;
  /** The next check of a running action, by the action's id; monotonic ms. */
  poll: { readonly id: string; readonly attempts: number; readonly nextAt: number } | undefined;
  reservation: Reservation | undefined;
  /** Under way: asked for by this process, and its end not seen yet. */
  move: Move | undefined;
  placement: { readonly ip: string; readonly machine: ProviderId; readonly at: number } | undefined;
  /** When somebody else took the address away from where the operator had put it, ms since the epoch. */
  reverts: { readonly ip: string; readonly times: readonly number[] } | undefined;
  readonly taken: TakenAddresses;
  /** Addresses whose releases were answered, until they are forgotten. */
  readonly released: Set<string>;
  /** @default false */
  needsFreshList?: boolean;
  /** That its address is in. */
  account: AddressAccount | undefined;
  /** Where the class works by Jobs: the last Job failed. */
  job: JobMemory;
}

export interface JobMemory {
  readonly retry?: RetryState;
  readonly failure?: Problem;
}

export function newMemory(
  follower: ServiceFollower,
  onCreationResult: () => void,
  health?: ResourceHealth,
): RoutedMemory {
  return {
    ...omitUndefined({ health }),
    ...{ follower, onCreationResult, stateSeries: new StateSeries(), listObservations: new ListObservations() },
    ...{ creationResult: undefined, creationFailure: undefined, creating: undefined, poll: undefined },
    ...{ reservation: undefined, move: undefined, placement: undefined, reverts: undefined, account: undefined },
    ...{ job: {}, taken: new TakenAddresses(), released: new Set() },
  };
}

/** The newest version that is known, with what no status shows of a creation yet; `undefined`: it is gone. */
export function readOf(state: Pick<RoutedState, "read" | "memory">): RoutedRead | undefined {
  const read = state.read();
  return read && withResult(read, state.memory.creationResult);
}

/** The node is not kept for the move any longer: the move has ended, or was not begun. */
export function endMove(memory: Pick<RoutedMemory, "reservation" | "move">): void {
  memory.reservation?.release();
  memory.reservation = undefined;
  memory.move = undefined;
}

export interface Scene extends Pick<Snapshot, "inventory" | "verdictOf" | "now"> {
  /** At `now`. */
  readonly monotonic: number;
  readonly status?: RoutedIPStatus;
}

interface Remembered extends Pick<RoutedState, "cleanup"> {
  readonly retries: Pick<
    RoutedState["retries"],
    "get" | "machineRetryAt" | "machineFailedAt" | "machineProblems" | "accountRetryAt" | "refusedWrites"
  >;
  readonly memory: Pick<
    RoutedMemory,
    "creationFailure" | "creationResult" | "reverts" | "placement" | "listObservations" | "taken" | "released"
  >;
}

/** @param recordReverts of the record set */
export function memoryOf(
  { memory, cleanup, retries }: Remembered,
  scene: Scene,
  recordReverts: readonly number[] = [],
): AddressMemory {
  noticeReverts(memory, scene);
  const { creationResult, reverts, released } = memory;
  // Over as soon as the creation may be tried again: its account has recovered, or a person has edited the spec.
  const creationFailure = retries.get(CREATION) === undefined ? undefined : memory.creationFailure;
  const records = recordReverts.length === 0 ? [] : [["records", recordReverts] as const];
  const own = reverts === undefined ? [] : [[reverts.ip, reverts.times] as const];
  return {
    nodeRetryAt: retries.machineRetryAt(scene.now),
    nodeFailedAt: retries.machineFailedAt(scene.now),
    nodeProblems: retries.machineProblems(),
    released,
    ...omitUndefined({ creationFailure, creationResult }),
    ...memory.listObservations.seen(scene),
    accountRetryAt: retries.accountRetryAt(),
    refusedWrites: retries.refusedWrites(),
    reverts: new Map([...own, ...records]),
    taken: memory.taken.look({ ...scene, addresses: activeOf(scene.status) }),
    cleanup,
  };
}

function activeOf({ routedIP, state, providerID }: RoutedIPStatus = {}) {
  if (!routedIP) return [];
  return [{ ip: canonicalIp(routedIP), was: state === "active" ? providerID : undefined }];
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

/** How old the list of the account may be. */
export function listSecondsOf({ memory }: RoutedState, { status }: RoutedIP): number {
  return memory.needsFreshList === true ? MOVE_MAX_AGE_SECONDS : listSeconds(status.conditions, false);
}
