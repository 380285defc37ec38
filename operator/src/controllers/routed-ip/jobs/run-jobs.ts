/** One run of a RoutedIP whose class works by Jobs: look, decide, act, tell. */

import { MAX_JOB_ITERATIONS } from "../../../bounds.js";
import { statusPatch } from "../../../kube/patch.js";
import { errorText } from "../../../logging.js";
import type { Run } from "../../../runtime/controller.js";
import { done, type Result, requeueAfter } from "../../../runtime/result.js";
import { nextAttempt } from "../../cleanup.js";
import { conditionSamples } from "../../condition-metrics.js";
import { inputOf } from "../../jobs/job.js";
import type { JobState } from "../../jobs/job-state.js";
import { stamped } from "../../planned-condition.js";
import { hasFinalizer, isDeleting } from "../deletion.js";
import type { RoutedUnit } from "../unit.js";
import { carryOut } from "./execute.js";
import { type JobTools, snapshotOf } from "./gather.js";
import { type JobPlan, type JobSnapshot, planJobs } from "./plan.js";

export async function runJobs(tools: JobTools, unit: RoutedUnit, run: Run): Promise<Result> {
  const asked = new Set<JobState["is"]>();
  for (let round = 0; round < MAX_JOB_ITERATIONS; round++) {
    const read = unit.read();
    if (read === undefined) return done;
    const snapshot = snapshotOf(tools, unit, read);
    if (round === 0) noteCleanup(unit, snapshot);
    if (await ask(tools, snapshot, { asked, run })) continue;
    const plan = planJobs(snapshot);
    if (plan.settled) forgetFailures(unit);
    noteAim(tools, unit, snapshot, plan);
    noteTaint(tools, unit, snapshot, plan);
    const acted = await carryOut(tools, unit, snapshot, { plan, run });
    if (acted && plan.chain.some((action) => action.do === "remove-finalizer")) return done;
    if (acted) continue;
    await tell(tools, unit, snapshot, plan);
    const { lookAgainAt } = plan;
    return lookAgainAt === undefined ? done : requeueAfter(Math.max(0, lookAgainAt - snapshot.now));
  }
  return requeueAfter(0);
}

function noteTaint({ routing }: JobTools, { ref }: RoutedUnit, snapshot: JobSnapshot, plan: JobPlan): void {
  const { cachesComplete, terms } = snapshot;
  if (cachesComplete && terms !== undefined) routing.taints.need(ref.uid, terms.taint, plan.nodes);
}

function forgetFailures(unit: RoutedUnit): void {
  unit.jobFailure = undefined;
  unit.addressRetry = undefined;
}

interface Asking {
  /** Of this run: it asks once for each state. */
  readonly asked: Set<JobState["is"]>;
  readonly run: Run;
}

/** @returns whether the server has said something about the Job. */
async function ask({ desk }: JobTools, { job, routed }: JobSnapshot, { asked, run }: Asking): Promise<boolean> {
  if (job === undefined || asked.has(job.state.is)) return false;
  asked.add(job.state.is);
  try {
    return await desk.ask(job);
  } catch (error) {
    // The right to ask may be gone before it: the deadline of the clean-up holds all the same.
    if (!isDeleting(routed)) throw error;
    run.logger.warn({ job: job.object.metadata.name, error: errorText(error) }, "no word about a Job");
    return false;
  }
}

/** Without a pause after the election, so that no two elect the same machine at once. */
function noteAim({ aims }: JobTools, { ref: { uid } }: RoutedUnit, { job }: JobSnapshot, { chain }: JobPlan): void {
  const created = chain.find((action) => action.do === "create-job");
  const variables = created?.variables ?? (job && inputOf(job.object));
  const machine = variables?.["NODE_PROVIDER_ID"];
  if (machine === undefined) aims.delete(uid);
  else aims.set(uid, machine);
}

/** Each run is one attempt to clean up. */
function noteCleanup(unit: RoutedUnit, { routed, now }: JobSnapshot): void {
  if (isDeleting(routed) && hasFinalizer(routed)) unit.cleanup = nextAttempt(unit.cleanup, now);
}

async function tell(
  { routing: { context } }: JobTools,
  unit: RoutedUnit,
  { routed, now }: JobSnapshot,
  { status, conditions }: JobPlan,
): Promise<void> {
  const { kind, namespace, name } = unit.ref;
  unit.series.show(conditionSamples(context.metrics, { kind, namespace, name }, conditions));
  if (!context.leads()) return;
  const { generation } = routed.metadata;
  const wish = {
    ...status,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: stamped(conditions, { now, generation }),
  };
  await unit.writer.write({ patch: (object) => statusPatch(object, wish), subresource: "status" });
}
