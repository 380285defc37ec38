/**
 * Writes to Kubernetes: to the RoutedIP itself, and to the class or issuer that records retained addresses; and the calls for its
 * DNS records.
 */

import { Annotation, Finalizer } from "cdk8s-flipop/api";
import { DONE, type Outcome, outcomeOfRecords, skipped } from "../../addresses/call-outcomes.js";
import {
  dropCopy as dropAnyCopy,
  endCreation as endAnyCreation,
  isEdited,
  noteCreation as noteAnyCreation,
  recordCreation as recordAnyCreation,
  recordIntent as recordAnyIntent,
} from "../../addresses/creation/create-address.js";
import type { CreationResult } from "../../addresses/creation/creation-result.js";
import { carryOutForget } from "../../addresses/releases/heirs.js";
import { finalizerPatch, ownAnnotationPatch, type Patch, statusPatch } from "../../kube/write/patch.js";
import type { Problem } from "../../messages/message.js";
import { serverMessages } from "../../messages/provider.js";
import type { ActionCall } from "../../reconcile/kind.js";
import { dnsFields } from "../../records/resolver-caches.js";
import { withRecords } from "../../records/retained-records.js";
import { withRetained } from "../../routing/address-and-name-access.js";
import { withParts } from "../../routing/firewalls/retained-parts.js";
import type { ClassObject, IssuerObject, RoutedObject } from "../../routing/read-resources.js";
import type { RoutingCaches } from "../../routing/shared-caches.js";
import type { Of, RetainAction } from "./actions.js";
import { CREATION_FIELDS } from "./address/address-set.js";
import type { GatherTools } from "./gather.js";
import { type IssuedCall, type OfKind, type RoutedKind, type RoutedState, readOf } from "./memory.js";
import type { Gathered } from "./snapshot.js";
import { previousStatus, recordedStatus } from "./status.js";
import type { StatusChange } from "./update/sequences.js";

export async function callRecords(
  { snapshot, context }: ActionCall<RoutedKind>,
  action: Of<"read-records" | "apply-records">,
): Promise<Outcome> {
  const { dns, dnsService } = snapshot;
  if (dns === undefined) return skipped("there is no record set any more");
  const problem =
    dns.sets[action.which] === undefined ? tokenProblem(snapshot, dns.providers[action.which]) : undefined;
  if (problem !== undefined) return { is: "refused", failure: { kind: "Terminal", problem } };
  return outcomeOfRecords(dnsService.carryOut(dns, action, context));
}

/** Why the token of the issuer is missing. `undefined`: records of this provider go by the operator's. */
function tokenProblem(gathered: Gathered, provider: string): Problem | undefined {
  if (gathered.by !== "issuer" || gathered.account !== undefined) return undefined;
  const { resolvedClass, problem } = gathered.snapshot;
  return resolvedClass?.provider === provider ? problem : undefined;
}

/** Others see it since the start of the sequence: see `shareWrites`. */
export async function recordFirewall(
  _tools: GatherTools,
  { state, snapshot }: IssuedCall,
  { name, recorded, previous }: Of<"record-firewall">,
): Promise<Outcome> {
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

export async function keep(state: RoutedState, change: StatusChange): Promise<Outcome> {
  await state.keep(() => ({ ...change }));
  return DONE;
}

export function forgetCreated(
  { routing: { context } }: GatherTools,
  state: RoutedState,
  action: Of<"forget-created">,
): Promise<Outcome> {
  const forget = () => keep(state, { created: undefined, inferred: undefined, routedIP: undefined });
  return carryOutForget(context.heirs, action, { forget });
}

export function recordDns(
  { routing }: GatherTools,
  { state, snapshot }: ActionCall<RoutedKind>,
  action: Of<"record-dns">,
): Promise<Outcome> {
  const { recordsCachedUntil: cachedUntil } = snapshot.snapshot.routed.status;
  return keep(state, dnsFields(action, { now: routing.context.clock.now(), cachedUntil }));
}

/** On the version that the plan was made of, or the plan may be wrong by now. */
export async function recordIntent(
  tools: GatherTools,
  call: IssuedCall,
  { intent }: Of<"record-intent">,
): Promise<Outcome> {
  const { state, snapshot, signal } = call;
  if (isEdited(state.object()?.metadata, snapshot.snapshot.routed.metadata)) {
    return skipped("the RoutedIP was edited meanwhile");
  }
  state.memory.creating = "called";
  const takeBack = () => endCreation(tools.routing, state, { startedAt: intent.startedAt });
  if (await recordAnyIntent(state, { intent, signal }, takeBack)) return DONE;
  state.statusWrites.intentDroppedAt = tools.routing.context.clock.monotonic();
  return { is: "refused", failure: { kind: "Terminal", problem: serverMessages.dropsCreation() } };
}

/** Rejects as the API server does; until it takes the result, this process remembers it. */
export async function recordCreation(state: RoutedState, result: CreationResult): Promise<Outcome> {
  await recordAnyCreation(CREATION_FIELDS, state, result);
  return DONE;
}

export function endCreation({ context: { logger } }: RoutingCaches, state: RoutedState, result: CreationResult) {
  return endAnyCreation(CREATION_FIELDS, state, { result, logger });
}

export async function dropCopy(state: RoutedState): Promise<Outcome> {
  await dropAnyCopy(state);
  return DONE;
}

/** What a Job creates is in no account of the operator, and counts for no limit. */
export function noteCreation(routing: RoutingCaches, state: RoutedState): void {
  const { ref: resource, memory } = state;
  const creation = { resource, running: memory.creating !== undefined, account: memory.account?.inventory };
  const routed = readOf(state)?.routed;
  const byJobs = routed !== undefined && routing.worksByJobs(routed);
  noteAnyCreation(routing.context, creation, byJobs ? undefined : routed?.status.pendingCreation);
}

export async function recordRetained(
  { routing }: GatherTools,
  { snapshot }: ActionCall<RoutedKind>,
  { retained }: RetainAction,
): Promise<Outcome> {
  const { resolvedClass } = snapshot.snapshot;
  if (resolvedClass === undefined) return skipped("the class or issuer is gone");
  const patch = (object: ClassObject | IssuerObject) => retainedPatch(object, retained);
  const writer =
    resolvedClass.by === "jobs"
      ? routing.classWriters.of(resolvedClass.objectName)
      : routing.issuerWriters.of(resolvedClass.issuer);
  await writer.write({ patch, subresource: "status", fact: true });
  return DONE;
}

function retainedPatch(object: ClassObject | IssuerObject, retained: RetainAction["retained"]): Patch | undefined {
  if ("firewall" in retained) {
    const retainedFirewalls = withParts((object as IssuerObject).status?.retainedFirewalls, retained.firewall);
    return retainedFirewalls && statusPatch(object, { retainedFirewalls });
  }
  if ("records" in retained) {
    const retainedRecords = withRecords(object.status?.retainedRecords, retained.records);
    return retainedRecords && statusPatch(object, { retainedRecords });
  }
  const retainedAddresses = withRetained(object.status?.retainedAddresses, retained.address);
  return retainedAddresses && statusPatch(object, { retainedAddresses });
}
