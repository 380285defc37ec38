/** The snapshot of a RoutedIP whose class works by Jobs. */

import { Annotation } from "cdk8s-flipop/api";
import { CRD_PROBE_MS } from "../../../bounds.js";
import { inputOf } from "../../../jobs/job.js";
import type { JobService } from "../../../jobs/job-service.js";
import type { JobState } from "../../../jobs/job-state.js";
import { omitUndefined } from "../../../omit-undefined.js";
import type { ProviderId } from "../../../providers/types.js";
import type { Problem } from "../../../reconcile/conditions/problem.js";
import type { FirewallJobs } from "../../../routing/firewall-jobs.js";
import type { PortsFound } from "../../../routing/ports.js";
import { classRules, type ResolvedJobClass, resolveClass } from "../../../routing/resolved-class.js";
import type { RoutedIP, RoutedRead } from "../../../routing/resource.js";
import type { Routing } from "../../../routing/routing.js";
import type { RoutedState } from "../routed-state.js";
import { nodesOf, problemOfService, servedBy } from "../service/gather-service.js";
import type { JobAction } from "./plan.js";
import type { JobSnapshot } from "./snapshot.js";

export interface JobTools {
  readonly routing: Routing;
  readonly dnsService: JobService;
  readonly firewalls: FirewallJobs;
  readonly aims: Aims;
}

/** By uid of the RoutedIP: the machine that a Job is bringing its address to. No status says so yet. */
export class Aims {
  private readonly machines = new Map<string, ProviderId>();

  of(uid: string): ProviderId | undefined {
    return this.machines.get(uid);
  }

  /** By the Job that the plan creates, or by the one that is there. */
  set(uid: string, sequence: readonly JobAction[], job: JobSnapshot["job"]): void {
    const created = sequence.find((action) => action.do === "create-job");
    const variables = created?.variables ?? (job && inputOf(job.object));
    const machine = variables?.["NODE_PROVIDER_ID"];
    if (machine === undefined) this.machines.delete(uid);
    else this.machines.set(uid, machine);
  }
}

/** Asks the API server for what the caches do not say about the Job, once for each state of the Job. */
export async function prepareJob({ dnsService }: JobTools, uid: string): Promise<void> {
  const asked = new Set<JobState["is"]>();
  for (let job = dnsService.find(uid, "assign"); job !== undefined; job = dnsService.find(uid, "assign")) {
    if (asked.has(job.state.is)) return;
    asked.add(job.state.is);
    if (!(await dnsService.ask(job))) return;
  }
}

export function snapshotOf(tools: JobTools, state: RoutedState, { routed, problem }: RoutedRead): JobSnapshot {
  const { routing, dnsService, firewalls } = tools;
  const { context } = routing;
  const { memory, ref } = state;
  const found = resolveClass(routed, routing.lookUp);
  const resolvedClass = found.resolvedClass?.by === "jobs" ? found.resolvedClass : undefined;
  const verdict = resolvedClass === undefined ? undefined : verdictOnClass(routing, resolvedClass);
  const unserved = problem ?? found.problem ?? problemOfService(routing, state) ?? problemIn(verdict);
  const { ports, cachesComplete } = servedBy(routing, memory, { routed, problem: unserved });
  return {
    routed,
    now: context.clock.now(),
    cachesComplete: cachesComplete && verdict !== "unknown" && dnsService.parts.every((part) => part.hasSynced()),
    ...omitUndefined({ resolvedClass, problem: unserved, job: dnsService.find(ref.uid, "assign") }),
    ...memory.job,
    claims: context.claims.view(ref.uid),
    ...nodesOf(memory),
    ports,
    taints: routing.taints.view(ref.uid),
    load: (machine) => loadOf(tools, ref.uid, machine),
    firewall: firewallState(routing, firewalls, withPorts(routed, ports)),
    crdTooOld: context.clock.monotonic() - memory.intentDroppedAt < CRD_PROBE_MS,
    cleanup: state.cleanup,
  };
}

/** Unknown if the class is gone. The newest version of this RoutedIP counts, since the cache may lag behind. */
function firewallState(routing: Routing, firewalls: FirewallJobs, routed: RoutedIP): JobSnapshot["firewall"] {
  const { className = "" } = routed.spec;
  const found = routing.lookUp.class(className);
  if (found === undefined) return "pending";
  const isOwn = ({ metadata }: RoutedIP) => metadata.uid === routed.metadata.uid;
  const members = routing.membersOf(className).map((member) => (isOwn(member) ? routed : member));
  return firewalls.of(className, members, classRules(found.spec));
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
function verdictOnClass(routing: Routing, { className }: ResolvedJobClass): Verdict {
  const { metadata, status } = routing.lookUp.class(className) ?? {};
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.observedGeneration !== metadata?.generation) return "unknown";
  if (ready.status === "True") return undefined;
  if (ready.status === "Unknown") return "unknown";
  return { reason: "JobRefused", message: `ClusterRoutedIPClass ${className}: ${ready.message}` };
}

/** By the statuses of other RoutedIPs, by where their Jobs are bringing them, and by what pools have put there. */
function loadOf({ routing, aims }: JobTools, uid: string, machine: ProviderId): number {
  let load = 0;
  for (const { metadata, status } of routing.routed.list()) {
    if (metadata.uid === uid) continue;
    if (status?.providerID === machine || aims.of(metadata.uid) === machine) load += 1;
  }
  const node = routing.context.nodes.ofMachine(machine);
  return load + (node?.annotations[Annotation.reservedIpv4] === undefined ? 0 : 1);
}
