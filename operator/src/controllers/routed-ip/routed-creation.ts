/** Records the end of a RoutedIP's creation: in the status, in an annotation, in this process. */

import { familyOf } from "cdk8s-flipop/api";
import {
  annotationsAfter,
  type CreatedFacts,
  type CreationResult,
  recordResult,
} from "../../addresses/creation/creation-result.js";
import { ownAnnotationPatch, statusPatch } from "../../kube/patch.js";
import { errorText } from "../../logging.js";
import { addedBy, isOnRecord } from "./known-creation.js";
import type { RoutedObject } from "./resource.js";
import type { PendingStatus, RoutedIPState } from "./resource-state.js";
import type { Routing } from "./routing.js";

/** Rejects as the API server does; until it takes the result, this process remembers it. */
export function recordCreation(resourceState: RoutedIPState, result: CreationResult): Promise<void> {
  return recordResult(resourceState, result, async () => {
    const patch = (object: RoutedObject) => statusPatch(object, { ...changeOf(object, result) });
    const written = await resourceState.writer.write({ patch, subresource: "status", fact: true });
    await checkInferred(resourceState, written, result);
    await dropCopy(resourceState, result.created);
  });
}

/** The same for an end that the provider has just reported: whoever asked goes on, and the write is tried again. */
export async function endCreation(
  routing: Routing,
  resourceState: RoutedIPState,
  result: CreationResult,
): Promise<void> {
  await recordCreation(resourceState, result).catch((error: unknown) => {
    const fields = { routedIP: resourceState.key, ip: result.created?.ip, error: errorText(error) };
    routing.context.logger.error(fields, resourceState.read() === undefined ? ORPHANED : KEPT);
  });
}

const KEPT =
  "Failed to record the end of a creation: this process knows it, serves the address and writes again; after a crash the address is looked for by its intent, and is never released";
const ORPHANED =
  "Failed to record the end of a creation: the resource is gone, and an address that was created stays with the account";

/** Takes the copy of the intent away, and notes what came of it. A fact, too. */
export async function dropCopy({ writer }: RoutedIPState, created?: CreatedFacts): Promise<void> {
  const patch = (object: RoutedObject) => ownAnnotationPatch(object, annotationsAfter(object.metadata, created));
  await writer.write({ patch, fact: true });
}

function changeOf({ status = {} }: RoutedObject, { startedAt, created }: CreationResult): PendingStatus {
  const isOther = status.pendingCreation !== undefined && status.pendingCreation.startedAt !== startedAt;
  const intent = isOther ? {} : { pendingCreation: undefined };
  return created === undefined ? intent : { ...intent, ...addedBy(status, created) };
}

/** An older CRD drops the mark. Without it the address would be released one day, so the record is taken back. */
async function checkInferred(
  resourceState: RoutedIPState,
  { status }: RoutedObject,
  { created }: CreationResult,
): Promise<void> {
  if (created === undefined || isOnRecord(status ?? {}, created)) return;
  const patch = (object: RoutedObject) => statusPatch(object, { created: undefined, routedIP: undefined });
  await resourceState.writer.write({ patch, subresource: "status", fact: true });
  throw new Error("the API server drops status.inferred: apply the CRDs of this release");
}

/** As others have to know it: a creation that runs, or whose answer was lost. */
export function noteCreation({ context: { creations, clock } }: Routing, resourceState: RoutedIPState): void {
  const { creating: running } = resourceState;
  const routed = resourceState.read()?.routed;
  const intent = routed?.status.pendingCreation;
  if (routed === undefined || intent === undefined) {
    if (!running) creations.end(resourceState.ref.uid);
    return;
  }
  const { provider, providerID, startedAt } = intent;
  const family = familyOf(routed.spec.routedIP ?? "");
  creations.set({
    ...{ resource: resourceState.ref, provider, family, running, account: resourceState.inventory },
    startedAt: Math.min(Date.parse(startedAt), clock.now()),
    ...(providerID === undefined ? {} : { node: providerID }),
  });
}
