/** Carries out one chain: an action after the other, as long as each is done. */

import { DONE, type Outcome, outcomeOf, skipped } from "../addresses/outcomes.js";
import { askedBy } from "../asked-by.js";
import type { Action, Chain } from "./actions.js";
import { type ChainEnd, mayBeAccepted, type Step } from "./chain-end.js";
import { callProvider } from "./execute-address.js";
import { changeNode } from "./execute-node.js";
import { changeObject } from "./execute-object.js";
import { recordInStatus, takeBackAssignment } from "./execute-status.js";
import type { Tools } from "./tools.js";

/** Never rejects. */
export async function execute(tools: Tools, subject: string, chain: Chain): Promise<ChainEnd> {
  const steps: Step[] = [];
  for (const action of chain) {
    const outcome = await attempt(tools, action);
    steps.push({ action, outcome });
    if (outcome.is !== "done") break;
  }
  await takeBack(tools, steps);
  return { subject, chain, steps };
}

async function attempt(tools: Tools, action: Action): Promise<Outcome> {
  if (tools.signal.aborted || tools.unit.signal.aborted) return skipped("told to stop");
  try {
    return await perform(tools, action);
  } catch (error) {
    return outcomeOf(error);
  }
}

async function perform(tools: Tools, action: Action): Promise<Outcome> {
  switch (action.do) {
    case "assign":
    case "unassign":
    case "release":
    case "poll":
    case "create-address":
      return callProvider(tools, action);
    case "annotate-node":
    case "unannotate-node":
      return changeNode(tools, action);
    default:
      return write(tools, action);
  }
}

type Written = Exclude<
  Action,
  {
    readonly do: "assign" | "unassign" | "release" | "poll" | "create-address" | "annotate-node" | "unannotate-node";
  }
>;

async function write(tools: Tools, action: Written): Promise<Outcome> {
  switch (action.do) {
    case "read-records":
    case "apply-records":
      if (tools.dns === undefined) return skipped("there is no record set any more");
      await tools.desk.carryOut(tools.dns, action, recordsContext(tools, action));
      return DONE;
    case "append-to-spec":
    case "drop-from-spec":
    case "annotate-pool":
    case "clear-forget-creation":
    case "add-finalizer":
    case "remove-finalizer":
      return changeObject(tools, action);
    default:
      return recordInStatus(tools, action);
  }
}

function recordsContext({ unit, signal, recheckOf }: Tools, action: Written) {
  const recheck = recheckOf(action);
  return askedBy(unit.ref, action.why, signal, { priority: "records", ...(recheck && { recheck }) });
}

/** The cool-off counts accepted calls only. One whose answer was lost may have been accepted. */
async function takeBack(tools: Tools, steps: readonly Step[]): Promise<void> {
  const recorded = steps.map(({ action }) => action).find((action) => action.do === "record-assignment");
  const last = steps.at(-1);
  if (recorded?.do !== "record-assignment" || last === undefined || last.action === recorded) return;
  if (mayBeAccepted(last.outcome)) return;
  if (last.action.do !== "assign" && last.action.do !== "create-address") return;
  try {
    await takeBackAssignment(tools, recorded);
  } catch (error) {
    tools.context.logger.warn(
      { pool: tools.unit.key, error },
      "cannot reset the cool-off of a failed assignment; the next one waits for it",
    );
  }
}
