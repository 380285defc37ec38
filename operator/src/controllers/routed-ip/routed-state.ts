/** One RoutedIP in this process: what it remembers beside its status. Losing it costs time, never an address. */

import type { AddressAccount } from "../../addresses/address-accounts.js";
import type { CreationFailure } from "../../addresses/address-set.js";
import type { CreationResult } from "../../addresses/creation/creation-result.js";
import { ListObservations } from "../../addresses/creation/list-observations.js";
import type { Reservation } from "../../inventory/account-inventory.js";
import { StateSeries } from "../../metrics/series.js";
import type { ProviderId } from "../../providers/types.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import type { ActionCall } from "../../reconcile/kind.js";
import type { ActionResult } from "../../reconcile/plan.js";
import type { ResourceState } from "../../reconcile/resource-state.js";
import type { RetryState } from "../../reconcile/retries/retry-schedule.js";
import type { RoutedObject, RoutedRead } from "../../routing/resource.js";
import type { Action } from "./actions.js";
import { withResult } from "./address/creation-fields.js";
import type { Gathered, IssuedGathered, Move } from "./gathered.js";
import type { JobAction } from "./jobs/plan.js";
import type { ServiceFollower } from "./service/service-follower.js";
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
  readonly states: StateSeries;
  readonly listObservations: ListObservations;
  /** What others may know of its creation counts from here on. */
  readonly onResult: () => void;
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
  /** When the server last dropped the intent of a creation, monotonic ms. */
  intentDroppedAt: number;
  /** That its address is in. */
  account: AddressAccount | undefined;
  /** Where the class works by Jobs: the last Job failed. */
  job: JobMemory;
}

export interface JobMemory {
  readonly retry?: RetryState;
  readonly failure?: Problem;
}

export function newMemory(follower: ServiceFollower, onResult: () => void): RoutedMemory {
  return {
    ...{ follower, onResult, states: new StateSeries(), listObservations: new ListObservations() },
    ...{ creationResult: undefined, creationFailure: undefined, creating: undefined, poll: undefined },
    ...{ reservation: undefined, move: undefined, placement: undefined, reverts: undefined, account: undefined },
    ...{ intentDroppedAt: Number.NEGATIVE_INFINITY, job: {} },
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
