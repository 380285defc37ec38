/** How an action ended, and what an error says about it. Pure. */

import { isConflict, isNotFound, StatusError } from "../../kube/status-error.js";
import { errorText } from "../../logging.js";
import { isSuperseded } from "../../providers/decision.js";
import { isProviderError, type ProviderError, type ProviderErrorReason } from "../../providers/errors.js";
import { type Problem, problemOf } from "../../reconcile/conditions/problem.js";
import { ObjectGone } from "../../reconcile/objects/object-writer.js";
import type { Failure } from "../../reconcile/retries/retry-schedule.js";
import { isWithheld } from "../../reconcile/retries/run-failure.js";
import { isAccountError } from "../address-accounts.js";

/** Why nothing came of an action. */
export interface ActionFailure extends Failure {
  readonly problem: Problem;
  /** What exactly stood in the way, where a provider said so. */
  readonly detail?: ProviderErrorReason;
  /** It is the account's, not that of the one address or node. */
  readonly ofAccount?: boolean;
  /** The address is there, but not the machine that it should go to. */
  readonly noMachine?: boolean;
  /** The call was sent, and its answer was lost: it may have been accepted. */
  readonly unconfirmed?: boolean;
}

/**
 * `ip`: the address that was created. `started`: it goes on without us; `id` is for polls. `refused`: try again later.
 * `unknown`: a creation whose answer was lost. `superseded`: nothing was sent, since the decision no longer held: plan
 * again at once. `skipped`: nothing was sent, or the world had changed; no failure, but
 * if a poll of an action got no answer (`unanswered`).
 */
export type Outcome =
  | { readonly is: "done"; readonly ip?: string }
  | { readonly is: "started"; readonly id: string; readonly ip?: string }
  | { readonly is: "refused"; readonly failure: ActionFailure }
  | { readonly is: "unknown"; readonly failure: ActionFailure }
  | { readonly is: "superseded"; readonly because: string }
  | {
      readonly is: "skipped";
      readonly because: string;
      readonly unanswered?: true;
      /** The caller gave up a call that had been sent: it may have been accepted. */
      readonly unconfirmed?: true;
    };

export const DONE: Outcome = { is: "done" };

export function skipped(because: string): Outcome {
  return { is: "skipped", because };
}

/** For the log. */
export function hasFailed(outcome: Outcome): boolean {
  return (
    outcome.is === "refused" || outcome.is === "unknown" || (outcome.is === "skipped" && outcome.unanswered === true)
  );
}

/** What anything thrown by an action means. */
export function outcomeOf(error: unknown): Outcome {
  if (isWithheld(error)) return skipped(error.message);
  if (isSuperseded(error)) return { is: "superseded", because: error.seen };
  if (isProviderError(error)) {
    return error.reason === "Cancelled" ? cancelled(error) : { is: "refused", failure: providerFailure(error) };
  }
  if (error instanceof ObjectGone) return skipped(error.message);
  if (isConflict(error)) return skipped("the object has changed meanwhile");
  if (isNotFound(error)) return skipped("the object is gone");
  return { is: "refused", failure: serverFailure(error) };
}

function cancelled({ message, outcome }: ProviderError): Outcome {
  return outcome === "unknown" ? { is: "skipped", because: message, unconfirmed: true } : skipped(message);
}

export function providerFailure(error: ProviderError): ActionFailure {
  const { kind, reason, retryAfterSeconds, outcome } = error;
  const problem = problemOf(error, "AddressNotFound");
  return {
    kind,
    problem: reason === "WrongRegion" ? { ...problem, reason: "WrongRegion" } : problem,
    ...(reason === undefined ? {} : { detail: reason }),
    ...(isAccountError(error) ? { ofAccount: true } : {}),
    ...(outcome === "unknown" ? { unconfirmed: true } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

/** Of the Kubernetes API. It may accept a refused write after a person has granted the right or corrected the object. */
function serverFailure(error: unknown): ActionFailure {
  const retryAfterSeconds = error instanceof StatusError ? error.retryAfterSeconds : undefined;
  return {
    kind: "Unavailable",
    problem: { reason: "Invalid", message: errorText(error) },
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}
