/** All that a decision about one issuer reads. */

import type { RoutedIPIssuerSpec, RoutedIPIssuerStatus } from "cdk8s-flipop/api";
import type { ObjectMeta } from "../../kube/objects.js";
import type { FirewallFacts } from "../../providers/types.js";
import type { CleanupMemory } from "../cleanup.js";
import type { Problem } from "../problem.js";

export interface Issuer {
  readonly metadata: ObjectMeta;
  readonly spec: RoutedIPIssuerSpec;
  readonly status: RoutedIPIssuerStatus;
}

export interface Snapshot {
  readonly issuer: Issuer;
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  /** All RoutedIPs and classes are known: nobody can use it unseen. */
  readonly cachesComplete: boolean;
  /** Why it can't serve: the spec, the provider, the credentials. */
  readonly problem?: Problem;
  /** What the provider said when it was asked with these credentials. `untried`: not asked yet. */
  readonly account: "untried" | "good" | { readonly failure: Problem };
  /** When an account that failed is tried again, ms since the epoch. */
  readonly accountRetryAt?: number;
  /** Regions of the cluster's nodes; empty: they name none. */
  readonly regions: ReadonlySet<string>;
  /** The firewall that the spec names. */
  readonly firewall: FirewallFacts | "unknown" | "missing" | "none" | { readonly failure: Problem };
  /** RoutedIPs that use it, as `namespace/name`, sorted. */
  readonly users: readonly string[];
  /** Of the clean-up of a deleted one. */
  readonly cleanup: CleanupMemory;
}
