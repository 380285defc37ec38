/** Carries out what the plan of a RoutedIP whose class works by Jobs asks for. */

import { DONE, type Outcome } from "../../../addresses/call-outcomes.js";
import { type JobOrder, jobNamespaceOf } from "../../../jobs/job.js";
import type { JobObject } from "../../../jobs/job-decision.js";
import { hadNoEffect } from "../../../jobs/job-dry-run.js";
import { deadlineOf, jobSpecOf } from "../../../jobs/job-service.js";
import { statusPatch } from "../../../kube/write/patch.js";
import { serverMessages } from "../../../messages/provider.js";
import type { ActionCall } from "../../../reconcile/kind.js";
import type { RoutedObject } from "../../../routing/read-resources.js";
import type { GatherTools } from "../gather.js";
import type { OfKind, RoutedKind } from "../memory.js";
import { keep } from "../object-calls.js";
import type { JobTools } from "./gather.js";

/** An older CRD drops the intent of a creation: then nothing is created. */
export async function record(
  { routing }: GatherTools,
  { state }: ActionCall<RoutedKind>,
  { change }: OfKind<"record">,
): Promise<Outcome> {
  const patch = (object: RoutedObject) => statusPatch(object, { ...change });
  const { status } = await state.write({ patch, subresource: "status", fact: true });
  const intent = change.pendingCreation;
  if (intent === undefined || intent.startedAt === status?.pendingCreation?.startedAt) return DONE;
  state.statusWrites.intentDroppedAt = routing.context.clock.monotonic();
  return { is: "refused", failure: { kind: "Terminal", problem: serverMessages.dropsCreation() } };
}

export async function createJob(
  { jobs, routing }: GatherTools,
  { state, snapshot }: ActionCall<RoutedKind>,
  { variables, attempt }: OfKind<"create-job">,
): Promise<Outcome> {
  const { jobService } = jobsOf(jobs);
  const { resolvedClass } = snapshot.snapshot;
  const found = routing.lookUp.class(resolvedClass?.by === "jobs" ? resolvedClass.className : "");
  if (found === undefined) return { is: "skipped", because: "the class is gone" };
  const order: JobOrder = {
    purpose: "assign",
    uid: state.ref.uid,
    owner: { name: found.metadata.name, uid: found.metadata.uid },
    namespace: jobNamespaceOf(found.spec, jobService),
    spec: jobSpecOf(found.spec, "assign"),
    variables,
    secrets: (found.spec.fromSecretsRef ?? []).map(({ name }) => name),
    attempt,
    ...deadlineOf(found.spec),
  };
  let sent = false;
  const onSend = () => {
    sent = true;
  };
  try {
    await jobService.create(order, onSend);
    return DONE;
  } catch (error) {
    // Nothing can have been created: the creation is tried anew.
    if (!sent || hadNoEffect(error)) await keep(state, { pendingCreation: undefined });
    throw error;
  }
}

export async function removeJob({ jobs }: GatherTools, job: JobObject): Promise<Outcome> {
  await jobsOf(jobs).jobService.remove(job);
  return DONE;
}

/** A plan asks for Jobs only where the feature is on. */
function jobsOf(jobs: JobTools | undefined): JobTools {
  if (jobs === undefined) throw new Error("a plan asks for a Job, and the operator runs without feature jobs");
  return jobs;
}
