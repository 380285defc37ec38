import type { Reason } from "./reasons";

/**
 * Reasons that can end without a person: the operator works, or waits for a provider, a node or an object that another tool
 * may still apply. A resource that does not serve is Reconciling for one of these reasons, and Stalled for any other.
 */
export const PASSING_REASONS: readonly Reason[] = [
  "Observed",
  "NotObserved",
  "ProviderUnavailable",
  "RateLimited",
  "APIServerUnavailable",
  "CreationUnsettled",
  "UnderWay",
  "InGrace",
  "CoolingOff",
  "MassFailure",
  "MoveLimit",
  "NoCandidate",
  "TooFewCandidates",
  "KeptLastKnown",
  "NoneActive",
  "ServiceNotFound",
  "GatewayNotFound",
  "KindNotInstalled",
  "IssuerNotFound",
  "ClassNotFound",
  "SecretNotFound",
  "FirewallNotFound",
  "InUse",
];
