/** Carries out what a plan asks for: an action after the other, as long as each is done. */

import { Finalizer } from "cdk8s-flipop/api";
import { finalizerPatch } from "../../kube/patch.js";
import { isConflict, isNotFound } from "../../kube/status-error.js";
import { isSuperseded } from "../../providers/decision.js";
import { isProviderError } from "../../providers/errors.js";
import { askedBy } from "../asked-by.js";
import { ObjectGone } from "../object-writer.js";
import { type Problem, problemOf } from "../problem.js";
import type { DnsAction } from "../records/actions.js";
import { type DnsDesk, type DnsLook, NoDnsError } from "../records/dns-desk.js";
import { isWithheld } from "../run-failure.js";
import type { Action, Chain } from "./actions.js";
import type { Plan } from "./plan.js";
import type { RecordSetUnit } from "./unit.js";

/**
 * `refused`: the provider says no, and the book knows when to try again. `superseded`: the plan of now asks for something
 * else. `skipped`: nothing was sent, or the world had changed.
 */
export type Outcome =
  | { readonly is: "done" }
  | { readonly is: "refused"; readonly problem: Problem }
  | { readonly is: "superseded"; readonly because: string }
  | { readonly is: "skipped"; readonly because: string };

export interface Step {
  readonly action: Action;
  readonly outcome: Outcome;
}

export interface ExecuteTools {
  readonly desk: DnsDesk;
  readonly unit: RecordSetUnit;
  /** That the plan was made of. */
  readonly dns: DnsLook;
  readonly plan: Pick<Plan, "intended">;
  /** Why an action is not what the plan of now asks for. */
  readonly superseded: (action: DnsAction) => string | undefined;
  /** Aborts when this process has to end. */
  readonly signal: AbortSignal;
}

/** The last step may be other than done. Rejects where the Kubernetes API fails: try again later. */
export async function execute(tools: ExecuteTools, chain: Chain): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const action of chain) {
    const outcome = await attempt(tools, action);
    steps.push({ action, outcome });
    if (outcome.is !== "done") break;
  }
  return steps;
}

const DONE: Outcome = { is: "done" };

async function attempt(tools: ExecuteTools, action: Action): Promise<Outcome> {
  if (tools.signal.aborted) return skipped("told to stop");
  try {
    await perform(tools, action);
    return DONE;
  } catch (error) {
    return outcomeOf(error);
  }
}

async function perform({ desk, unit, dns, plan, signal, superseded }: ExecuteTools, action: Action): Promise<void> {
  switch (action.do) {
    case "read-records":
    case "apply-records":
      return desk.carryOut(
        dns,
        action,
        askedBy(unit.ref, action.why, signal, {
          priority: "records",
          recheck: () => superseded(action),
        }),
      );
    case "record-dns":
      // Written with the rest of the status at the end of the run; until then this process knows it.
      unit.overlay = { ...unit.overlay, dns: action.written, addresses: plan.intended };
      return;
    case "add-finalizer":
    case "remove-finalizer":
      await unit.writer.write({
        patch: (object) => finalizerPatch(object, Finalizer.cleanup, action.do === "add-finalizer"),
        signal,
      });
  }
}

function outcomeOf(error: unknown): Outcome {
  if (isSuperseded(error)) return { is: "superseded", because: error.seen };
  if (isProviderError(error)) {
    return error.reason === "Cancelled" ? skipped(error.message) : refused(problemOf(error, "ZoneNotFound"));
  }
  if (error instanceof NoDnsError) return refused({ reason: "UnknownProvider", message: error.message });
  if (isWithheld(error)) return skipped(error.message);
  if (isConflict(error)) return skipped("the object has changed meanwhile");
  if (isNotFound(error) || error instanceof ObjectGone) return skipped("the object is gone");
  throw error;
}

function refused(problem: Problem): Outcome {
  return { is: "refused", problem };
}

function skipped(because: string): Outcome {
  return { is: "skipped", because };
}
