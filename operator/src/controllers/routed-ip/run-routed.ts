/** One run of a RoutedIP: read what is missing, take turns until nothing more is to be done, tell. */

import { DONE, hasFailed } from "../../addresses/calls/outcomes.js";
import { MAX_ITERATIONS, ROUTED_POLL_MS } from "../../bounds.js";
import { statusPatch } from "../../kube/patch.js";
import { nextAttempt } from "../../reconcile/cleanup.js";
import { regardingOf } from "../../reconcile/conditions/event-message.js";
import { turnedBad } from "../../reconcile/conditions/planned-condition.js";
import { resultOfError } from "../../reconcile/retries/run-failure.js";
import { resolveClass } from "../../routing/resolved-class.js";
import type { RoutedRead } from "../../routing/resource.js";
import type { Run } from "../../runtime/controller.js";
import { done, type Result, requeueAfter } from "../../runtime/result.js";
import { hasFinalizer, isDeleting } from "./deletion.js";
import { eventMessageOf } from "./events.js";
import { type Done, execute } from "./execute.js";
import type { GatherTools } from "./gather.js";
import { attributed, withGoal } from "./goal.js";
import { evaluate, type Iteration, isMoving, reserve } from "./iteration.js";
import type { JobTools } from "./jobs/gather.js";
import { runJobs } from "./jobs/run-jobs.js";
import { count, labelsOf, showRouted } from "./metrics.js";
import { listDueMs, prepare } from "./prepare.js";
import { recordOutcome } from "./record-outcome.js";
import { KIND, type RoutedIPState } from "./resource-state.js";
import { noteCreation } from "./routed-creation.js";
import { statusPatchOf } from "./status.js";

export interface RunTools extends GatherTools {
  /** Absent: the operator runs without feature jobs. */
  readonly jobs?: JobTools;
}

export async function runRouted(tools: RunTools, resourceState: RoutedIPState, run: Run): Promise<Result> {
  const read = resourceState.read();
  if (read === undefined) return done;
  resourceState.follow(read);
  try {
    const { resolvedClass } = resolveClass(read.routed, tools.routing.lookUp);
    const byJobs = resolvedClass?.by === "jobs" ? tools.jobs : undefined;
    return await (byJobs === undefined
      ? runIssued(tools, resourceState, { read, run })
      : runJobs(byJobs, resourceState, run));
  } catch (error) {
    return resultOfError(error);
  }
}

interface Start {
  readonly read: RoutedRead;
  readonly run: Run;
}

async function runIssued(tools: GatherTools, resourceState: RoutedIPState, { read, run }: Start): Promise<Result> {
  await prepare(tools, resourceState, read);
  noteCleanup(tools, resourceState, read);
  const { iteration, rest } = await iterate(tools, resourceState, run);
  if (iteration === undefined) return done;
  const { context } = tools.routing;
  const { series, states } = resourceState;
  showRouted(
    { metrics: context.metrics, series, states },
    labelsOf(context, iteration.gathered.snapshot),
    iteration.plan,
  );
  await writeStatus(tools, resourceState, iteration, run);
  const waitMs = rest ? 0 : nextMs(tools, resourceState, iteration);
  return waitMs === undefined ? done : requeueAfter(waitMs);
}

/** Each run is one attempt to clean up. */
function noteCleanup({ routing }: GatherTools, resourceState: RoutedIPState, { routed }: RoutedRead): void {
  if (!isDeleting(routed) || !hasFinalizer(routed)) return;
  resourceState.cleanup = nextAttempt(resourceState.cleanup, routing.context.clock.now());
}

/** @returns the last look, and whether more is to be done at once. */
async function iterate(
  tools: GatherTools,
  resourceState: RoutedIPState,
  run: Run,
): Promise<{ readonly iteration?: Iteration; readonly rest: boolean }> {
  for (let left = MAX_ITERATIONS; left > 0; left--) {
    const iteration = evaluate(tools, resourceState);
    if (iteration === undefined) return { rest: false };
    noteArrival(tools, resourceState, iteration);
    reserve(tools, resourceState, iteration);
    showPlan(tools, resourceState, iteration);
    const { move } = resourceState;
    const ended = await execute(
      { ...tools, resourceState, gathered: iteration.gathered, signal: run.signal },
      iteration.plan,
    );
    const exists = (ip: string) => iteration.gathered.account?.inventory?.view().get(ip) !== undefined;
    const ends = ended.map((end) => attributed(withGoal(end, move), exists));
    recordOutcome(resourceState, ends, tools.routing.context.clock);
    report(tools, resourceState, iteration, { ends, run });
    if (!ends.some(({ outcome }) => outcome.is !== "skipped")) return finalEvaluation(tools, resourceState, false);
    if (run.signal.aborted) return finalEvaluation(tools, resourceState, false);
  }
  return finalEvaluation(tools, resourceState, true);
}

