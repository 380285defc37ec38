/** Carries out what the plan of a RoutedIP whose class works by Jobs asks for. */

import { Annotation, Finalizer } from "cdk8s-flipop/api";
import type { JobOrder } from "../../../jobs/job.js";
import { jobNamespaceOf } from "../../../jobs/job-place.js";
import { isDefinite, jobSpecOf } from "../../../jobs/job-service.js";
import { finalizerPatch, ownAnnotationPatch, statusPatch } from "../../../kube/patch.js";
import {
  abandonedItems,
  type EventMessage,
  normal,
  regardingOf,
  warning,
} from "../../../reconcile/conditions/event-message.js";
import type { RoutedObject } from "../../../routing/resource.js";
import type { Run } from "../../../runtime/controller.js";
import { KIND, type RoutedIPState } from "../resource-state.js";
import { setTaints } from "../set-taints.js";
import { CRD_TOO_OLD } from "./conditions.js";
import type { JobTools } from "./gather.js";
import type { Change, JobAction, JobPlan, JobSnapshot } from "./plan.js";

interface Work {
  readonly plan: JobPlan;
  readonly run: Run;
}

/** @returns whether anything was done. */
export async function carryOut(
  tools: JobTools,
  resourceState: RoutedIPState,
  snapshot: JobSnapshot,
  { plan, run }: Work,
): Promise<boolean> {
  let acted = false;
  const { droppedAt } = resourceState;
  for (const action of plan.sequence) {
    if (run.signal.aborted || resourceState.signal.aborted) return false;
    // Where the server has dropped what was recorded, the plan is another one.
    if (!(await perform(tools, resourceState, snapshot, action))) return acted || resourceState.droppedAt !== droppedAt;
    run.logger.info({ action: action.do, why: action.why }, "action");
    acted = true;
  }
  return acted;
}

async function perform(
  tools: JobTools,
  resourceState: RoutedIPState,
  snapshot: JobSnapshot,
  action: JobAction,
): Promise<boolean> {
  const { routing, dnsService } = tools;
  switch (action.do) {
    case "set-taints":
      return (await setTaints(routing, action)).is === "done";
    case "add-finalizer":
      await resourceState.writer.write({ patch: (object) => finalizerPatch(object, Finalizer.cleanup, true) });
      return true;
    case "remove-finalizer":
      await resourceState.writer.write({ patch: (object) => finalizerPatch(object, Finalizer.cleanup, false) });
      reportAbandoned(tools, resourceState, action);
      return true;
    case "annotate": {
      const change = { [Annotation.createdIps]: action.value };
      await resourceState.writer.write({ patch: (object) => ownAnnotationPatch(object, change) });
      return true;
    }
    case "record":
      return record(tools, resourceState, action.change);
    case "create-job":
      await createJob(tools, resourceState, snapshot, action);
      return false;
    case "remove-job":
      await dnsService.remove(action.job);
      endJob(tools, resourceState, action);
      return false;
  }
}

/** @returns whether it is on record: an older CRD drops the intent of a creation, and then nothing is created. */
async function record(tools: JobTools, resourceState: RoutedIPState, change: Change): Promise<boolean> {
  const patch = (object: RoutedObject) => statusPatch(object, { ...change });
  const { status } = await resourceState.writer.write({ patch, subresource: "status", fact: true });
  if (change.pendingCreation?.startedAt === status?.pendingCreation?.startedAt) return true;
  if (change.pendingCreation === undefined) return true;
  resourceState.droppedAt = tools.routing.context.clock.monotonic();
  event(tools, resourceState, warning(CRD_TOO_OLD.reason, "Assign", CRD_TOO_OLD.message));
  return false;
}

function reportAbandoned(
  tools: JobTools,
  resourceState: RoutedIPState,
  { kept, givenUp, why }: Extract<JobAction, { readonly do: "remove-finalizer" }>,
): void {
  const eventMessage = abandonedItems([...kept, ...givenUp], why);
  if (eventMessage !== undefined) event(tools, resourceState, eventMessage);
  if (givenUp.length === 0) return;
  const { metrics, logger } = tools.routing.context;
  metrics.abandonedItems.inc({ kind: KIND, namespace: resourceState.ref.namespace }, givenUp.length);
  logger.error(
    { routedIP: resourceState.key, abandonedItems: givenUp },
    "clean-up given up; remove by hand what is left behind",
  );
}

async function createJob(
  { routing, dnsService }: JobTools,
  resourceState: RoutedIPState,
  { resolvedClass }: JobSnapshot,
  { variables, attempt }: Extract<JobAction, { readonly do: "create-job" }>,
): Promise<void> {
  const found = routing.lookUp.class(resolvedClass?.className ?? "");
  if (found === undefined) return;
  const order: JobOrder = {
    purpose: "assign",
    uid: resourceState.ref.uid,
    owner: { name: found.metadata.name, uid: found.metadata.uid },
    namespace: jobNamespaceOf(found.spec, dnsService),
    spec: jobSpecOf(found.spec, "assign"),
    variables,
    secrets: (found.spec.fromSecretsRef ?? []).map(({ name }) => name),
    attempt,
  };
  try {
    await dnsService.create(order);
  } catch (error) {
    if (isDefinite(error)) await forgetIntent(resourceState);
    throw error;
  }
}

/** Nothing can have been created: it is asked for anew, once the class can work. */
async function forgetIntent(resourceState: RoutedIPState): Promise<void> {
  const patch = (object: RoutedObject) => statusPatch(object, { pendingCreation: undefined });
  await resourceState.writer.write({ patch, subresource: "status", fact: true });
}

function endJob(
  tools: JobTools,
  resourceState: RoutedIPState,
  { failure }: Extract<JobAction, { readonly do: "remove-job" }>,
): void {
  resourceState.addressRetry = failure?.retry;
  resourceState.jobFailure = failure?.retry === undefined ? undefined : failure.problem;
  if (failure === undefined) {
    event(tools, resourceState, normal("Assigned", "Assign", "a Job of the class has moved the address"));
    return;
  }
  event(tools, resourceState, warning(failure.problem.reason, "Assign", failure.problem.message));
}

function event({ routing: { context } }: JobTools, { ref }: RoutedIPState, eventMessage: EventMessage): void {
  context.events.record({ regarding: regardingOf(ref), ...eventMessage });
}
