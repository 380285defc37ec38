/** Runs one sequence: an action after the other as long as each is done, a step after the other as far as it may. */

import { type Outcome, outcomeOf, skipped } from "../addresses/calls/outcomes.js";
import type { CallContext } from "../providers/call.js";
import type { Decision, Start } from "./iteration.js";
import type { ActionCall, Kind, RunAction } from "./kind.js";
import type { ActionResult, KindTypes } from "./plan.js";
import type { ResourceState } from "./resource-state.js";

export interface ActionTools<T extends KindTypes> {
  readonly kind: Kind<T>;
  readonly state: ResourceState<T>;
  readonly signal: AbortSignal;
  readonly contextOf: (action: T["action"]) => CallContext;
}

/** Never rejects. */
export async function runActions<T extends KindTypes>(
  tools: ActionTools<T>,
  decision: Decision<T>,
  { sequence }: Start<T>,
): Promise<readonly ActionResult<T["action"]>[]> {
  const results: ActionResult<T["action"]>[] = [];
  const failed = new Set<string | undefined>();
  for (const { name, reliesOn = [], actions } of sequence.steps) {
    if (reliesOn.some((other) => failed.has(other))) {
      failed.add(name);
      continue;
    }
    const done = await runStep(tools, { decision, actions }, results);
    if (!done) failed.add(name);
  }
  return results;
}

interface Step<T extends KindTypes> {
  readonly decision: Decision<T>;
  readonly actions: readonly T["action"][];
}

async function runStep<T extends KindTypes>(
  tools: ActionTools<T>,
  { decision, actions }: Step<T>,
  results: ActionResult<T["action"]>[],
): Promise<boolean> {
  for (const action of actions) {
    const outcome = await attempt(tools, callOf(tools, decision, action), action);
    results.push({ action, outcome });
    if (outcome.is !== "done") return false;
  }
  return true;
}

async function attempt<T extends KindTypes>(
  { kind, state, signal }: ActionTools<T>,
  call: ActionCall<T>,
  action: T["action"],
): Promise<Outcome> {
  if (signal.aborted) return skipped("the operator is shutting down");
  if (state.signal.aborted) return skipped("the resource is gone");
  try {
    const table: Readonly<Record<string, RunAction<T, never> | undefined>> = kind.actions;
    const run = table[action.do];
    if (run === undefined) throw new Error(`${kind.names.kind}: the kind has no action "${action.do}"`);
    return await run(call, action as never);
  } catch (error) {
    return outcomeOf(error);
  }
}

function callOf<T extends KindTypes>(
  { state, signal, contextOf }: ActionTools<T>,
  { snapshot, plan }: Decision<T>,
  action: T["action"],
): ActionCall<T> {
  return { state, snapshot, plan, signal, context: contextOf(action) };
}
