/** The snapshot of one class: who uses it, and what the server says about its Jobs. */

import type { ClusterRoutedIPClassSpec, Condition } from "cdk8s-flipop/api";
import type { JobDecision } from "../../jobs/job-decision.js";
import type { JobService } from "../../jobs/job-service.js";
import type { ObjectMeta } from "../../kube/objects.js";
import type { LeavingUser } from "../../messages/deletion/kept-resource.js";
import { classMessages } from "../../messages/issuers-and-classes.js";
import type { Problem } from "../../messages/message.js";
import { addressCapabilities } from "../../providers/address-capabilities.js";
import { isReason } from "../../reconcile/conditions.js";
import type { FirewallJobs } from "../../routing/firewall-jobs.js";
import type { InUseFinalizers } from "../../routing/in-use.js";
import { type ClassRead, type IssuerRead, nameOfClass } from "../../routing/read-resources.js";
import { classRules, type ExceededLimit, exceededLimit } from "../../routing/resolved-class.js";
import type { RoutingCaches } from "../../routing/shared-caches.js";
import { omitUndefined } from "../../values.js";

export function isByJobs({ updateRoutedIP, updateFirewall }: ClusterRoutedIPClassSpec): boolean {
  return updateRoutedIP !== undefined || updateFirewall !== undefined;
}

export interface ClassSnapshot {
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  /** `status.conditions` as they are. */
  readonly conditions?: readonly Condition[];
  /** `status.retryAt` as it is. */
  readonly retryAt?: string;
  readonly metadata: ObjectMeta;
  readonly spec: ClusterRoutedIPClassSpec;
  /** Why the spec can't be served. */
  readonly problem?: Problem;
  readonly finalizers: InUseFinalizers;
  /** All RoutedIPs are known: none can use it unseen. */
  readonly cachesComplete: boolean;
  /** When the next firewall Job starts after one that failed, ms since the epoch. */
  readonly firewallRetryAt?: number;
  /** RoutedIPs that name it. */
  readonly users: readonly string[];
  /** Of these, those that are being deleted, if the resource is, too. */
  readonly leaving: readonly LeavingUser[];
  /** Of these, those that are newer than the deletion of the resource. @default none */
  readonly newer?: readonly string[];
  /** The issuer that it names: missing, or what the issuer's own condition says; of a class with Jobs: `undefined`. */
  readonly issuer?: "missing" | "unobserved" | "accepted" | { readonly problem: Problem };
  /** This installation does not see the namespace of its issuer, and the status reports on it as it is: one that does may have written that. */
  readonly reportedUnseen?: boolean;
  /** `perNodeIPLimit` is above the limit of the issuer's provider. */
  readonly exceeded?: ExceededLimit;
  readonly jobs: JobFacilities;
}

/** Pure. @param provider of the issuer; `undefined`: not known */
export function unreachableLimit(
  { perNodeIPLimit: limit }: Pick<ClusterRoutedIPClassSpec, "perNodeIPLimit">,
  provider: string | undefined,
): ExceededLimit | undefined {
  const allowed = addressCapabilities(provider ?? "")?.addressesPerNode;
  return exceededLimit({ limit, provider, allowed });
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
  readonly jobService: JobService;
  readonly firewalls: FirewallJobs;
}

export interface ClassTools {
  readonly routing: RoutingCaches;
  /** Absent: the operator runs without feature jobs. */
  readonly jobs?: ClassJobs;
  /** The firewall of a class is in step now, or cannot be brought there. */
  readonly onFirewall: () => void;
}

/** Asks the server for what the caches do not say about the firewall Job. */
export async function prepare({ routing, jobs }: ClassTools, state: { read(): ClassRead | undefined }): Promise<void> {
  const read = state.read();
  if (jobs === undefined || read === undefined || !isByJobs(read.spec) || !isComplete(routing)) return;
  const job = jobs.jobService.find(read.metadata.uid, "firewall");
  if (job !== undefined) await jobs.jobService.ask(job);
}

