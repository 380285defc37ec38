/** Records the end of a RoutedIP's creation: in the status, in an annotation, in this process. */

import { familyOf } from "cdk8s-flipop/api";
import { ownAnnotationPatch, statusPatch } from "../../kube/patch.js";
import { errorText } from "../../logging.js";
import {
  annotationsAfter,
  type CreatedFacts,
  type CreationResult,
  recordResult,
} from "../addresses/creation-result.js";
import { addedBy, isOnRecord } from "./known-creation.js";
import type { RoutedObject } from "./resource.js";
import type { Routing } from "./routing.js";
import type { Overlay, RoutedUnit } from "./unit.js";

/** Rejects as the API server does; until it takes the result, this process remembers it. */
export function recordCreation(unit: RoutedUnit, result: CreationResult): Promise<void> {
  return recordResult(unit, result, async () => {
    const patch = (object: RoutedObject) => statusPatch(object, { ...changeOf(object, result) });
    const written = await unit.writer.write({ patch, subresource: "status", fact: true });
    await checkInferred(unit, written, result);
    await dropCopy(unit, result.created);
  });
}

/** The same for an end that the provider has just reported: whoever asked goes on, and the write is tried again. */
export async function endCreation(routing: Routing, unit: RoutedUnit, result: CreationResult): Promise<void> {
  await recordCreation(unit, result).catch((error: unknown) => {
    const fields = { routedIP: unit.key, ip: result.created?.ip, error: errorText(error) };
    routing.context.logger.error(fields, unit.read() === undefined ? ORPHANED : KEPT);
  });
}

const KEPT =
  "Failed to record the end of a creation: this process knows it, serves the address and writes again; after a crash the address is looked for by its intent, and is never released";
const ORPHANED =
  "Failed to record the end of a creation: the resource is gone, and an address that was created stays with the account";

/** Takes the copy of the intent away, and notes what came of it. A fact, too. */
export async function dropCopy({ writer }: RoutedUnit, created?: CreatedFacts): Promise<void> {
  const patch = (object: RoutedObject) => ownAnnotationPatch(object, annotationsAfter(object.metadata, created));
  await writer.write({ patch, fact: true });
}

function changeOf({ status = {} }: RoutedObject, { startedAt, created }: CreationResult): Overlay {
  const isOther = status.pendingCreation !== undefined && status.pendingCreation.startedAt !== startedAt;
  const intent = isOther ? {} : { pendingCreation: undefined };
  return created === undefined ? intent : { ...intent, ...addedBy(status, created) };
}

/** An older CRD drops the mark. Without it the address would be released one day, so the record is taken back. */
async function checkInferred(unit: RoutedUnit, { status }: RoutedObject, { created }: CreationResult): Promise<void> {
  if (created === undefined || isOnRecord(status ?? {}, created)) return;
  const patch = (object: RoutedObject) => statusPatch(object, { created: undefined, routedIP: undefined });
  await unit.writer.write({ patch, subresource: "status", fact: true });
  throw new Error("the API server drops status.inferred: apply the CRDs of this release");
}

/** As others have to know it: a creation that runs, or whose answer was lost. */
export function noteCreation({ context: { creations, clock } }: Routing, unit: RoutedUnit): void {
  const { creating: running } = unit;
  const routed = unit.read()?.routed;
  const intent = routed?.status.pendingCreation;
  if (routed === undefined || intent === undefined) {
    if (!running) creations.end(unit.ref.uid);
    return;
  }
  const { provider, providerID, startedAt } = intent;
  const family = familyOf(routed.spec.routedIP ?? "");
  creations.set({
    ...{ resource: unit.ref, provider, family, running, account: unit.inventory },
    startedAt: Math.min(Date.parse(startedAt), clock.now()),
    ...(providerID === undefined ? {} : { node: providerID }),
  });
}
