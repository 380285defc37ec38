/** Records the end of a RoutedIP's creation. */

import { DONE, type Outcome } from "../../../addresses/calls/outcomes.js";
import type { CreationResult } from "../../../addresses/creation/creation-result.js";
import {
  dropCopy as dropAnyCopy,
  endCreation as endAnyCreation,
  noteCreation as noteAnyCreation,
  recordCreation as recordAnyCreation,
} from "../../../addresses/creation/record-creation.js";
import type { Routing } from "../../../routing/routing.js";
import { type RoutedState, readOf } from "../routed-state.js";
import { CREATION_FIELDS } from "./creation-fields.js";

/** Rejects as the API server does; until it takes the result, this process remembers it. */
export async function recordCreation(state: RoutedState, result: CreationResult): Promise<Outcome> {
  await recordAnyCreation(CREATION_FIELDS, state, result);
  return DONE;
}

export function endCreation({ context: { logger } }: Routing, state: RoutedState, result: CreationResult) {
  return endAnyCreation(CREATION_FIELDS, state, { result, logger });
}

export async function dropCopy(state: RoutedState): Promise<Outcome> {
  await dropAnyCopy(state);
  return DONE;
}

export function noteCreation({ context }: Routing, state: RoutedState): void {
  const { ref: resource, memory } = state;
  const creation = { resource, running: memory.creating !== undefined, account: memory.account?.inventory };
  noteAnyCreation(context, creation, readOf(state)?.routed.status.pendingCreation);
}
