/** Records the end of a pool's creation. */

import type { FloatingIPPoolStatus } from "cdk8s-flipop/api";
import { AddressAccount } from "../../addresses/address-accounts.js";
import type { CreationResult } from "../../addresses/creation/creation-result.js";
import {
  type CreationFields,
  endCreation as endAnyCreation,
  noteCreation as noteAnyCreation,
  recordCreation as recordAnyCreation,
} from "../../addresses/creation/record-creation.js";
import { CREATION } from "../../addresses/lock-key.js";
import type { Clock } from "../../clock.js";
import type { ControllerContext } from "../context.js";
import { knownPool, type PoolState } from "./resource.js";
import { CREATION_FIELDS, type Gathered, type Pool } from "./snapshot.js";

interface Clocked {
  readonly clock: Pick<Clock, "monotonic">;
}

/** Rejects as the API server does; until it takes the result, this process remembers it. */
export function recordCreation(context: Clocked, state: PoolState, result: CreationResult): Promise<void> {
  return recordAnyCreation(fieldsOf(context, state), state, result);
}

export function endCreation(
  context: Clocked & Pick<ControllerContext, "logger">,
  state: PoolState,
  result: CreationResult,
): Promise<void> {
  return endAnyCreation(fieldsOf(context, state), state, { result, logger: context.logger });
}

/** The server dropped a field: nothing is created until a whole status is kept. */
export function noteOlderCrd({ clock }: Clocked, { statusWrites }: PoolState): void {
  statusWrites.droppedAt = clock.monotonic();
}

export function noteCreation(context: ControllerContext, state: PoolState): void {
  const intent = knownPool(state)?.pool.status.pendingCreation;
  const found = intent && context.accounts.find(intent.provider, intent.family);
  const account = found instanceof AddressAccount ? found.inventory : undefined;
  noteAnyCreation(context, { resource: state.ref, running: state.inFlight.has(CREATION), account }, intent);
}

/** As the creation book knows the pool. */
export function creationKey(
  { ref }: Pick<PoolState, "ref">,
  { spec }: Pool,
  { family, account }: Pick<Gathered, "family" | "account">,
) {
  return { resource: ref, provider: spec.provider, family, account: account?.inventory };
}

function fieldsOf(context: Clocked, state: PoolState): CreationFields<FloatingIPPoolStatus> {
  return { ...CREATION_FIELDS, onMarkDropped: () => noteOlderCrd(context, state) };
}
