/** Actions on the RoutedIP itself, and on its DNS records. */

import { Annotation, Finalizer, type PendingCreation } from "cdk8s-flipop/api";
import { DONE, type Outcome, skipped } from "../../addresses/calls/outcomes.js";
import { intentText } from "../../addresses/creation/creation-result.js";
import { finalizerPatch, ownAnnotationPatch, statusPatch } from "../../kube/patch.js";
import type { RoutedObject } from "../../routing/resource.js";
import type { Action, AddressDo, FirewallDo, Of } from "./actions.js";
import { previousStatus, recordedStatus } from "./address-status.js";
import type { PendingStatus, RoutedIPState } from "./resource-state.js";
import { dropCopy, endCreation, recordCreation } from "./routed-creation.js";
import { contextOf, sharedFirewall, type Tools } from "./tools.js";

export type Written = Exclude<Action, Of<AddressDo | FirewallDo | "set-taints">>;

export async function write(tools: Tools, action: Written): Promise<Outcome> {
  const { gathered, resourceState, signal } = tools;
  if (isEndOfCreation(action)) return concludeCreation(resourceState, action);
  switch (action.do) {
    case "read-records":
    case "apply-records":
      if (gathered.dns === undefined) return skipped("there is no record set any more");
      await gathered.dnsService.carryOut(gathered.dns, action, contextOf(tools, action, "records"));
      return DONE;
    case "record-intent":
      return recordIntent(tools, action);
    case "forget-created":
      return keep(tools, { created: undefined, inferred: undefined, routedIP: undefined });
    case "record-dns":
      return keep(tools, { dns: action.written });
    case "record-firewall":
      return recordFirewall(tools, action);
    default:
      await resourceState.writer.write({ patch: (object) => metadataPatch(object, action), signal });
      return DONE;
  }
}

type EndOfCreation = Of<"settle-creation" | "record-creation" | "drop-intent-copy">;

function isEndOfCreation(action: Written): action is EndOfCreation {
  return ["settle-creation", "record-creation", "drop-intent-copy"].includes(action.do);
}

async function concludeCreation(resourceState: RoutedIPState, action: EndOfCreation): Promise<Outcome> {
  await (action.do === "drop-intent-copy" ? dropCopy(resourceState) : recordCreation(resourceState, action.result));
  return DONE;
}

/** In force before it is written: others see it at once. */
function recordFirewall(tools: Tools, { name, recorded, previous }: Of<"record-firewall">): Promise<Outcome> {
  const { resourceState, gathered } = tools;
  sharedFirewall(tools, name)?.record(resourceState.ref.uid, recorded);
  const { status } = gathered.snapshot.routed;
  return keep(
    tools,
    previous === true ? previousStatus(status, name, recorded) : recordedStatus(status, name, recorded),
  );
}

function metadataPatch(
  object: RoutedObject,
  action: Of<"add-finalizer" | "remove-finalizer" | "annotate-pool" | "clear-forget-creation">,
) {
  switch (action.do) {
    case "add-finalizer":
      return finalizerPatch(object, Finalizer.cleanup, true);
    case "remove-finalizer":
      return finalizerPatch(object, Finalizer.cleanup, false);
    case "annotate-pool":
      return ownAnnotationPatch(object, { [Annotation.createdIps]: action.value });
    case "clear-forget-creation":
      return ownAnnotationPatch(object, { [Annotation.forgetCreation]: undefined });
  }
}

/** A fact that must not get lost. */
export async function keep({ resourceState }: Tools, change: PendingStatus): Promise<Outcome> {
  // Not ended by a shutdown: it takes one call, and says what has already happened.
  await resourceState.writer.write({
    patch: (object) => statusPatch(object, { ...change }),
    subresource: "status",
    fact: true,
  });
  return DONE;
}

/** On the version that the plan was made of, or the plan may be wrong by now. */
async function recordIntent(
  { resourceState, gathered, signal, routing }: Tools,
  { intent }: Of<"record-intent">,
): Promise<Outcome> {
  const planned = gathered.snapshot.routed.metadata;
  const now = resourceState.read()?.routed.metadata;
  if (now === undefined || now.generation !== planned.generation || now.deletionTimestamp !== undefined) {
    return skipped("the RoutedIP was edited meanwhile");
  }
  const patch = (object: RoutedObject) => statusPatch(object, { pendingCreation: intent });
  const answer = await resourceState.writer.write({ patch, subresource: "status", signal });
  if (answer.status?.pendingCreation?.startedAt === intent.startedAt)
    return copyIntent({ resourceState, routing, signal }, intent);
  resourceState.droppedAt = routing.context.clock.monotonic();
  const message = "the API server drops status.pendingCreation: apply the CRDs of this release";
  return { is: "refused", failure: { kind: "Terminal", problem: { reason: "CRDTooOld", message } } };
}

/** Beside the status, which may get lost: then nothing else knows that an address may have been created. */
async function copyIntent(
  { resourceState, routing, signal }: Pick<Tools, "resourceState" | "routing" | "signal">,
  intent: PendingCreation,
): Promise<Outcome> {
  const copy = { [Annotation.pendingCreation]: intentText(intent) };
  try {
    await resourceState.writer.write({ patch: (object) => ownAnnotationPatch(object, copy), fact: true, signal });
    return DONE;
  } catch (error) {
    await endCreation(routing, resourceState, { startedAt: intent.startedAt });
    throw error;
  }
}
