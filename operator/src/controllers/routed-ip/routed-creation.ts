/** Records the end of a RoutedIP's creation: in the status, in an annotation, in this process. */

import { familyOf } from "cdk8s-flipop/api";
import { DONE, type Outcome } from "../../addresses/calls/outcomes.js";
import {
  annotationsAfter,
  type CreatedFacts,
  type CreationResult,
  recordResult,
} from "../../addresses/creation/creation-result.js";
import { ownAnnotationPatch, statusPatch } from "../../kube/write/patch.js";
import { errorText } from "../../logging.js";
import { addedBy, isOnRecord } from "./known-creation.js";
import type { RoutedObject } from "./resource.js";
import { type RoutedState, readOf } from "./routed-state.js";
import type { Routing } from "./routing.js";
import type { StatusChange } from "./status.js";

/** Rejects as the API server does; until it takes the result, this process remembers it. */
export async function recordCreation(state: RoutedState, result: CreationResult): Promise<Outcome> {
  await recordResult(state.memory, result, async () => {
    const patch = (object: RoutedObject) => statusPatch(object, { ...changeOf(object, result) });
    const written = await state.write({ patch, subresource: "status", fact: true });
    await checkInferred(state, written, result);
    await dropCopy(state, result.created);
  });
  return DONE;
}

/** The same for an end that the provider has just reported: whoever asked goes on, and the write is tried again. */
export async function endCreation(routing: Routing, state: RoutedState, result: CreationResult): Promise<void> {
  await recordCreation(state, result).catch((error: unknown) => {
    const fields = { routedIP: state.key, ip: result.created?.ip, error: errorText(error) };
    routing.context.logger.error(fields, state.object() === undefined ? ORPHANED : KEPT);
  });
}

const KEPT =
  "Failed to record the end of a creation: this process knows it, serves the address and writes again; after a crash the address is looked for by its intent, and is never released";
const ORPHANED =
  "Failed to record the end of a creation: the resource is gone, and an address that was created stays with the account";

/** Takes the copy of the intent away, and notes what came of it. A fact, too. */
export async function dropCopy(state: RoutedState, created?: CreatedFacts): Promise<Outcome> {
  const patch = (object: RoutedObject) => ownAnnotationPatch(object, annotationsAfter(object.metadata, created));
  await state.write({ patch, fact: true });
  return DONE;
}

function changeOf({ status = {} }: RoutedObject, { startedAt, created }: CreationResult): StatusChange {
  const isOther = status.pendingCreation !== undefined && status.pendingCreation.startedAt !== startedAt;
  const intent = isOther ? {} : { pendingCreation: undefined };
  return created === undefined ? intent : { ...intent, ...addedBy(status, created) };
}

/** An older CRD drops the mark. Without it the address would be released one day, so the record is taken back. */
async function checkInferred(state: RoutedState, { status }: RoutedObject, { created }: CreationResult): Promise<void> {
  if (created === undefined || isOnRecord(status ?? {}, created)) return;
  const patch = (object: RoutedObject) => statusPatch(object, { created: undefined, routedIP: undefined });
  await state.write({ patch, subresource: "status", fact: true });
  throw new Error("the API server drops status.inferred: apply the CRDs of this release");
}

/** As others have to know it: a creation that runs, or whose answer was lost. */
export function noteCreation({ context: { creations, clock } }: Routing, state: RoutedState): void {
  const { ref, memory } = state;
  const running = memory.creating !== undefined;
  const routed = readOf(state)?.routed;
  const intent = routed?.status.pendingCreation;
  if (routed === undefined || intent === undefined) {
    if (!running) creations.end(ref.uid);
    return;
  }
  const { provider, providerID, startedAt } = intent;
  const family = familyOf(routed.spec.routedIP ?? "");
  creations.set({
    ...{ resource: ref, provider, family, running, account: memory.account?.inventory },
    startedAt: Math.min(Date.parse(startedAt), clock.now()),
    ...(providerID === undefined ? {} : { node: providerID }),
  });
}