function showPlan(
  { routing }: GatherTools,
  resourceState: RoutedIPState,
  { plan: { steps, sequences, explanation } }: Iteration,
): void {
  const actions = [...steps.flatMap((step) => step.actions), ...sequences.flat()];
  routing.context.dryRunPlans?.show(resourceState.ref, { explanation: explanation, actions });
}

function finalEvaluation(
  tools: GatherTools,
  resourceState: RoutedIPState,
  rest: boolean,
): { readonly iteration?: Iteration; readonly rest: boolean } {
  const iteration = evaluate(tools, resourceState);
  return iteration === undefined ? { rest: false } : { iteration, rest };
}

/** A move whose end a list or another reading has shown, before anybody asked for its action. */
function noteArrival(
  { routing: { context } }: GatherTools,
  resourceState: RoutedIPState,
  { gathered: { snapshot } }: Iteration,
): void {
  const { move } = resourceState;
  const facts = move && snapshot.inventory.get(move.ip);
  if (move === undefined || facts?.holder !== move.node.machine || facts.action !== undefined) return;
  resourceState.move = undefined;
  const action = { do: "assign", ip: move.ip, node: move.node, why: `${move.ip} is on ${move.node.name}` } as const;
  const end = { action, outcome: DONE };
  count(context.metrics, labelsOf(context, snapshot), end);
  const eventMessage = eventMessageOf(snapshot, end);
  if (eventMessage !== undefined) context.events.record({ regarding: regardingOf(resourceState.ref), ...eventMessage });
}

interface Ended {
  readonly ends: readonly Done[];
  readonly run: Run;
}

function report(
  { routing }: GatherTools,
  resourceState: RoutedIPState,
  { gathered, plan: made }: Iteration,
  { ends, run }: Ended,
): void {
  const { context } = routing;
  if (made.explanation !== "" && ends.length > 0) run.logger.info({ plan: made.explanation }, "plan");
  const labels = labelsOf(context, gathered.snapshot);
  for (const end of ends) {
    count(context.metrics, labels, end);
    const eventMessage = eventMessageOf(gathered.snapshot, end);
    if (eventMessage !== undefined)
      context.events.record({ regarding: regardingOf(resourceState.ref), ...eventMessage });
    note(run, end);
    const left = abandonedBy(end);
    if (left.length === 0) continue;
    context.metrics.abandonedItems.inc({ kind: KIND, namespace: resourceState.ref.namespace }, left.length);
    run.logger.error({ abandonedItems: left }, "clean-up given up; remove by hand what is left behind");
  }
  resourceState.creating = false;
  noteCreation(routing, resourceState);
}

function note({ logger }: Run, { action, outcome }: Done): void {
  const fields = { action: action.do, why: action.why, outcome };
  if (hasFailed(outcome)) logger.warn(fields, "action failed");
  else logger.debug(fields, "action");
}

function abandonedBy({ action, outcome }: Done): readonly string[] {
  return action.do === "remove-finalizer" && outcome.is === "done" ? action.abandonedItems : [];
}

async function writeStatus(
  { routing: { context } }: GatherTools,
  resourceState: RoutedIPState,
  { gathered, plan: made }: Iteration,
  { signal }: Run,
): Promise<void> {
  const { snapshot } = gathered;
  if (!context.leads()) return;
  const desired = statusPatchOf(snapshot, made);
  const { pendingStatus } = resourceState;
  const before = snapshot.routed.status.conditions;
  await resourceState.writer.write({
    patch: (object) => statusPatch(object, { ...desired }),
    subresource: "status",
    signal,
  });
  if (resourceState.pendingStatus === pendingStatus) resourceState.pendingStatus = {};
  for (const { type, reason, message } of turnedBad(before, made.conditions)) {
    context.events.record({
      regarding: regardingOf(resourceState.ref),
      type: "Warning",
      reason,
      action: type,
      note: message,
    });
  }
}

/** ms until the next run; `undefined`: only when something happens. */
function nextMs(
  { routing: { context } }: GatherTools,
  resourceState: RoutedIPState,
  { gathered, plan: made }: Iteration,
): number | undefined {
  const now = context.clock.now();
  const at = [made.requeueAt, gathered.account?.retryAt, gathered.dns?.snapshot.readAgainAt];
  const waits = [
    ...at.map((time) => (time === undefined ? undefined : time - now)),
    listDueMs(gathered.account),
    gathered.firewall?.view().dueInMs,
    isMoving(made) ? pollMs(resourceState, context.clock.monotonic()) : undefined,
  ];
  const ahead = waits.filter((ms) => ms !== undefined).map((ms) => Math.max(0, ms));
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

function pollMs({ poll }: RoutedIPState, monotonic: number): number {
  return poll === undefined ? ROUTED_POLL_MS : Math.max(0, poll.nextAt - monotonic);
}
