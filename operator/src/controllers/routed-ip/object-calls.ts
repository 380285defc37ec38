/** Actions on the RoutedIP itself, and on its DNS records. */

import { Annotation, Finalizer, type PendingCreation } from "cdk8s-flipop/api";
import { DONE, type Outcome, skipped } from "../../addresses/calls/outcomes.js";
import { intentText } from "../../addresses/creation/creation-result.js";
import { finalizerPatch, ownAnnotationPatch, type Patch, statusPatch } from "../../kube/write/patch.js";
import type { ActionCall } from "../../reconcile/kind.js";
import type { RoutedObject } from "../../routing/resource.js";
import type { Of } from "./actions.js";
import { previousStatus, recordedStatus } from "./address/address-status.js";
import { endCreation } from "./address/routed-creation.js";
import { sharedFirewall } from "./firewall/firewall-calls.js";
import type { GatherTools } from "./gather.js";
import type { IssuedCall, OfKind, RoutedKind, RoutedState } from "./routed-state.js";
import type { StatusChange } from "./status.js";

export async function callRecords(
  _tools: GatherTools,
  { snapshot: { dns, dnsService }, context }: IssuedCall,
  action: Of<"read-records" | "apply-records">,
): Promise<Outcome> {
  if (dns === undefined) return skipped("there is no record set any more");
  await dnsService.carryOut(dns, action, context);
  return DONE;
}

/** In force before it is written: others see it at once. */
export function recordFirewall(
  { routing }: GatherTools,
  { state, snapshot }: IssuedCall,
  { name, recorded, previous }: Of<"record-firewall">,
): Promise<Outcome> {
  sharedFirewall(routing, snapshot, name)?.record(state.ref.uid, recorded);
  const { status } = snapshot.snapshot.routed;
  return keep(
    state,
    previous === true ? previousStatus(status, name, recorded) : recordedStatus(status, name, recorded),
  );
}

type MetadataAction = OfKind<
  "add-finalizer" | "remove-finalizer" | "annotate-pool" | "annotate" | "clear-forget-creation"
>;

export async function patchMetadata(
  { state, signal }: ActionCall<RoutedKind>,
  action: MetadataAction,
): Promise<Outcome> {
  await state.write({ patch: (object) => metadataPatch(object, action), signal });
  return DONE;
}

function metadataPatch(object: RoutedObject, action: MetadataAction): Patch | undefined {
  switch (action.do) {
    case "add-finalizer":
      return finalizerPatch(object, Finalizer.cleanup, true);
    case "remove-finalizer":
      return finalizerPatch(object, Finalizer.cleanup, false);
    case "annotate":
    case "annotate-pool":
      return ownAnnotationPatch(object, { [Annotation.createdIps]: action.value });
    case "clear-forget-creation":
      return ownAnnotationPatch(object, { [Annotation.forgetCreation]: undefined });
  }
}

/** A fact that must not get lost. */
export async function keep(state: RoutedState, change: StatusChange): Promise<Outcome> {
  // Not ended by a shutdown: it takes one call, and says what has already happened.
  await state.write({ patch: (object) => statusPatch(object, { ...change }), subresource: "status", fact: true });
  return DONE;
}

/** On the version that the plan was made of, or the plan may be wrong by now. */
export async function recordIntent(
  tools: GatherTools,
  call: IssuedCall,
  { intent }: Of<"record-intent">,
): Promise<Outcome> {
  const { state, snapshot, signal } = call;
  const planned = snapshot.snapshot.routed.metadata;
  const now = state.object()?.metadata;
  if (now === undefined || now.generation !== planned.generation || now.deletionTimestamp !== undefined) {
    return skipped("the RoutedIP was edited meanwhile");
  }
  state.memory.creating = "called";
  const patch = (object: RoutedObject) => statusPatch(object, { pendingCreation: intent });
  const answer = await state.write({ patch, subresource: "status", signal });
  if (answer.status?.pendingCreation?.startedAt === intent.startedAt) return copyIntent(tools, call, intent);
  state.memory.intentDroppedAt = tools.routing.context.clock.monotonic();
  const message = "the API server drops status.pendingCreation: apply the CRDs of this release";
  return { is: "refused", failure: { kind: "Terminal", problem: { reason: "CRDTooOld", message } } };
}

/** Beside the status, which may get lost: then nothing else knows that an address may have been created. */
async function copyIntent(
  { routing }: GatherTools,
  { state, signal }: IssuedCall,
  intent: PendingCreation,
): Promise<Outcome> {
  const copy = { [Annotation.pendingCreation]: intentText(intent) };
  try {
    await state.write({ patch: (object) => ownAnnotationPatch(object, copy), fact: true, signal });
    return DONE;
  } catch (error) {
    await endCreation(routing, state, { startedAt: intent.startedAt });
    throw error;
  }
}
