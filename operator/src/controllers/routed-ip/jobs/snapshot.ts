/** All that a decision about a RoutedIP whose class works by Jobs reads. */

import { canonicalIp, type RoutedIPStatus } from "cdk8s-flipop/api";
import { annotatedIps } from "../../../addresses/desired.js";
import type { ClaimView } from "../../../claims/claims.js";
import type { JobSituation } from "../../../jobs/job-decision.js";
import type { Verdict } from "../../../match/checks.js";
import type { NodeFacts } from "../../../match/node-facts.js";
import type { ProviderId } from "../../../providers/types.js";
import type { CleanupMemory } from "../../../reconcile/cleanup.js";
import type { Problem } from "../../../reconcile/conditions/problem.js";
import type { RetryState } from "../../../reconcile/retries/retry-schedule.js";
import type { FirewallState } from "../../../routing/firewall-jobs.js";
import type { PortsFound } from "../../../routing/ports.js";
import type { ResolvedJobClass } from "../../../routing/resolved-class.js";
import type { RoutedIP } from "../../../routing/resource.js";
import type { TaintView } from "../../../routing/taint-registry.js";

export interface JobSnapshot {
  readonly routed: RoutedIP;
  readonly now: number;
  readonly cachesComplete: boolean;
  /** See `GraceInput.leadsSince`. */
  readonly leadsSince?: number;
  readonly resolvedClass?: ResolvedJobClass;
  readonly problem?: Problem;
  readonly claims: ClaimView;
  readonly candidates: readonly NodeFacts[];
  readonly verdictOf: (machine: ProviderId) => Verdict | undefined;
  readonly refusals: string;
  readonly servesAt: (node: string) => boolean;
  readonly ports: PortsFound;
  readonly taints: TaintView;
  /** Addresses of others that a machine holds, as far as statuses say. */
  readonly load: (machine: ProviderId) => number;
  /** The server drops the intent of a creation: nothing is created. */
  readonly crdTooOld: boolean;
  readonly job?: JobSituation["job"];
  readonly retry?: RetryState;
  /** What the last Job said that failed. */
  readonly failure?: Problem;
  /** What the class's firewall Jobs have reached for this RoutedIP; after its deletion: that nothing is left. */
  readonly firewall: FirewallState;
  readonly cleanup: CleanupMemory;
}

export type Change = { readonly [K in keyof RoutedIPStatus]?: RoutedIPStatus[K] | undefined };

export function addressOf({ metadata, spec, status }: RoutedIP): string | undefined {
  const ip = spec.routedIP || status.routedIP;
  // Should the status get lost, the copy says what was created.
  return ip ? canonicalIp(ip) : annotatedIps({ metadata })[0];
}
