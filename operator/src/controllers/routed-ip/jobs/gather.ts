/** The snapshot of a RoutedIP whose class works by Jobs. */

import { Annotation, canonicalIp } from "cdk8s-flipop/api";
import { isDeleting } from "../../../addresses/address-set.js";
import { marksOf } from "../../../addresses/marks/holder-labels-and-taints.js";
import { probesOf } from "../../../health/probes-for-controllers.js";
import type { JobState } from "../../../jobs/job-decision.js";
import type { JobService } from "../../../jobs/job-service.js";
import { jobMessages } from "../../../messages/jobs.js";
import type { Problem } from "../../../messages/message.js";
import type { HeldAddress } from "../../../messages/nodes/busy-nodes.js";
import type { ProviderId } from "../../../providers/types.js";
import { publishingOf } from "../../../publishing/published-addresses.js";
import { dropsIntents } from "../../../reconcile/write-status.js";
import type { FirewallJobs, JobAims } from "../../../routing/firewall-jobs.js";
import type { PortsFound } from "../../../routing/needed-ports.js";
import type { RoutedIP, RoutedRead } from "../../../routing/read-resources.js";
import { classRules, type ResolvedJobClass, resolveClass } from "../../../routing/resolved-class.js";
import type { RoutingCaches } from "../../../routing/shared-caches.js";
import { omitUndefined } from "../../../values.js";
import { hasUnseenOwners } from "../../context.js";
import { addressSetOf } from "../address/address-set.js";
import { problemOfAddress } from "../claim-permissions.js";
import { lookUpDns } from "../gather-records.js";
import type { RoutedState } from "../memory.js";
import { nodesOf, problemOfService, safeguardsOf, servedBy } from "../service-follower.js";
import type { JobsGathered } from "../snapshot.js";
import { elect } from "./node-election.js";
import { addressOf, type JobSnapshot } from "./snapshot.js";
import { portsFor } from "./status.js";

export interface JobTools {
  readonly routing: RoutingCaches;
  readonly jobService: JobService;
  readonly firewalls: FirewallJobs;
  readonly aims: JobAims;
  /** An address goes elsewhere: the firewall of its class may have to follow. */
  readonly onAim: () => void;
}

/** Asks the API server for what the caches do not say about the Job, once for each state of the Job. */
export async function prepareJob({ jobService }: JobTools, uid: string): Promise<void> {
  const asked = new Set<JobState["is"]>();
  for (let job = jobService.find(uid, "assign"); job !== undefined; job = jobService.find(uid, "assign")) {
    if (asked.has(job.state.is)) return;
    asked.add(job.state.is);
    if (!(await jobService.ask(job))) return;
  }
}

/** With what its actions work with. */
export function gatherJobs(tools: JobTools, state: RoutedState, read: RoutedRead): Omit<JobsGathered, "by"> {
  const { routing } = tools;
  const { routed } = read;
  const { resolvedClass } = resolveClass(routed, routing.lookUp);
  const set = addressSetOf({ routed });
  const claims = routing.context.claims.view(state.ref.uid);
  const found = lookUpDns(routing, routed, { resolvedClass, claims, family: set.family });
  const records = {
    set,
    memory: { reverts: new Map([["records", found.dns?.reverts ?? []]]) },
    refusedWrites: state.retries.refusedWrites(),
    ...omitUndefined({ dns: found.dns?.snapshot }),
  };
  return { ...found, snapshot: { ...snapshotOf(tools, state, read), ...records } };
}

function snapshotOf(
  tools: JobTools,
  state: RoutedState,
  { routed, problem, ignored = [] }: RoutedRead,
): Omit<JobSnapshot, "set" | "memory" | "dns"> {
  const { routing, jobService, firewalls } = tools;
  const { context } = routing;
  const { memory, ref } = state;
  const found = resolveClass(routed, routing.lookUp);
  const resolvedClass = found.resolvedClass?.by === "jobs" ? found.resolvedClass : undefined;
  const verdict = resolvedClass && verdictOnClass(routing, resolvedClass);
  const ofPlace = found.problem ?? (isDeleting(routed) ? undefined : problemOfService(routing, state));
  const ofAddress = resolvedClass && problemOfAddress(routing, routed, resolvedClass);
  const unserved = [problem, ofPlace, ofAddress, problemIn(verdict)].find((each) => each !== undefined);
  const { portsOn, cachesComplete } = servedBy(routing, memory, { routed, problem: unserved, resolvedClass });
  const electing = electingOf(tools, state, { routed, resolvedClass });
  const probes = probesOf(memory.health, routed.spec.healthCheck, { ofSpec: ignored });
  const { holder, target } = elect({ ...electing, ...omitUndefined({ hasPassed: probes.hasPassed }) });
  const ports = portsOn([holder, target].flatMap((node) => node?.name ?? []));
  return {
    ...electing,
    cachesComplete: cachesComplete && verdict !== "unknown" && jobService.parts.every((part) => part.hasSynced()),
    ...omitUndefined({ problem: unserved, job: jobService.find(ref.uid, "assign") }),
    ...memory.job,
    claims: context.claims.view(ref.uid),
    keeperOf: (ip) => context.claims.keeperOf(ip),
    ...omitUndefined({ foreignHolder: foreignHolderOf(routing, routed) }),
    ports,
    taints: routing.taints.view(ref.uid, isDeleting(routed)),
    ...marksOf(context.marks, "RoutedIP", routed, memory.follower.index),
    ...firewallState(routing, firewalls, withPorts(routed, ports)),
    crdTooOld: dropsIntents(state, context.clock.monotonic()),
    cleanup: state.cleanup,
    ...probes,
    ...publishingOf(context.publications, ref.uid, routed.spec.publishTo),
  };
}

