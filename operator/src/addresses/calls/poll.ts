/** Looks at an action that the provider runs. */

import { ACTION_POLL_SECONDS, SECOND_MS } from "../../bounds.js";
import type { CallContext } from "../../providers/call.js";
import type { ProviderId } from "../../providers/types.js";
import { noting, type OpenAccount, outcomeOfAction } from "./call.js";
import { type Outcome, outcomeOf, skipped } from "./outcomes.js";

/** Looks at a running action. */
export interface PollState {
  readonly id: string;
  readonly attempts: number;
  /** Monotonic ms: not before. */
  readonly nextAt: number;
}

/** ms to wait after so many looks. */
export function pollMs(attempts: number): number {
  const last = ACTION_POLL_SECONDS.length - 1;
  return (ACTION_POLL_SECONDS[Math.min(attempts, last)] ?? 1) * SECOND_MS;
}

export interface RunningAction {
  readonly ip: string;
  readonly id: string;
  readonly expected: ProviderId | undefined;
}

/** One look. `skipped`: it still runs, as far as anybody knows: no answer leaves it running. */
export async function poll(
  { account, inventory }: OpenAccount,
  context: CallContext,
  { ip, id, expected }: RunningAction,
): Promise<Outcome> {
  try {
    const facts = await noting(account, () => inventory.poll(account.provider, context, { ip, id, expected }));
    return facts.state === "in-progress" ? skipped("it still runs") : outcomeOfAction(facts);
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome.is !== "refused") return outcome;
    return { is: "skipped", because: outcome.failure.problem.message, unanswered: true };
  }
}
