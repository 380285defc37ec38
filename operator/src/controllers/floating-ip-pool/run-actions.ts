/** Carries out what turns start, and learns and tells what came of it. */

import { hasFailed, outcomeOf } from "../../addresses/calls/outcomes.js";
import { addressLockKey, CREATION, readLockKey } from "../../addresses/lock-key.js";
import { errorText } from "../../logging.js";
import type { Background } from "../../reconcile/background.js";
import { callContext } from "../../reconcile/call-context.js";
import { regardingOf } from "../../reconcile/conditions/event-message.js";
import { afterFailure } from "../../reconcile/retries/retry-schedule.js";
import { type ActionResult, didAnything } from "./action-result.js";
import { attributeFailure } from "./attribute-failure.js";
import { execute } from "./execute.js";
import type { GatherTools } from "./gather.js";
import type { Iteration, Start } from "./iteration.js";
import { count, labelsOf } from "./metrics.js";
import { noteCreation } from "./pool-creation.js";
import { rechecksOf } from "./recheck.js";
import { recordOutcome } from "./record-outcome.js";
import { POOL_KIND, type PoolState } from "./resource-state.js";
import type { Snapshot } from "./snapshot.js";
import type { Tools } from "./tools.js";
import { sorted } from "./warnings.js";

export interface WorkTools extends GatherTools {
  readonly background: Background;
}

/** Begins all that a turn asks for. Each resolves to whether the world has changed; none rejects. */
export function runActions(
  tools: WorkTools,
  resourceState: PoolState,
  iteration: Iteration,
): readonly Promise<boolean>[] {
  const sequences = iteration.starts.map((start) => carryOut(tools, resourceState, iteration, start));
  return [...sequences, ...iteration.confirms.map((ip) => confirm(tools, resourceState, iteration, ip))];
}

async function carryOut(
  tools: WorkTools,
  resourceState: PoolState,
  iteration: Iteration,
  { lockKey, sequence }: Start,
): Promise<boolean> {
  const exists = (ip: string) => iteration.account?.inventory?.view().get(ip) !== undefined;
  const recheckOf = rechecksOf(tools, resourceState, iteration, sequence);
  const end = attributeFailure(
    await execute({ ...toolsOf(tools, resourceState, iteration), recheckOf }, lockKey, sequence),
    exists,
  );
  resourceState.inFlight.delete(lockKey);
  resourceState.assigning.delete(lockKey);
  recordOutcome(tools.context.clock, resourceState, end);
  if (lockKey === CREATION) noteCreation(tools.context, resourceState);
  tell(tools, resourceState, iteration.snapshot, end);
  return didAnything(end);
}

/** Reads an address that is about to move. */
async function confirm(tools: WorkTools, resourceState: PoolState, iteration: Iteration, ip: string): Promise<boolean> {
  const { account } = iteration;
  const lockKey = addressLockKey(ip);
  try {
    const why = callContext(resourceState.ref, "it is about to move", tools.background.signal);
    const confirmation = await account?.inventory?.confirm(why, ip, isHolderGone(iteration.snapshot, ip));
    account?.answered();
    // A second read must follow: the inventory says when.
    return confirmation !== "unconfirmed";
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome.is !== "refused") return false;
    account?.note(error);
    resourceState.retries.set(
      lockKey,
      afterFailure(resourceState.retries.get(lockKey), outcome.failure, tools.context.clock.now()),
    );
    if (outcome.failure.ofAccount === true) resourceState.accountFailures.add(lockKey);
    tools.context.logger.warn(
      { pool: resourceState.key, ip, error: errorText(error) },
      "cannot read the address; it is not moved",
    );
    return false;
  } finally {
    resourceState.inFlight.delete(readLockKey(ip));
  }
}

function isHolderGone({ inventory, verdictOf }: Snapshot, ip: string): boolean {
  const holder = inventory.get(ip)?.holder;
  return holder === undefined || verdictOf(holder) === undefined;
}

function toolsOf(
  { context, dnsService, background }: WorkTools,
  resourceState: PoolState,
  iteration: Iteration,
): Omit<Tools, "recheckOf"> {
  const { snapshot, account, dns } = iteration;
  return { context, dnsService, resourceState, snapshot, account, dns, signal: background.signal };
}

function tell({ context }: WorkTools, resourceState: PoolState, snapshot: Snapshot, end: ActionResult): void {
  const { now, pendingWarnings } = sorted(snapshot, end);
  for (const eventMessage of now) context.events.record({ ...eventMessage, regarding: regardingOf(resourceState.ref) });
  resourceState.pendingWarnings.push(...pendingWarnings);
  for (const step of end.steps) {
    const { action, outcome } = step;
    count(context.metrics, labelsOf(context, snapshot.pool), step);
    const fields = { pool: resourceState.key, action: action.do, why: action.why, outcome };
    if (hasFailed(outcome)) context.logger.warn(fields, "action failed");
    else if (outcome.is !== "skipped" && action.do !== "poll") context.logger.info(fields, "action");
    else context.logger.debug(fields, "action");
    if (action.do !== "remove-finalizer" || outcome.is !== "done" || action.abandonedItems.length === 0) continue;
    const labels = { kind: POOL_KIND, namespace: resourceState.ref.namespace };
    context.metrics.abandonedItems.inc(labels, action.abandonedItems.length);
    context.logger.error(
      { pool: resourceState.key, abandonedItems: action.abandonedItems },
      "clean-up given up; remove by hand what is left behind",
    );
  }
}
