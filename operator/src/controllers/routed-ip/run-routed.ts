/** One run of a RoutedIP: read what is missing, take turns until nothing more is to be done, tell. */

import { MAX_ITERATIONS, ROUTED_POLL_MS } from "../../bounds.js";
import { statusPatch } from "../../kube/patch.js";
import type { Run } from "../../runtime/controller.js";
import { done, type Result, requeueAfter } from "../../runtime/result.js";
import { DONE, hasFailed } from "../addresses/outcomes.js";
import { nextAttempt } from "../cleanup.js";
import { turnedBad } from "../planned-condition.js";
import { resultOfError } from "../run-failure.js";
import { regardingOf } from "../telling.js";
import { hasFinalizer, isDeleting } from "./deletion.js";
import { tellingOf } from "./events.js";
import { type Done, execute } from "./execute.js";
import type { GatherTools } from "./gather.js";
import { attributed, withGoal } from "./goal.js";
import type { JobTools } from "./jobs/gather.js";
import { runJobs } from "./jobs/run-jobs.js";
import { learn } from "./learn.js";
import { count, labelsOf, showRouted } from "./metrics.js";
import { listDueMs, prepare } from "./prepare.js";
import type { RoutedRead } from "./resource.js";
import { noteCreation } from "./routed-creation.js";
import { statusWish } from "./status.js";
import { termsOf } from "./terms.js";
import { isMoving, look, reserve, type Turn } from "./turn.js";
import { KIND, type RoutedUnit } from "./unit.js";

export interface RunTools extends GatherTools {
  /** Absent: the operator runs without feature jobs. */
  readonly jobs?: JobTools;
}

export async function runRouted(tools: RunTools, unit: RoutedUnit, run: Run): Promise<Result> {
  const read = unit.read();
  if (read === undefined) return done;
  unit.follow(read);
  try {
    const { terms } = termsOf(read.routed, tools.routing.lookUp);
    const byJobs = terms?.by === "jobs" ? tools.jobs : undefined;
    return await (byJobs === undefined ? runIssued(tools, unit, { read, run }) : runJobs(byJobs, unit, run));
  } catch (error) {
    return resultOfError(error);
  }
}

interface Start {
  readonly read: RoutedRead;
  readonly run: Run;
}

async function runIssued(tools: GatherTools, unit: RoutedUnit, { read, run }: Start): Promise<Result> {
  await prepare(tools, unit, read);
  noteCleanup(tools, unit, read);
  const { turn, rest } = await takeTurns(tools, unit, run);
  if (turn === undefined) return done;
  const { context } = tools.routing;
  const { series, states } = unit;
  showRouted({ metrics: context.metrics, series, states }, labelsOf(context, turn.gathered.snapshot), turn.plan);
  await writeStatus(tools, unit, turn, run);
  const waitMs = rest ? 0 : nextMs(tools, unit, turn);
  return waitMs === undefined ? done : requeueAfter(waitMs);
}

/** Each run is one attempt to clean up. */
function noteCleanup({ routing }: GatherTools, unit: RoutedUnit, { routed }: RoutedRead): void {
  if (!isDeleting(routed) || !hasFinalizer(routed)) return;
  unit.cleanup = nextAttempt(unit.cleanup, routing.context.clock.now());
}

/** @returns the last look, and whether more is to be done at once. */
async function takeTurns(
  tools: GatherTools,
  unit: RoutedUnit,
  run: Run,
): Promise<{ readonly turn?: Turn; readonly rest: boolean }> {
  for (let left = MAX_ITERATIONS; left > 0; left--) {
    const turn = look(tools, unit);
    if (turn === undefined) return { rest: false };
    noteArrival(tools, unit, turn);
    reserve(tools, unit, turn);
    showPlan(tools, unit, turn);
    const { move } = unit;
    const ended = await execute({ ...tools, unit, gathered: turn.gathered, signal: run.signal }, turn.plan);
    const exists = (ip: string) => turn.gathered.account?.inventory?.view().get(ip) !== undefined;
    const ends = ended.map((end) => attributed(withGoal(end, move), exists));
    learn(unit, ends, tools.routing.context.clock);
    report(tools, unit, turn, { ends, run });
    if (!ends.some(({ outcome }) => outcome.is !== "skipped")) return lastLook(tools, unit, false);
    if (run.signal.aborted) return lastLook(tools, unit, false);
  }
  return lastLook(tools, unit, true);
}

