/** Carries out what the plan of a RoutedIP whose class works by Jobs asks for. */

import { Annotation, Finalizer } from "cdk8s-flipop/api";
import { finalizerPatch, ownAnnotationPatch, statusPatch } from "../../../kube/patch.js";
import type { Run } from "../../../runtime/controller.js";
import type { JobOrder } from "../../jobs/job.js";
import { isDefinite, jobSpecOf } from "../../jobs/job-desk.js";
import { jobNamespaceOf } from "../../jobs/job-place.js";
import { leftBehind, normal, regardingOf, type Telling, warning } from "../../telling.js";
import type { RoutedObject } from "../resource.js";
import { setTaints } from "../set-taints.js";
import { KIND, type RoutedUnit } from "../unit.js";
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
  unit: RoutedUnit,
  snapshot: JobSnapshot,
  { plan, run }: Work,
): Promise<boolean> {
  let acted = false;
  const { droppedAt } = unit;
  for (const action of plan.chain) {
    if (run.signal.aborted || unit.signal.aborted) return false;
    // Where the server has dropped what was recorded, the plan is another one.
    if (!(await perform(tools, unit, snapshot, action))) return acted || unit.droppedAt !== droppedAt;
    run.logger.info({ action: action.do, why: action.why }, "action");
    acted = true;
  }
  return acted;
}

async function perform(tools: JobTools, unit: RoutedUnit, snapshot: JobSnapshot, action: JobAction): Promise<boolean> {
  const { routing, desk } = tools;
  switch (action.do) {
    case "set-taints":
      return (await setTaints(routing, action)).is === "done";
    case "add-finalizer":
      await unit.writer.write({ patch: (object) => finalizerPatch(object, Finalizer.cleanup, true) });
      return true;
    case "remove-finalizer":
      await unit.writer.write({ patch: (object) => finalizerPatch(object, Finalizer.cleanup, false) });
      tellLeftBehind(tools, unit, action);
      return true;
    case "annotate": {
      const change = { [Annotation.createdIps]: action.value };
      await unit.writer.write({ patch: (object) => ownAnnotationPatch(object, change) });
      return true;
    }
    case "record":
      return record(tools, unit, action.change);
    case "create-job":
      await createJob(tools, unit, snapshot, action);
      return false;
    case "remove-job":
      await desk.remove(action.job);
      endJob(tools, unit, action);
      return false;
  }
}

/** @returns whether it is on record: an older CRD drops the intent of a creation, and then nothing is created. */
async function record(tools: JobTools, unit: RoutedUnit, change: Change): Promise<boolean> {
  const patch = (object: RoutedObject) => statusPatch(object, { ...change });
  const { status } = await unit.writer.write({ patch, subresource: "status", fact: true });
  if (change.pendingCreation?.startedAt === status?.pendingCreation?.startedAt) return true;
  if (change.pendingCreation === undefined) return true;
  unit.droppedAt = tools.routing.context.clock.monotonic();
  event(tools, unit, warning(CRD_TOO_OLD.reason, "Assign", CRD_TOO_OLD.message));
  return false;
}

function tellLeftBehind(
  tools: JobTools,
  unit: RoutedUnit,
  { kept, givenUp, why }: Extract<JobAction, { readonly do: "remove-finalizer" }>,
): void {
  const telling = leftBehind([...kept, ...givenUp], why);
  if (telling !== undefined) event(tools, unit, telling);
  if (givenUp.length === 0) return;
  const { metrics, logger } = tools.routing.context;
  metrics.leftBehind.inc({ kind: KIND, namespace: unit.ref.namespace }, givenUp.length);
  logger.error({ routedIP: unit.key, leftBehind: givenUp }, "clean-up given up; remove by hand what is left behind");
}

async function createJob(
  { routing, desk }: JobTools,
  unit: RoutedUnit,
  { terms }: JobSnapshot,
  { variables, attempt }: Extract<JobAction, { readonly do: "create-job" }>,
): Promise<void> {
  const found = routing.lookUp.class(terms?.className ?? "");
  if (found === undefined) return;
  const order: JobOrder = {
    purpose: "assign",
    uid: unit.ref.uid,
    owner: { name: found.metadata.name, uid: found.metadata.uid },
    namespace: jobNamespaceOf(found.spec, desk),
    spec: jobSpecOf(found.spec, "assign"),
    variables,
    secrets: (found.spec.fromSecretsRef ?? []).map(({ name }) => name),
    attempt,
  };
  try {
    await desk.create(order);
  } catch (error) {
    if (isDefinite(error)) await forgetIntent(unit);
    throw error;
  }
}

/** Nothing can have been created: it is asked for anew, once the class can work. */
async function forgetIntent(unit: RoutedUnit): Promise<void> {
  const patch = (object: RoutedObject) => statusPatch(object, { pendingCreation: undefined });
  await unit.writer.write({ patch, subresource: "status", fact: true });
}

function endJob(
  tools: JobTools,
  unit: RoutedUnit,
  { failure }: Extract<JobAction, { readonly do: "remove-job" }>,
): void {
  unit.addressRetry = failure?.retry;
  unit.jobFailure = failure?.retry === undefined ? undefined : failure.problem;
  if (failure === undefined) {
    event(tools, unit, normal("Assigned", "Assign", "a Job of the class has moved the address"));
    return;
  }
  event(tools, unit, warning(failure.problem.reason, "Assign", failure.problem.message));
}

function event({ routing: { context } }: JobTools, { ref }: RoutedUnit, telling: Telling): void {
  context.events.record({ regarding: regardingOf(ref), ...telling });
}
