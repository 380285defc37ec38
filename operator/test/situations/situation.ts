/**
 * Situations that keep a resource from serving as requested: each in words, as the smallest scene in which the operator's
 * own code decides about it, and with what to do. docs/how-to/troubleshoot.md is made from them.
 */

import type { ConditionType, KindName, Reason } from "cdk8s-flipop/api";
import { failedCalls, REMEDIES } from "../../src/messages/failed-calls.js";
import type { Problem } from "../../src/messages/message.js";
import { ProviderError, type ProviderErrorKind, type ProviderErrorProps } from "../../src/providers/errors.js";
import { type PlannedCondition, problemOf } from "../../src/reconcile/conditions.js";

/** What a user reads. */
export interface Seen {
  /** The condition, `status.ips`, or Event. */
  readonly where: string;
  readonly reason: string;
  readonly message: string;
}

export interface Situation {
  /** In words. */
  readonly when: string;
  readonly kind: KindName;
  /** The condition, `status.ips` or Event that shows it, and the reason: `Fulfilled NoCandidate`. */
  readonly shows: string;
  /** What the message has to name: the object that is in the way, and others that a reader needs. */
  readonly names: readonly string[];
  readonly seen: () => Seen;
  /** The first thing to do. */
  readonly fix: string;
}

/** Situations that look alike to a user. */
export interface Group {
  readonly heading: string;
  readonly situations: readonly Situation[];
}

interface Planned {
  readonly conditions: readonly PlannedCondition[];
}

/** What one condition of a plan says. */
export function seenIn({ conditions }: Planned, type: ConditionType): Seen {
  const found = conditions.find((each) => each.type === type);
  if (found === undefined) throw new Error(`the plan has no condition ${type}`);
  return { where: type, reason: found.reason, message: found.message };
}

/** A call to the cloud fails, as the provider's client reports it. @param where the provider and the call */
export function callFailure(kind: ProviderErrorKind, where: string, seen: string, more: FailureFacts = {}): Problem {
  const { remedy = REMEDIES[kind], missing = "ProviderUnavailable", reason } = more;
  const error = new ProviderError({ kind, where, seen, remedy, outcome: "refused", ...(reason && { reason }) });
  return problemOf(error, missing);
}

interface FailureFacts extends Partial<Pick<ProviderErrorProps, "reason" | "remedy">> {
  /** What the provider does not have. */
  readonly missing?: Reason;
}

/** The cloud rejects the token that the operator reads from this place. */
export function refusedToken(place: string, where = "digitalocean: list reserved IPs"): Problem {
  const remedy = failedCalls.checkToken(REMEDIES.Unauthorized, place);
  return callFailure("Unauthorized", where, "answer 401: Unable to authenticate you", { remedy });
}
