/** The snapshot of a RoutedIP whose class works by Jobs. */

import { Annotation } from "cdk8s-flipop/api";
import { CRD_PROBE_MS } from "../../../bounds.js";
import type { ProviderId } from "../../../providers/types.js";
import { given } from "../../given.js";
import type { JobDesk } from "../../jobs/job-desk.js";
import type { Problem } from "../../problem.js";
import { nodesOf, problemOfService, servedBy } from "../gather.js";
import type { PortsFound } from "../ports.js";
import type { RoutedRead } from "../resource.js";
import type { Routing } from "../routing.js";
import type { RoutedIP } from "../snapshot.js";
import { classTerms, type JobTerms, termsOf } from "../terms.js";
import type { RoutedUnit } from "../unit.js";
import type { FirewallJobs } from "./firewall-jobs.js";
import type { JobSnapshot } from "./plan.js";

export interface JobTools {
  readonly routing: Routing;
  readonly desk: JobDesk;
  readonly firewalls: FirewallJobs;
  /** By uid of the RoutedIP: the machine that a Job is bringing its address to. No status says so yet. */
  readonly aims: Map<string, ProviderId>;
}

export function snapshotOf(tools: JobTools, unit: RoutedUnit, { routed, problem }: RoutedRead): JobSnapshot {
  const { routing, desk, firewalls } = tools;
  const { context } = routing;
  const found = termsOf(routed, routing.lookUp);
  const terms = found.terms?.by === "jobs" ? found.terms : undefined;
  const verdict = terms === undefined ? undefined : verdictOnClass(routing, terms);
  const unserved = problem ?? found.problem ?? problemOfService(routing, unit) ?? problemIn(verdict);
  const { ports, cachesComplete } = servedBy(routing, unit, { routed, problem: unserved });
  return {
    routed,
    now: context.clock.now(),
    cachesComplete: cachesComplete && verdict !== "unknown" && desk.parts.every((part) => part.hasSynced()),
    ...given({ terms, problem: unserved, job: desk.find(unit.ref.uid, "assign") }),
    ...given({ retry: unit.addressRetry, failure: unit.jobFailure }),
    claims: context.claims.view(unit.ref.uid),
    ...nodesOf(unit),
    ports,
    taints: routing.taints.view(unit.ref.uid),
    load: (machine) => loadOf(tools, unit, machine),
    firewall: firewallState(routing, firewalls, withPorts(routed, ports)),
    crdTooOld: context.clock.monotonic() - unit.droppedAt < CRD_PROBE_MS,
    cleanup: unit.cleanup,
  };
}

/** Of a class that is gone nobody can say. Of this RoutedIP the newest version counts: the cache may lag behind it. */
function firewallState(routing: Routing, firewalls: FirewallJobs, routed: RoutedIP): JobSnapshot["firewall"] {
  const { className = "" } = routed.spec;
  const found = routing.lookUp.class(className);
  if (found === undefined) return "pending";
  const isOwn = ({ metadata }: RoutedIP) => metadata.uid === routed.metadata.uid;
  const members = routing.membersOf(className).map((member) => (isOwn(member) ? routed : member));
  return firewalls.of(className, members, classTerms(found.spec));
}

/** As its status will say. */
function withPorts(routed: RoutedIP, { ports }: PortsFound): RoutedIP {
  return ports.length === 0 ? routed : { ...routed, status: { ...routed.status, ports } };
}

type Verdict = Problem | "unknown" | undefined;

function problemIn(verdict: Verdict): Problem | undefined {
  return verdict === "unknown" ? undefined : verdict;
}

/** What the class, as it is now, says is in the way, such as a Job that the server refuses. `unknown`: not tried yet. */
function verdictOnClass(routing: Routing, { className }: JobTerms): Verdict {
  const { metadata, status } = routing.lookUp.class(className) ?? {};
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.observedGeneration !== metadata?.generation) return "unknown";
  if (ready.status === "True") return undefined;
  if (ready.status === "Unknown") return "unknown";
  return { reason: "JobRefused", message: `ClusterRoutedIPClass ${className}: ${ready.message}` };
}

/** By the statuses of other RoutedIPs, by where their Jobs are bringing them, and by what pools have put there. */
function loadOf({ routing, aims }: JobTools, unit: RoutedUnit, machine: ProviderId): number {
  let load = 0;
  for (const { metadata, status } of routing.routed.list()) {
    if (metadata.uid === unit.ref.uid) continue;
    if (status?.providerID === machine || aims.get(metadata.uid) === machine) load += 1;
  }
  const node = routing.context.nodes.ofMachine(machine);
  return load + (node?.annotations[Annotation.reservedIpv4] === undefined ? 0 : 1);
}
