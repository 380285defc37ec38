/** One run of a RoutedIP whose class works by Jobs: look, decide, act, tell. */

import { statusPatch } from "../../../kube/patch.js";
import type { Run } from "../../../runtime/controller.js";
import { done, type Result, requeueAfter } from "../../../runtime/result.js";
import { nextAttempt } from "../../cleanup.js";
import { conditionSamples } from "../../condition-metrics.js";
import { inputOf } from "../../jobs/job.js";
import { stamped } from "../../planned-condition.js";
import { hasFinalizer, isDeleting } from "../deletion.js";
import type { RoutedUnit } from "../unit.js";
import { carryOut } from "./execute.js";
import { type JobTools, snapshotOf } from "./gather.js";
import { type JobPlan, type JobSnapshot, planJobs } from "./plan.js";

const ROUNDS = 6;

export async function runJobs(tools: JobTools, unit: RoutedUnit, run: Run): Promise<Result> {
  for (let round = 0; round < ROUNDS; round++) {
    const read = unit.read();
    if (read === undefined) return done;
    const snapshot = snapshotOf(tools, unit, read);
    if (round === 0) noteCleanup(unit, snapshot);
    if (await ask(tools, snapshot, round)) continue;
    const plan = planJobs(snapshot);
    if (plan.settled) unit.jobFailure = undefined;
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

/** Once a run why there is no pod, and at any time for the last words. @returns whether the server has been asked. */
async function ask({ desk }: JobTools, { job }: JobSnapshot, round: number): Promise<boolean> {
  if (job === undefined || (round > 0 && job.state.is === "stuck")) return false;
  return desk.ask(job);
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
