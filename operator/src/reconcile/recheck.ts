/** Whether a plan made now still asks for an action whose call has waited for the rate limit. */

import { jsonEqual } from "../kube/equal.js";
import type { Recheck } from "../providers/decision.js";
import { type Action, type ActionSequence, actionsOf, type Kind, type KindTypes, type Plan } from "./kind.js";

export interface Replanning<T extends KindTypes> {
  readonly kind: Pick<Kind<T>, "supersededBecause">;
  /** Gathers and plans anew; `undefined`: the resource is gone. */
  readonly plan: () => Plan<T["action"]> | undefined;
  /** Lock keys of the sequences that run. */
  readonly inFlight: Set<string>;
}

export function recheckByPlan<T extends KindTypes>(
  { kind: { supersededBecause = isMissing }, plan, inFlight }: Replanning<T>,
  { lockKey }: ActionSequence<T["action"]>,
  action: T["action"],
): Recheck {
  return () => {
    // The plan of now must not see the call that it is asked about.
    const held = inFlight.delete(lockKey);
    try {
      const sequences = plan()?.sequences.filter((sequence) => sequence.lockKey === lockKey);
      return supersededBecause(sequences?.flatMap(actionsOf), action);
    } finally {
      if (held) inFlight.add(lockKey);
    }
  };
}

/** The reason may have changed meanwhile. */
function isMissing(planned: readonly Action[] | undefined, { why: _then, ...action }: Action): string | undefined {
  if (planned === undefined) return "the resource is gone";
  const same = planned.some(({ why: _now, ...other }) => jsonEqual(other, action));
  return same ? undefined : "the plan has changed since the decision";
}
