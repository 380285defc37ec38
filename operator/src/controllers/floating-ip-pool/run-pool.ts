/** One run of a pool: read what is missing, take turns until nothing more is to be done, tell. */

import { isDeleting } from "../../addresses/address-set.js";
import { settlesWithin } from "../../async/wait.js";
import { CALLS_PATIENCE_MS, MAX_ITERATIONS } from "../../bounds.js";
import { callContext } from "../../reconcile/call-context.js";
import { nextAttempt } from "../../reconcile/cleanup.js";
import { resultOfError } from "../../reconcile/retries/run-failure.js";
import { done, type Result, requeueAfter } from "../../runtime/result.js";
import { hasFinalizer } from "./deletion.js";
import { evaluate, type Iteration, startIteration } from "./iteration.js";
import { labelsOf, showPool } from "./metrics.js";
import { listDueMs, lockedDueMs, prepare } from "./prepare.js";
import type { PoolRead } from "./read-pool.js";
import type { PoolState } from "./resource-state.js";
import { runActions, type WorkTools } from "./run-actions.js";
import { writeStatus } from "./write-status.js";

export interface RunTools extends WorkTools {
  /** Asks for another run. */
  readonly again: (resourceState: PoolState) => void;
}

export async function runPool(tools: RunTools, resourceState: PoolState, read: PoolRead): Promise<Result> {
  await ready(tools, resourceState, read);
  noteCleanup(tools, resourceState, read);
  const { iteration, rest } = await iterate(tools, resourceState);
  if (iteration === undefined) return done;
  show(tools, resourceState, iteration);
  try {
    const waitMs = await writeStatus(tools, resourceState, iteration);
    const next = nextMs(resourceState, iteration, [waitMs, rest ? 0 : undefined]);
    return next === undefined ? done : requeueAfter(next);
  } catch (error) {
    return resultOfError(error);
  }
}

function show({ context }: RunTools, resourceState: PoolState, { snapshot, plan }: Iteration): void {
  const { series, states } = resourceState;
  showPool({ metrics: context.metrics, series, states }, labelsOf(context, snapshot.pool), plan);
}

/** The account, as far as it can be had soon. */
async function ready(tools: RunTools, resourceState: PoolState, { pool }: PoolRead): Promise<void> {
  const { context, background } = tools;
  const why = (text: string) => callContext(resourceState.ref, text, background.signal);
  const prepared = prepare(context, resourceState, pool, why).catch((error: unknown) => {
    context.logger.error({ pool: resourceState.key, error }, "cannot read all that the pool needs");
  });
  await patiently(tools, resourceState, prepared);
}

/** @returns the last look, and whether more is to be done at once. */
async function iterate(
  tools: RunTools,
  resourceState: PoolState,
): Promise<{ readonly iteration: Iteration | undefined; readonly rest: boolean }> {
  for (let left = MAX_ITERATIONS; left > 0; left--) {
    const read = resourceState.read();
    if (read === undefined) return { iteration: undefined, rest: false };
    const iteration = startIteration(tools, resourceState, read);
    showPlan(tools, resourceState, iteration.plan);
    const work = runActions(tools, resourceState, iteration).map((each) => tools.background.start(each));
    if (work.length === 0 || tools.background.over) return { iteration, rest: false };
    const all = Promise.all(work);
    if (!(await patiently(tools, resourceState, all)))
      return { iteration: finalEvaluation(tools, resourceState), rest: false };
    if (!(await all).includes(true)) return { iteration: finalEvaluation(tools, resourceState), rest: false };
  }
  return { iteration: finalEvaluation(tools, resourceState), rest: true };
}

function showPlan(
  { context }: RunTools,
  resourceState: PoolState,
  { explanation, sequences }: Iteration["plan"],
): void {
  if (context.dryRunPlans)
    context.dryRunPlans.show(resourceState.ref, { explanation: explanation, actions: sequences.flat() });
  else if (explanation !== "") context.logger.info({ pool: resourceState.key, plan: explanation }, "plan");
}

function finalEvaluation(tools: RunTools, resourceState: PoolState): Iteration | undefined {
  const read = resourceState.read();
  return read === undefined ? undefined : evaluate(tools, resourceState, read);
}

/** Waits a while; what ends later asks for another run. */
async function patiently(tools: RunTools, resourceState: PoolState, work: Promise<unknown>): Promise<boolean> {
  if (await settlesWithin(tools.context.clock, CALLS_PATIENCE_MS, work)) return true;
  const again = () => tools.again(resourceState);
  work.then(again, again);
  return false;
}

/** Each run is one attempt to clean up. */
function noteCleanup({ context }: RunTools, resourceState: PoolState, { pool }: PoolRead): void {
  if (isDeleting(pool) && hasFinalizer(pool))
    resourceState.cleanup = nextAttempt(resourceState.cleanup, context.clock.now());
}

/** ms until the next run; `undefined`: only when something happens. */
function nextMs(
  resourceState: PoolState,
  iteration: Iteration,
  more: readonly (number | undefined)[],
): number | undefined {
  const { snapshot, plan, account, startAt } = iteration;
  const due = [plan.requeueAt, startAt, account?.retryAt, snapshot.dns?.readAgainAt].map((at) =>
    at === undefined ? undefined : at - snapshot.now,
  );
  // An account that does not answer is read when its next try is due, and no sooner.
  const reads =
    account?.failure === undefined ? [listDueMs(account, resourceState), lockedDueMs(account, snapshot.pool)] : [];
  const waits = [...due, ...more, ...reads];
  const ahead = waits.filter((ms) => ms !== undefined).map((ms) => Math.max(0, ms));
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
