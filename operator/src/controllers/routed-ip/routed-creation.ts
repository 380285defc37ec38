/** Records the end of a RoutedIP's creation. */

import type { CreationResult } from "../../addresses/creation/creation-result.js";
import {
  endCreation as endAnyCreation,
  noteCreation as noteAnyCreation,
  recordCreation as recordAnyCreation,
} from "../../addresses/creation/record-creation.js";
import type { Routing } from "../../routing/routing.js";
import { CREATION_FIELDS } from "./creation-fields.js";
import type { RoutedIPState } from "./resource-state.js";

/** Rejects as the API server does; until it takes the result, this process remembers it. */
export function recordCreation(resourceState: RoutedIPState, result: CreationResult): Promise<void> {
  return recordAnyCreation(CREATION_FIELDS, resourceState, result);
}

export function endCreation(
  { context: { logger } }: Routing,
  resourceState: RoutedIPState,
  result: CreationResult,
): Promise<void> {
  return endAnyCreation(CREATION_FIELDS, resourceState, { result, logger });
}

export function noteCreation({ context }: Routing, resourceState: RoutedIPState): void {
  const { ref: resource, creating: running, inventory: account } = resourceState;
  noteAnyCreation(context, { resource, running, account }, resourceState.read()?.routed.status.pendingCreation);
}
