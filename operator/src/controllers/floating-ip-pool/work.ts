/** Carries out what turns start, and learns and tells what came of it. */

import { errorText } from "../../logging.js";
import { hasFailed, outcomeOf } from "../addresses/outcomes.js";
import { askedBy } from "../asked-by.js";
import type { Background } from "../background.js";
import { afterFailure } from "../retry-schedule.js";
import { regardingOf } from "../telling.js";
import { blamed } from "./blame.js";
import { type ChainEnd, didAnything } from "./chain-end.js";
import { execute } from "./execute.js";
import type { GatherTools } from "./gather.js";
import { learn } from "./learn.js";
import { count, labelsOf } from "./metrics.js";
import { noteCreation } from "./pool-creation.js";
import { rechecksOf } from "./recheck.js";
import type { Snapshot } from "./snapshot.js";
import { addressSubject, CREATION, readSubject } from "./subject.js";
import type { Tools } from "./tools.js";
import type { Start, Turn } from "./turn.js";
import { POOL_KIND, type PoolUnit } from "./unit.js";
import { sorted } from "./warnings.js";

export interface WorkTools extends GatherTools {
  readonly background: Background;
}

/** Begins all that a turn asks for. Each resolves to whether the world has changed; none rejects. */
export function begin(tools: WorkTools, unit: PoolUnit, turn: Turn): readonly Promise<boolean>[] {
  const chains = turn.starts.map((start) => carryOut(tools, unit, turn, start));
  return [...chains, ...turn.confirms.map((ip) => confirm(tools, unit, turn, ip))];
}

async function carryOut(tools: WorkTools, unit: PoolUnit, turn: Turn, { subject, chain }: Start): Promise<boolean> {
  const exists = (ip: string) => turn.account?.inventory?.view().get(ip) !== undefined;
  const recheckOf = rechecksOf(tools, unit, turn, chain);
  const end = blamed(await execute({ ...toolsOf(tools, unit, turn), recheckOf }, subject, chain), exists);
  unit.underWay.delete(subject);
  unit.assigning.delete(subject);
  learn(tools.context.clock, unit, end);
  if (subject === CREATION) noteCreation(tools.context, unit);
  tell(tools, unit, turn.snapshot, end);
  return didAnything(end);
}

/** Reads an address that is about to move. */
async function confirm(tools: WorkTools, unit: PoolUnit, turn: Turn, ip: string): Promise<boolean> {
  const { account } = turn;
  const subject = addressSubject(ip);
  try {
    const why = askedBy(unit.ref, "it is about to move", tools.background.signal);
    const confirmation = await account?.inventory?.confirm(why, ip, isHolderGone(turn.snapshot, ip));
    account?.answered();
    // A second read must follow: the inventory says when.
    return confirmation !== "unconfirmed";
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome.is !== "refused") return false;
    account?.note(error);
    unit.retries.set(subject, afterFailure(unit.retries.get(subject), outcome.failure, tools.context.clock.now()));
    if (outcome.failure.ofAccount === true) unit.accountFailures.add(subject);
    tools.context.logger.warn(
      { pool: unit.key, ip, error: errorText(error) },
      "cannot read the address; it is not moved",
    );
    return false;
  } finally {
    unit.underWay.delete(readSubject(ip));
  }
}

function isHolderGone({ inventory, verdictOf }: Snapshot, ip: string): boolean {
  const holder = inventory.get(ip)?.holder;
  return holder === undefined || verdictOf(holder) === undefined;
}

function toolsOf({ context, desk, background }: WorkTools, unit: PoolUnit, turn: Turn): Omit<Tools, "recheckOf"> {
  const { snapshot, account, dns } = turn;
  return { context, desk, unit, snapshot, account, dns, signal: background.signal };
}

function tell({ context }: WorkTools, unit: PoolUnit, snapshot: Snapshot, end: ChainEnd): void {
  const { now, troubles } = sorted(snapshot, end);
  for (const telling of now) context.events.record({ ...telling, regarding: regardingOf(unit.ref) });
  unit.troubles.push(...troubles);
  for (const step of end.steps) {
    const { action, outcome } = step;
    count(context.metrics, labelsOf(context, snapshot.pool), step);
    const fields = { pool: unit.key, action: action.do, why: action.why, outcome };
    if (hasFailed(outcome)) context.logger.warn(fields, "action failed");
    else if (outcome.is !== "skipped" && action.do !== "poll") context.logger.info(fields, "action");
    else context.logger.debug(fields, "action");
    if (action.do !== "remove-finalizer" || outcome.is !== "done" || action.leftBehind.length === 0) continue;
    const labels = { kind: POOL_KIND, namespace: unit.ref.namespace };
    context.metrics.leftBehind.inc(labels, action.leftBehind.length);
    context.logger.error(
      { pool: unit.key, leftBehind: action.leftBehind },
      "clean-up given up; remove by hand what is left behind",
    );
  }
}
