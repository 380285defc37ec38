/** Records the end of a RoutedIP's creation. */

import type { RoutedIPStatus } from "cdk8s-flipop/api";
import type { CreationResult } from "../../addresses/creation/creation-result.js";
import {
  type CreationHolder,
  dropCopy as dropAnyCopy,
  endCreation as endAnyCreation,
  noteCreation as noteAnyCreation,
  recordCreation as recordAnyCreation,
} from "../../addresses/creation/record-creation.js";
import type { Routing } from "../../routing/routing.js";
import { CREATION_FIELDS } from "./creation-fields.js";
import type { RoutedIPState } from "./resource-state.js";

/** Rejects as the API server does; until it takes the result, this process remembers it. */
export function recordCreation(resourceState: RoutedIPState, result: CreationResult): Promise<void> {
  return recordAnyCreation(CREATION_FIELDS, holderOf(resourceState), result);
}

export function endCreation(
  { context: { logger } }: Routing,
  resourceState: RoutedIPState,
  result: CreationResult,
): Promise<void> {
  return endAnyCreation(CREATION_FIELDS, holderOf(resourceState), { result, logger });
}

export function noteCreation({ context }: Routing, resourceState: RoutedIPState): void {
  const { ref: resource, creating: running, inventory: account } = resourceState;
  noteAnyCreation(context, { resource, running, account }, resourceState.read()?.routed.status.pendingCreation);
}

/** Takes the copy of the intent away. */
export function dropCopy(resourceState: RoutedIPState): Promise<void> {
  return dropAnyCopy(holderOf(resourceState));
}

function holderOf(resourceState: RoutedIPState): CreationHolder<RoutedIPStatus> {
  return {
    ref: resourceState.ref,
    memory: resourceState,
    write: (write) => resourceState.writer.write(write),
    read: () => resourceState.read(),
  };
}