/** What the election reads, beside the rest of the cluster. */
function electingOf(
  tools: JobTools,
  { ref, memory }: RoutedState,
  { routed, resolvedClass }: { readonly routed: RoutedIP; readonly resolvedClass: ResolvedJobClass | undefined },
) {
  const { context } = tools.routing;
  const { providerID } = routed.status;
  const holders = providerID === undefined ? [] : [providerID];
  const nodes = nodesOf(memory, routed, holders);
  return {
    ...{ routed, now: context.clock.now(), ...nodes, ...omitUndefined({ resolvedClass }) },
    ...safeguardsOf(context, ref.uid, { routed, holders, verdictOf: nodes.verdictOf }),
    heldOn: (machine: ProviderId) => heldOn(tools, ref.uid, machine),
    ...omitUndefined({ elected: tools.aims.electedOf(ref.uid) }),
  };
}

/** Unknown if the class is gone. The newest version of this RoutedIP counts, since the cache may lag behind. */
function firewallState(
  routing: RoutingCaches,
  firewalls: FirewallJobs,
  own: RoutedIP,
): Pick<JobSnapshot, "firewall" | "opens"> {
  const { className = "" } = own.spec;
  const found = routing.lookUp.class(className);
  if (found === undefined) return { firewall: "pending", opens: () => false };
  if (found.spec.updateFirewall === undefined) return { firewall: "done", opens: () => true };
  const { name } = found.metadata;
  const [members, rules] = [routing.membersOf(className), classRules(found.spec)];
  return {
    firewall: firewalls.of(name, members, rules, own),
    opens: firewalls.opens(name, members, rules, own),
  };
}

/** As its status will say. */
function withPorts(routed: RoutedIP, found: PortsFound): RoutedIP {
  return { ...routed, status: { ...routed.status, ...omitUndefined({ ports: portsFor(routed, found) }) } };
}

/** As far as an account shows it that the operator reads for other resources. */
function foreignHolderOf({ context: { inventories, nodes } }: RoutingCaches, routed: RoutedIP): ProviderId | undefined {
  const ip = addressOf(routed);
  const facts = ip === undefined ? undefined : inventories.find(ip);
  const holder = facts?.unconfirmed === true ? undefined : facts?.holder;
  return holder === undefined || nodes.ofMachine(holder) !== undefined ? undefined : holder;
}

type Verdict = Problem | "unknown" | undefined;

function problemIn(verdict: Verdict): Problem | undefined {
  return verdict === "unknown" ? undefined : verdict;
}

/** What the class, as it is now, says is in the way, such as a Job that the server refuses. `unknown`: not tried yet. */
function verdictOnClass(routing: RoutingCaches, { className, objectName }: ResolvedJobClass): Verdict {
  const { metadata, status } = routing.lookUp.class(className) ?? {};
  const accepted = status?.conditions?.find(({ type }) => type === "Accepted");
  if (accepted === undefined || accepted.observedGeneration !== metadata?.generation) return "unknown";
  if (accepted.status === "True") return undefined;
  if (accepted.status === "Unknown") return "unknown";
  return jobMessages.refusedByClass({ name: objectName, said: accepted.message });
}

/** By the statuses of other RoutedIPs, by where their Jobs are bringing them, and by what pools have put there. */
function heldOn({ routing, aims }: JobTools, uid: string, machine: ProviderId): readonly HeldAddress[] {
  const { context, routed } = routing;
  const others = [...routed.list()].filter(({ metadata, status }) => {
    if (metadata.uid === uid) return false;
    return status?.providerID === machine || aims.of(metadata.uid).some(({ providerID }) => providerID === machine);
  });
  const held = others.map(({ metadata: { namespace = "", name }, status }) => ({
    ...omitUndefined({ ip: status?.routedIP }),
    owner: { kind: "RoutedIP", namespace, name },
  }));
  const ip = context.nodes.ofMachine(machine)?.annotations[Annotation.reservedIpv4];
  if (ip === undefined) return held;
  const owner = context.claims.holderOf(canonicalIp(ip));
  const unseen = owner === undefined && hasUnseenOwners(context.settings);
  return [...held, { ip, ...omitUndefined({ owner }), ...(unseen && { unseen }) }];
}