function showPlan({ routing }: GatherTools, unit: RoutedUnit, { plan: { steps, chains, sentence } }: Turn): void {
  const actions = [...steps.flatMap((step) => step.actions), ...chains.flat()];
  routing.context.dryRunPlans?.show(unit.ref, { explanation: sentence, actions });
}

function lastLook(
  tools: GatherTools,
  unit: RoutedUnit,
  rest: boolean,
): { readonly turn?: Turn; readonly rest: boolean } {
  const turn = look(tools, unit);
  return turn === undefined ? { rest: false } : { turn, rest };
}

/** A move whose end a list or another reading has shown, before anybody asked for its action. */
function noteArrival({ routing: { context } }: GatherTools, unit: RoutedUnit, { gathered: { snapshot } }: Turn): void {
  const { move } = unit;
  const facts = move && snapshot.inventory.get(move.ip);
  if (move === undefined || facts?.holder !== move.node.machine || facts.action !== undefined) return;
  unit.move = undefined;
  const action = { do: "assign", ip: move.ip, node: move.node, why: `${move.ip} is on ${move.node.name}` } as const;
  const end = { action, outcome: DONE };
  count(context.metrics, labelsOf(context, snapshot), end);
  const telling = tellingOf(snapshot, end);
  if (telling !== undefined) context.events.record({ regarding: regardingOf(unit.ref), ...telling });
}

interface Ended {
  readonly ends: readonly Done[];
  readonly run: Run;
}

function report(
  { routing }: GatherTools,
  unit: RoutedUnit,
  { gathered, plan: made }: Turn,
  { ends, run }: Ended,
): void {
  const { context } = routing;
  if (made.sentence !== "" && ends.length > 0) run.logger.info({ plan: made.sentence }, "plan");
  const labels = labelsOf(context, gathered.snapshot);
  for (const end of ends) {
    count(context.metrics, labels, end);
    const telling = tellingOf(gathered.snapshot, end);
    if (telling !== undefined) context.events.record({ regarding: regardingOf(unit.ref), ...telling });
    note(run, end);
    const left = leftBehindBy(end);
    if (left.length === 0) continue;
    context.metrics.leftBehind.inc({ kind: KIND, namespace: unit.ref.namespace }, left.length);
    run.logger.error({ leftBehind: left }, "clean-up given up; remove by hand what is left behind");
  }
  unit.creating = false;
  noteCreation(routing, unit);
}

function note({ logger }: Run, { action, outcome }: Done): void {
  const fields = { action: action.do, why: action.why, outcome };
  if (hasFailed(outcome)) logger.warn(fields, "action failed");
  else logger.debug(fields, "action");
}

function leftBehindBy({ action, outcome }: Done): readonly string[] {
  return action.do === "remove-finalizer" && outcome.is === "done" ? action.leftBehind : [];
}

async function writeStatus(
  { routing: { context } }: GatherTools,
  unit: RoutedUnit,
  { gathered, plan: made }: Turn,
  { signal }: Run,
): Promise<void> {
  const { snapshot } = gathered;
  if (!context.leads()) return;
  const wish = statusWish(snapshot, made);
  const { overlay } = unit;
  const before = snapshot.routed.status.conditions;
  await unit.writer.write({ patch: (object) => statusPatch(object, { ...wish }), subresource: "status", signal });
  if (unit.overlay === overlay) unit.overlay = {};
  for (const { type, reason, message } of turnedBad(before, made.conditions)) {
    context.events.record({ regarding: regardingOf(unit.ref), type: "Warning", reason, action: type, note: message });
  }
}

/** ms until the next run; `undefined`: only when something happens. */
function nextMs(
  { routing: { context } }: GatherTools,
  unit: RoutedUnit,
  { gathered, plan: made }: Turn,
): number | undefined {
  const now = context.clock.now();
  const at = [made.lookAgainAt, gathered.account?.retryAt, gathered.dns?.snapshot.readAgainAt];
  const waits = [
    ...at.map((time) => (time === undefined ? undefined : time - now)),
    listDueMs(gathered.account),
    gathered.firewall?.view().dueInMs,
    isMoving(made) ? pollMs(unit, context.clock.monotonic()) : undefined,
  ];
  const ahead = waits.filter((ms) => ms !== undefined).map((ms) => Math.max(0, ms));
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

function pollMs({ poll }: RoutedUnit, monotonic: number): number {
  return poll === undefined ? ROUTED_POLL_MS : Math.max(0, poll.nextAt - monotonic);
}
