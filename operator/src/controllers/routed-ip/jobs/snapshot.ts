/** All that a decision about a RoutedIP whose class works by Jobs reads. */

import { canonicalIp, type RoutedIPStatus } from "cdk8s-flipop/api";
import { annotatedIps } from "../../../addresses/desired-addresses.js";
import type { RecordsSnapshot } from "../../../addresses/dns-records.js";
import type { ResourceMarks } from "../../../addresses/marks/holder-labels-and-taints.js";
import type { RefusedWrites } from "../../../addresses/marks/refused-marks.js";
import type { Claims, ClaimView } from "../../../claims/claims.js";
import type { MassFailureView } from "../../../health/holder-registry.js";
import type { ProbesSnapshot } from "../../../health/probes-for-controllers.js";
import type { JobSituation } from "../../../jobs/job-decision.js";
import type { MoveAllowance } from "../../../limits/move-limits.js";
import type { Verdict } from "../../../match/checks.js";
import type { NodeFacts } from "../../../match/node-facts.js";
import type { Problem } from "../../../messages/message.js";
import type { HeldAddress } from "../../../messages/nodes/busy-nodes.js";
import type { RefusedNodes } from "../../../messages/nodes/refused-nodes.js";
import type { ProviderId } from "../../../providers/types.js";
import type { PublishingSnapshot } from "../../../publishing/published-addresses.js";
import type { CleanupMemory, RetryState } from "../../../reconcile/retries.js";
import type { FirewallState } from "../../../routing/firewall-jobs.js";
import type { PortsFound } from "../../../routing/needed-ports.js";
import type { RoutedIP } from "../../../routing/read-resources.js";
import type { ResolvedJobClass } from "../../../routing/resolved-class.js";
import type { TaintView } from "../../../routing/taint-registry.js";

export interface JobSnapshot extends RecordsSnapshot, ProbesSnapshot, ResourceMarks, PublishingSnapshot {
  readonly routed: RoutedIP;
  readonly cachesComplete: boolean;
  /** See `GraceInput.leadsSince`. */
  readonly leadsSince?: number;
  readonly resolvedClass?: ResolvedJobClass;
  readonly problem?: Problem;
  readonly claims: ClaimView;
  /** The resource that created an address or has it. */
  readonly keeperOf: Claims["keeperOf"];
  /** The machine that has the address, if an account shows one that is not a node of this cluster. */
  readonly foreignHolder?: ProviderId;
  readonly candidates: readonly NodeFacts[];
  readonly verdictOf: (machine: ProviderId) => Verdict | undefined;
  readonly refusals: RefusedNodes;
  readonly servesAt: (node: string) => boolean;
  readonly ports: PortsFound;
  readonly taints: TaintView;
  /** Addresses of others that a machine holds or is about to get, as far as statuses say. */
  readonly heldOn: (machine: ProviderId) => readonly HeldAddress[];
  /** The server drops the intent of a creation: nothing is created. */
  readonly crdTooOld: boolean;
  readonly job?: JobSituation["job"];
  readonly retry?: RetryState;
  /** See `Retries.refusedWrites`. @default none */
  readonly refusedWrites?: RefusedWrites;
  /** What the last Job said that failed. */
  readonly failure?: Problem;
  /** What the class's firewall Jobs have reached for this RoutedIP; after its deletion: that nothing is left. */
  readonly firewall: FirewallState;
  /** Whether a firewall Job has opened the ports on this machine. */
  readonly opens: (machine: ProviderId) => boolean;
  /** The stop that keeps addresses on a machine. @default none does */
  readonly massFailures?: MassFailureView;
  /** Moves that the limit of the operator allows now. Absent: any number. */
  readonly moveAllowance?: MoveAllowance;
  /** The node of the last election: it keeps its place among those that are as good. */
  readonly elected?: ProviderId;
  readonly cleanup: CleanupMemory;
  /** What is left out of the spec without harm, for people. @default none */
  readonly passedOver?: readonly string[];
}

export type Change = { readonly [K in keyof RoutedIPStatus]?: RoutedIPStatus[K] | undefined };

export function addressOf({ metadata, spec, status }: RoutedIP): string | undefined {
  const ip = spec.routedIP || status.routedIP;
  // Should the status get lost, the copy says what was created.
  return ip ? canonicalIp(ip) : annotatedIps({ metadata })[0];
}
