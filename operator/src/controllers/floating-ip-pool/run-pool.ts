/** One run of a pool: read what is missing, take turns until nothing more is to be done, tell. */

import { settlesWithin } from "../../async/wait.js";
import { CALLS_PATIENCE_MS, MAX_ITERATIONS } from "../../bounds.js";
import { done, type Result, requeueAfter } from "../../runtime/result.js";
import { askedBy } from "../asked-by.js";
import { nextAttempt } from "../cleanup.js";
import { resultOfError } from "../run-failure.js";
import { hasFinalizer } from "./deletion.js";
import { labelsOf, showPool } from "./metrics.js";
import { listDueMs, lockedDueMs, prepare } from "./prepare.js";
import type { PoolRead } from "./read-pool.js";
import { isDeleting } from "./snapshot.js";
import { look, type Turn, takeTurn } from "./turn.js";
import type { PoolUnit } from "./unit.js";
import { begin, type WorkTools } from "./work.js";
import { writeStatus } from "./write-status.js";

export interface RunTools extends WorkTools {
  /** Asks for another run. */
  readonly again: (unit: PoolUnit) => void;
}

export async function runPool(tools: RunTools, unit: PoolUnit, read: PoolRead): Promise<Result> {
  await ready(tools, unit, read);
  noteCleanup(tools, unit, read);
  const { turn, rest } = await takeTurns(tools, unit);
  if (turn === undefined) return done;
  show(tools, unit, turn);
  try {
    const waitMs = await writeStatus(tools, unit, turn);
    const next = nextMs(unit, turn, [waitMs, rest ? 0 : undefined]);
    return next === undefined ? done : requeueAfter(next);
  } catch (error) {
    return resultOfError(error);
  }
}

function show({ context }: RunTools, unit: PoolUnit, { snapshot, plan }: Turn): void {
  const { series, states } = unit;
  showPool({ metrics: context.metrics, series, states }, labelsOf(context, snapshot.pool), plan);
}

/** The account, as far as it can be had soon. */
async function ready(tools: RunTools, unit: PoolUnit, { pool }: PoolRead): Promise<void> {
  const { context, background } = tools;
  const why = (text: string) => askedBy(unit.ref, text, background.signal);
  const prepared = prepare(context, unit, pool, why).catch((error: unknown) => {
    context.logger.error({ pool: unit.key, error }, "cannot read all that the pool needs");
  });
  await patiently(tools, unit, prepared);
}

/** @returns the last look, and whether more is to be done at once. */
async function takeTurns(
  tools: RunTools,
  unit: PoolUnit,
): Promise<{ readonly turn: Turn | undefined; readonly rest: boolean }> {
  for (let left = MAX_ITERATIONS; left > 0; left--) {
    const read = unit.read();
    if (read === undefined) return { turn: undefined, rest: false };
    const turn = takeTurn(tools, unit, read);
    showPlan(tools, unit, turn.plan);
    const work = begin(tools, unit, turn).map((each) => tools.background.start(each));
    if (work.length === 0 || tools.background.over) return { turn, rest: false };
    const all = Promise.all(work);
    if (!(await patiently(tools, unit, all))) return { turn: lastLook(tools, unit), rest: false };
    if (!(await all).includes(true)) return { turn: lastLook(tools, unit), rest: false };
  }
  return { turn: lastLook(tools, unit), rest: true };
}

function showPlan({ context }: RunTools, unit: PoolUnit, { sentence, chains }: Turn["plan"]): void {
  if (context.dryRunPlans) context.dryRunPlans.show(unit.ref, { explanation: sentence, actions: chains.flat() });
  else if (sentence !== "") context.logger.info({ pool: unit.key, plan: sentence }, "plan");
}

function lastLook(tools: RunTools, unit: PoolUnit): Turn | undefined {
  const read = unit.read();
  return read === undefined ? undefined : look(tools, unit, read);
}

/** Waits a while; what ends later asks for another run. */
async function patiently(tools: RunTools, unit: PoolUnit, work: Promise<unknown>): Promise<boolean> {
  if (await settlesWithin(tools.context.clock, CALLS_PATIENCE_MS, work)) return true;
  const again = () => tools.again(unit);
  work.then(again, again);
  return false;
}

/** Each run is one attempt to clean up. */
function noteCleanup({ context }: RunTools, unit: PoolUnit, { pool }: PoolRead): void {
  if (isDeleting(pool) && hasFinalizer(pool)) unit.cleanup = nextAttempt(unit.cleanup, context.clock.now());
}

/** ms until the next run; `undefined`: only when something happens. */
function nextMs(unit: PoolUnit, turn: Turn, more: readonly (number | undefined)[]): number | undefined {
  const { snapshot, plan, account, startAt } = turn;
  const due = [plan.lookAgainAt, startAt, account?.retryAt, snapshot.dns?.readAgainAt].map((at) =>
    at === undefined ? undefined : at - snapshot.now,
  );
  // An account that does not answer is read when its next try is due, and no sooner.
  const reads = account?.failure === undefined ? [listDueMs(account, unit), lockedDueMs(account, snapshot.pool)] : [];
  const waits = [...due, ...more, ...reads];
  const ahead = waits.filter((ms) => ms !== undefined).map((ms) => Math.max(0, ms));
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
