/** What stands in the way of a resource, as a condition says it. */

import type { Reason } from "cdk8s-flipop/api";
import type { ProviderError, ProviderErrorKind } from "../../providers/errors.js";

export interface Problem {
  readonly reason: Reason;
  /** What was seen, where, and how to correct it. */
  readonly message: string;
}

/** @param notFound what it is that the provider does not have, as a reason. */
export function problemOf(error: ProviderError, notFound: Reason): Problem {
  return { reason: reasonOf(error, notFound), message: error.message };
}

function reasonOf({ kind, reason }: ProviderError, notFound: Reason): Reason {
  if (kind === "NotFound") return notFound;
  // Something of somebody else is in the way, and stays there: a CNAME of that name, a second zone.
  if (reason === "RecordExists" || reason === "Ambiguous") return "Invalid";
  return REASON_OF[kind];
}

const REASON_OF: Readonly<Record<Exclude<ProviderErrorKind, "NotFound">, Reason>> = {
  Conflict: "ProviderUnavailable",
  RateLimited: "RateLimited",
  Unavailable: "ProviderUnavailable",
  Unauthorized: "Unauthorized",
  QuotaExceeded: "QuotaExceeded",
  Terminal: "Invalid",
};
