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
import type { ControllerContext } from "../context.js";
import { CREATION_FIELDS } from "./creation-fields.js";
import type { PoolState } from "./resource-state.js";
import type { Tools } from "./tools.js";

/** Rejects as the API server does; until it takes the result, this process remembers it. */
export function recordCreation({ resourceState }: Pick<Tools, "resourceState">, result: CreationResult): Promise<void> {
  return recordAnyCreation(fieldsOf(resourceState), resourceState, result);
}

export function endCreation(
  { resourceState, context: { logger } }: Pick<Tools, "resourceState" | "context">,
  result: CreationResult,
): Promise<void> {
  return endAnyCreation(fieldsOf(resourceState), resourceState, { result, logger });
}

export function noteCreation(context: ControllerContext, resourceState: PoolState): void {
  const intent = resourceState.read()?.pool.status.pendingCreation;
  const found = intent && context.accounts.find(intent.provider, intent.family);
  const account = found instanceof AddressAccount ? found.inventory : undefined;
  const running = resourceState.inFlight.has(CREATION);
  noteAnyCreation(context, { resource: resourceState.ref, running, account }, intent);
}

function fieldsOf(resourceState: PoolState): CreationFields<FloatingIPPoolStatus> {
  const onMarkDropped = () => {
    resourceState.crdTooOld = true;
  };
  return { ...CREATION_FIELDS, onMarkDropped };
}
