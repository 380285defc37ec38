/** Carries out one chain: an action after the other, as long as each is done. */

import { DONE, type Outcome, outcomeOf, skipped } from "../../addresses/calls/outcomes.js";
import { callContext } from "../../reconcile/call-context.js";
import { type ActionResult, mayBeAccepted, type Step } from "./action-result.js";
import type { Action, ActionSequence } from "./actions.js";
import { callProvider } from "./execute-address.js";
import { changeNode } from "./execute-node.js";
import { changeObject } from "./execute-object.js";
import { recordInStatus, takeBackAssignment } from "./execute-status.js";
import type { Tools } from "./tools.js";

/** Never rejects. */
export async function execute(tools: Tools, lockKey: string, sequence: ActionSequence): Promise<ActionResult> {
  const steps: Step[] = [];
  for (const action of sequence) {
    const outcome = await attempt(tools, action);
    steps.push({ action, outcome });
    if (outcome.is !== "done") break;
  }
  await takeBack(tools, steps);
  return { lockKey, sequence, steps };
}

async function attempt(tools: Tools, action: Action): Promise<Outcome> {
  if (tools.signal.aborted || tools.resourceState.signal.aborted) return skipped("told to stop");
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
      await tools.dnsService.carryOut(tools.dns, action, recordsContext(tools, action));
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

function recordsContext({ resourceState, signal, recheckOf }: Tools, action: Written) {
  const recheck = recheckOf(action);
  return callContext(resourceState.ref, action.why, signal, { priority: "records", ...(recheck && { recheck }) });
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
      { pool: tools.resourceState.key, error },
      "cannot reset the cool-off of a failed assignment; the next one waits for it",
    );
  }
}
