/** The snapshot of one class: who uses it, and what the server says about its Jobs. */

import type { ClusterRoutedIPClassSpec } from "cdk8s-flipop/api";
import type { JobDecision } from "../../jobs/job-decision.js";
import type { JobService } from "../../jobs/job-service.js";
import type { ObjectMeta } from "../../kube/objects.js";
import { omitUndefined } from "../../omit-undefined.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import type { FirewallJobs } from "../../routing/firewall-jobs.js";
import { classRules } from "../../routing/resolved-class.js";
import type { ClassRead } from "../../routing/resource.js";
import type { Routing } from "../../routing/routing.js";

export function isByJobs({ updateRoutedIP, updateFirewall }: ClusterRoutedIPClassSpec): boolean {
  return updateRoutedIP !== undefined || updateFirewall !== undefined;
}

export interface ClassSnapshot {
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  /** `status.retryAt` as it is. */
  readonly retryAt?: string;
  readonly metadata: ObjectMeta;
  readonly spec: ClusterRoutedIPClassSpec;
  /** Why the spec can't be served. */
  readonly problem?: Problem;
  /** All RoutedIPs are known: none can use it unseen. */
  readonly cachesComplete: boolean;
  /** When the next firewall Job starts after one that failed, ms since the epoch. */
  readonly firewallRetryAt?: number;
  /** RoutedIPs that name it. */
  readonly users: readonly string[];
  /** The issuer that it names is there; of a class with Jobs: `undefined`. */
  readonly issuerFound?: boolean;
  readonly jobs: JobFacilities;
}

/** What the operator may do with Jobs. */
export interface JobFacilities {
  readonly enabled: boolean;
  /** Those in which Jobs may run; the first is the default. */
  readonly namespaces: readonly string[];
  /** The server's answer to a dry run of both Jobs. `untried`: not asked since the last change. */
  readonly dryRun: "untried" | "accepted" | { readonly refused: string };
  /** By name, of the namespace of the Jobs; `undefined`: there is none of that name. */
  readonly accounts: ReadonlyMap<string, Pick<ObjectMeta, "labels"> | undefined>;
  /** The server is to be asked (again). */
  readonly due: boolean;
  /** When that is, ms since the epoch. */
  readonly dueAt?: number;
}

export interface Snapshot extends ClassSnapshot {
  /** What the firewall Job of the class needs. Absent: the class has none, or too little is known. */
  readonly firewallJob?: JobDecision;
}

/** What a class with Jobs works with. */
export interface ClassJobs {
  readonly dnsService: JobService;
  readonly firewalls: FirewallJobs;
}

export interface ClassTools {
  readonly routing: Routing;
  /** Absent: the operator runs without feature jobs. */
  readonly jobs?: ClassJobs;
  /** The firewall of a class is in step now, or cannot be brought there. */
  readonly onFirewall: () => void;
}

/** Asks the server for what the caches do not say about the firewall Job. */
export async function prepare({ routing, jobs }: ClassTools, state: { read(): ClassRead | undefined }): Promise<void> {
  const read = state.read();
  if (jobs === undefined || read === undefined || !isByJobs(read.spec) || !isComplete(routing)) return;
  const job = jobs.dnsService.find(read.metadata.uid, "firewall");
  if (job !== undefined) await jobs.dnsService.ask(job);
}

export function gather(tools: ClassTools, { metadata, spec, status, problem }: ClassRead): Snapshot {
  const { routing, jobs } = tools;
  const { name } = metadata;
  const { issuerRef } = spec;
  return {
    metadata,
    spec,
    now: routing.context.clock.now(),
    ...omitUndefined({ problem, retryAt: status.retryAt, firewallJob: firewallJobOf(tools, { metadata, spec }) }),
    ...omitUndefined({ firewallRetryAt: firewallRetryOf(tools, { metadata, spec }) }),
    cachesComplete: isComplete(routing),
    users: routing.usersOfClass(name),
    ...(issuerRef === undefined
      ? {}
      : { issuerFound: routing.lookUp.issuer(`${issuerRef.namespace}/${issuerRef.name}`) !== undefined }),
    jobs: {
      enabled: jobs !== undefined,
      namespaces: routing.settings.jobNamespaces,
      ...(jobs?.dnsService.trialOf(name, spec) ?? { dryRun: "untried", accounts: new Map(), due: false }),
    },
  };
}

function firewallJobOf({ routing, jobs }: ClassTools, { metadata, spec }: Pick<ClassRead, "metadata" | "spec">) {
  if (jobs === undefined || !isByJobs(spec) || !isComplete(routing)) return undefined;
  const { name, uid } = metadata;
  const job = jobs.dnsService.find(uid, "firewall");
  const now = routing.context.clock.now();
  return jobs.firewalls.decide(name, routing.membersOf(name), {
    resolvedClass: classRules(spec),
    now,
    ...omitUndefined({ job }),
  });
}

function firewallRetryOf(
  { routing, jobs }: ClassTools,
  { metadata: { name }, spec }: Pick<ClassRead, "metadata" | "spec">,
): number | undefined {
  if (jobs === undefined || !isByJobs(spec) || !isComplete(routing)) return undefined;
  const firewall = jobs.firewalls.of(name, routing.membersOf(name), classRules(spec));
  return typeof firewall === "object" ? firewall.retryAt : undefined;
}

/** This process leads, and knows all RoutedIPs. */
function isComplete({ context, synced }: Routing): boolean {
  return context.leads() && synced;
}