export function gather(tools: ClassTools, { metadata, spec, status, problem }: ClassRead): Snapshot {
  const { routing, jobs } = tools;
  const { name } = metadata;
  const { issuerRef } = spec;
  const className = nameOfClass({ metadata, spec });
  const older = olderClass(routing, { metadata, spec });
  const issuer = issuerRef && routing.lookUp.issuer(`${issuerRef.namespace}/${issuerRef.name}`);
  const taken = older === undefined ? undefined : classMessages.nameTaken({ className, older });
  const users = taken === undefined ? routing.usersOfClass(className) : [];
  return {
    metadata,
    spec,
    now: routing.context.clock.now(),
    ...omitUndefined({
      problem: problem ?? taken,
      retryAt: status.retryAt,
      firewallJob: firewallJobOf(tools, { metadata, spec }),
      reportedUnseen: isReportedUnseen(routing, { metadata, spec, status }),
    }),
    ...omitUndefined({ exceeded: unreachableLimit(spec, issuer?.spec.provider) }),
    ...omitUndefined({ firewallRetryAt: firewallRetryOf(tools, { metadata, spec }) }),
    finalizers: routing.inUseFinalizers,
    ...omitUndefined({ conditions: status.conditions }),
    cachesComplete: isComplete(routing),
    users,
    leaving: metadata.deletionTimestamp === undefined ? [] : routing.leavingOf(users),
    newer: routing.newerOf(users, metadata),
    ...(issuerRef === undefined ? {} : { issuer: issuerState(issuer) }),
    jobs: {
      enabled: jobs !== undefined,
      namespaces: routing.settings.jobNamespaces,
      ...(jobs?.jobService.dryRuns.stateOf(name, spec) ?? { dryRun: "untried", accounts: new Map(), due: false }),
    },
  };
}

/** As the issuer's status says. */
function issuerState(
  issuer: Pick<IssuerRead, "metadata" | "status"> | undefined,
): NonNullable<ClassSnapshot["issuer"]> {
  if (issuer === undefined) return "missing";
  const accepted = acceptedOf(issuer);
  if (accepted === undefined) return "unobserved";
  const { status, reason, message } = accepted;
  if (status === "False" && isReason(reason)) return { problem: { reason, message } };
  return status === "True" ? "accepted" : "unobserved";
}

/** The condition of an earlier generation says nothing about the spec as it is. */
function acceptedOf({ metadata, status }: Pick<IssuerRead | ClassRead, "metadata" | "status">) {
  const accepted = status.conditions?.find(({ type }) => type === "Accepted");
  return accepted?.observedGeneration === metadata.generation ? accepted : undefined;
}

function isReportedUnseen(routing: RoutingCaches, read: Pick<ClassRead, "metadata" | "spec" | "status">): boolean {
  const { issuerRef } = read.spec;
  if (issuerRef === undefined || routing.seesIssuersIn(issuerRef.namespace)) return false;
  return acceptedOf(read) !== undefined;
}

/** The one that serves the RoutedIPs of the same class name. */
function olderClass(routing: RoutingCaches, read: NamedClass): string | undefined {
  const serving = routing.classFor(nameOfClass(read));
  return serving === read.metadata.name ? undefined : serving;
}

type NamedClass = Pick<ClassRead, "metadata" | "spec">;

function hasFirewall({ routing, jobs }: ClassTools, read: NamedClass): boolean {
  if (jobs === undefined || read.spec.updateFirewall === undefined) return false;
  return isComplete(routing) && olderClass(routing, read) === undefined;
}

function firewallJobOf(tools: ClassTools, { metadata, spec }: NamedClass) {
  const { routing, jobs } = tools;
  if (jobs === undefined || !hasFirewall(tools, { metadata, spec })) return undefined;
  const { name, uid } = metadata;
  const job = jobs.jobService.find(uid, "firewall");
  const now = routing.context.clock.now();
  return jobs.firewalls.decide(name, routing.membersOf(nameOfClass({ metadata, spec })), {
    resolvedClass: classRules(spec),
    now,
    ...omitUndefined({ job }),
  });
}

function firewallRetryOf(tools: ClassTools, { metadata, spec }: NamedClass): number | undefined {
  const { routing, jobs } = tools;
  if (jobs === undefined || !hasFirewall(tools, { metadata, spec })) return undefined;
  const members = routing.membersOf(nameOfClass({ metadata, spec }));
  const firewall = jobs.firewalls.of(metadata.name, members, classRules(spec));
  return typeof firewall === "object" ? firewall.retryAt : undefined;
}

/** This process leads, and knows all RoutedIPs. */
function isComplete({ context, synced }: RoutingCaches): boolean {
  return context.leads() && synced;
}
