/** One run of a RoutedIP whose class works by Jobs: look, decide, act, tell. */

import { MAX_JOB_ITERATIONS } from "../../../bounds.js";
import { inputOf } from "../../../jobs/job.js";
import type { JobState } from "../../../jobs/job-state.js";
import { statusPatch } from "../../../kube/patch.js";
import { errorText } from "../../../logging.js";
import { nextAttempt } from "../../../reconcile/cleanup.js";
import { conditionSamples } from "../../../reconcile/conditions/condition-metrics.js";
import { stamped } from "../../../reconcile/conditions/planned-condition.js";
import type { Run } from "../../../runtime/controller.js";
import { done, type Result, requeueAfter } from "../../../runtime/result.js";
import { hasFinalizer, isDeleting } from "../deletion.js";
import type { RoutedIPState } from "../resource-state.js";
import { carryOut } from "./execute.js";
import { type JobTools, snapshotOf } from "./gather.js";
import { type JobPlan, type JobSnapshot, planJobs } from "./plan.js";

export async function runJobs(tools: JobTools, resourceState: RoutedIPState, run: Run): Promise<Result> {
  const asked = new Set<JobState["is"]>();
  for (let round = 0; round < MAX_JOB_ITERATIONS; round++) {
    const read = resourceState.read();
    if (read === undefined) return done;
    const snapshot = snapshotOf(tools, resourceState, read);
    if (round === 0) noteCleanup(resourceState, snapshot);
    if (await ask(tools, snapshot, { asked, run })) continue;
    const plan = planJobs(snapshot);
    if (plan.settled) forgetFailures(resourceState);
    noteAim(tools, resourceState, snapshot, plan);
    noteTaint(tools, resourceState, snapshot, plan);
    const acted = await carryOut(tools, resourceState, snapshot, { plan, run });
    if (acted && plan.sequence.some((action) => action.do === "remove-finalizer")) return done;
    if (acted) continue;
    await tell(tools, resourceState, snapshot, plan);
    const { requeueAt } = plan;
    return requeueAt === undefined ? done : requeueAfter(Math.max(0, requeueAt - snapshot.now));
  }
  return requeueAfter(0);
}

function noteTaint({ routing }: JobTools, { ref }: RoutedIPState, snapshot: JobSnapshot, plan: JobPlan): void {
  const { cachesComplete, resolvedClass } = snapshot;
  if (cachesComplete && resolvedClass !== undefined) routing.taints.need(ref.uid, resolvedClass.taint, plan.nodes);
}

function forgetFailures(resourceState: RoutedIPState): void {
  resourceState.jobFailure = undefined;
  resourceState.addressRetry = undefined;
}

interface Asking {
  /** Of this run: it asks once for each state. */
  readonly asked: Set<JobState["is"]>;
  readonly run: Run;
}

/** @returns whether the server has said something about the Job. */
async function ask({ dnsService }: JobTools, { job, routed }: JobSnapshot, { asked, run }: Asking): Promise<boolean> {
  if (job === undefined || asked.has(job.state.is)) return false;
  asked.add(job.state.is);
  try {
    return await dnsService.ask(job);
  } catch (error) {
    // The right to ask may be gone before it: the deadline of the clean-up holds all the same.
    if (!isDeleting(routed)) throw error;
    run.logger.warn({ job: job.object.metadata.name, error: errorText(error) }, "no word about a Job");
    return false;
  }
}

/** Without a pause after the election, so that no two elect the same machine at once. */
function noteAim(
  { aims }: JobTools,
  { ref: { uid } }: RoutedIPState,
  { job }: JobSnapshot,
  { sequence }: JobPlan,
): void {
  const created = sequence.find((action) => action.do === "create-job");
  const variables = created?.variables ?? (job && inputOf(job.object));
  const machine = variables?.["NODE_PROVIDER_ID"];
  if (machine === undefined) aims.delete(uid);
  else aims.set(uid, machine);
}

/** Each run is one attempt to clean up. */
function noteCleanup(resourceState: RoutedIPState, { routed, now }: JobSnapshot): void {
  if (isDeleting(routed) && hasFinalizer(routed)) resourceState.cleanup = nextAttempt(resourceState.cleanup, now);
}

async function tell(
  { routing: { context } }: JobTools,
  resourceState: RoutedIPState,
  { routed, now }: JobSnapshot,
  { status, conditions }: JobPlan,
): Promise<void> {
  const { kind, namespace, name } = resourceState.ref;
  resourceState.series.show(conditionSamples(context.metrics, { kind, namespace, name }, conditions));
  if (!context.leads()) return;
  const { generation } = routed.metadata;
  const desired = {
    ...status,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: stamped(conditions, { now, generation }),
  };
  await resourceState.writer.write({ patch: (object) => statusPatch(object, desired), subresource: "status" });
}
