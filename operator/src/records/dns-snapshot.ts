/** What a decision about one resource reads of its record set: values of one moment. */

import type { Claim } from "../claims/claims.js";
import type { DnsCapabilities } from "../providers/types.js";
import type { Problem } from "../reconcile/conditions/problem.js";
import type { Records } from "./record-set.js";

export interface DnsSnapshot {
  /** Of the provider that the spec names; absent: it is unknown or has no DNS. */
  readonly capabilities?: DnsCapabilities;
  /** On the name that the spec names. Absent: there is none, or it is undecided. */
  readonly claim?: Claim;
  /** The set that the spec names. */
  readonly records: Records;
  /** What `status.dns` names and the spec does not (any more). */
  readonly previous: { readonly records: Records; readonly claim?: Claim };
  /** The last call to the DNS provider failed. */
  readonly failure?: Problem;
  /** ms since the epoch: no call before. */
  readonly retryAt?: number;
  /** ms since the epoch: when `records` becomes unknown, and has to be read again. */
  readonly readAgainAt?: number;
}
