/** The decision about a class: its finalizer, the dry run of its Jobs, its firewall Job, its condition. Pure. */

import type { ClusterRoutedIPClassSpec } from "cdk8s-flipop/api";
import { accountProblem, type JobVariables, jobNamespaceOf } from "../../jobs/job.js";
import type { JobDecision, JobObject } from "../../jobs/job-decision.js";
import { inUseOf, keptBy } from "../../messages/deletion/kept-resource.js";
import { classMessages, issuerMessages } from "../../messages/issuers-and-classes.js";
import { jobMessages } from "../../messages/jobs.js";
import type { Problem } from "../../messages/message.js";
import { deletionMessages } from "../../messages/summary.js";
import { no, type PlannedCondition, unknown, yes } from "../../reconcile/conditions.js";
import {
  type ActionSequence,
  type Action as EngineAction,
  type Plan as EnginePlan,
  inOrder,
} from "../../reconcile/plan.js";
import { type RetryState, reportedRetry } from "../../reconcile/retries.js";
import { isHeld, isLeftStale, isLeftToOthers, lacksFinalizer, othersUsing } from "../../routing/in-use.js";
import { JANITOR_RETRY_MS, JOB_DRY_RUN_RETRY_MS } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import { type ClassSnapshot, isByJobs, type JobFacilities, type Snapshot } from "./gather.js";

export interface FinalizerAction extends EngineAction {
  readonly do: "add-finalizer" | "remove-finalizer";
}

/** A dry run of both Jobs. */
interface TryJobs extends EngineAction {
  readonly do: "try-jobs";
  readonly namespace: string;
}

interface CreateJob extends EngineAction {
  readonly do: "create-job";
  readonly namespace: string;
  readonly variables: JobVariables;
  readonly attempt: number;
}

/** The firewall is as these variables say; the Job goes. */
interface TakeResult extends EngineAction {
  readonly do: "take-result";
  readonly job: JobObject;
  readonly variables: JobVariables;
}

/** The Job failed, or it is not known what the Job did; it goes. */
interface RecordFailure extends EngineAction {
  readonly do: "record-failure";
  readonly job: JobObject;
  readonly problem: Problem;
  /** Absent: it is not tried again. */
  readonly retry?: RetryState;
}

export type Action = FinalizerAction | TryJobs | CreateJob | TakeResult | RecordFailure;

export interface ClassPlan {
  readonly action?: FinalizerAction;
  readonly conditions: readonly PlannedCondition[];
  /** `status.retryAt`. */
  readonly retryAt: string | undefined;
  /** The class is deleted, and RoutedIPs use it. */
  readonly unserved?: Problem;
  /** Both Jobs are to be tried by a dry run, here. */
  readonly dryRunIn?: string;
}

export interface Plan extends EnginePlan<Action> {
  /** What to do about the firewall Job; absent: the class has none, or cannot work now. */
  readonly firewall?: JobDecision;
  /** `status.retryAt`. */
  readonly retryAt: string | undefined;
}

export function plan(snapshot: Snapshot): Plan {
  const { action, conditions, dryRunIn, retryAt, unserved } = planClass(snapshot);
  const fit = dryRunIn === undefined && conditions.every(({ status }) => status === "True");
  const firewall = fit ? snapshot.firewallJob : undefined;
  const dryRun: readonly Action[] =
    dryRunIn === undefined
      ? []
      : [{ do: "try-jobs", namespace: dryRunIn, why: "the server has not accepted them yet" }];
  const requeueAt = requeueTime(snapshot, { fit, firewall });
  return {
    sequences: [
      ...inOrder("finalizer", action === undefined ? [] : [action]),
      ...inOrder("dry-run", dryRun),
      ...firewallSequence(snapshot, firewall),
    ],
    conditions,
    retryAt,
    ...omitUndefined({ unserved }),
    ...(requeueAt === undefined ? {} : { requeueAt }),
    ...(firewall === undefined ? {} : { firewall }),
    explanation: "",
  };
}

export function planClass(snapshot: ClassSnapshot): ClassPlan {
  const action = finalizerAction(snapshot);
  const asks = snapshot.jobs.due && isByJobs(snapshot.spec) && mayAsk(snapshot);
  return {
    ...(action === undefined ? {} : { action }),
    conditions: [acceptedOf(snapshot)],
    retryAt: retryOf(snapshot),
    ...omitUndefined({ unserved: unservedOf(snapshot) }),
    ...(asks ? { dryRunIn: jobNamespaceOf(snapshot.spec, snapshot.jobs) } : {}),
  };
}

/** Another installation writes its status: that one keeps it, or sees its issuer. */
export function isReportedByOthers(snapshot: ClassSnapshot): boolean {
  const { metadata, finalizers, users, reportedUnseen, conditions, now } = snapshot;
  if (isLeftStale({ metadata, conditions }, now)) return false;
  return isLeftToOthers(metadata, finalizers) || (reportedUnseen === true && users.length === 0);
}

/** `status.retryAt`: when the operator asks the server again for Jobs that it refuses, or tries the firewall Job again. */
function retryOf(snapshot: ClassSnapshot): string | undefined {
  const { spec, jobs, firewallRetryAt, retryAt, now } = snapshot;
  return isByJobs(spec) && mayAsk(snapshot) ? reportedRetry([jobs.dueAt, firewallRetryAt], retryAt, now) : undefined;
}

/** One firewall Job at a time, with the full set of the class. */
function firewallSequence(
  { spec, jobs }: Snapshot,
  decision: JobDecision | undefined,
): readonly ActionSequence<Action>[] {
  switch (decision?.do) {
    case "create": {
      const { variables, attempt } = decision;
      const namespace = jobNamespaceOf(spec, jobs);
      const why = "the firewall is not as the RoutedIPs of the class need it";
      return inOrder("firewall", [{ do: "create-job", namespace, variables, attempt, why }]);
    }
    case "take": {
      const { job, variables } = decision;
      return inOrder("firewall", [
        { do: "take-result", job, variables, why: `Job ${job.metadata.name} has completed` },
      ]);
    }
    case "retry":
    case "give-up": {
      const { job, problem } = decision;
      const retry = "retry" in decision ? { retry: decision.retry } : {};
      return inOrder("firewall", [{ do: "record-failure", job, problem, ...retry, why: problem.message }]);
    }
    default:
      return [];
  }
}

function requeueTime(
  { now, spec, jobs, metadata, finalizers }: Snapshot,
  { fit, firewall }: { readonly fit: boolean; readonly firewall: JobDecision | undefined },
): number | undefined {
  if (metadata.deletionTimestamp !== undefined && isLeftToOthers(metadata, finalizers)) return now + JANITOR_RETRY_MS;
  if (!isByJobs(spec) || !jobs.enabled) return undefined;
  if (!fit) return now + JOB_DRY_RUN_RETRY_MS;
  return firewall?.do === "wait" ? firewall.until : undefined;
}

function finalizerAction({ metadata, users, cachesComplete, finalizers }: ClassSnapshot): FinalizerAction | undefined {
  if (!cachesComplete) return undefined;
  if (users.length > 0) {
    return lacksFinalizer(metadata, finalizers) ? { do: "add-finalizer", why: "RoutedIPs use it" } : undefined;
  }
  return isHeld(metadata, finalizers) ? { do: "remove-finalizer", why: "no RoutedIP uses it" } : undefined;
}

/** What a deleted class waits for. */
function unservedOf(snapshot: ClassSnapshot): Problem | undefined {
  const { metadata, spec, users, finalizers } = snapshot;
  if (metadata.deletionTimestamp === undefined) return undefined;
  if (users.length > 0) return deletionMessages.classInUse({ ...inUseOf(snapshot), byJobs: isByJobs(spec) });
  const others = othersUsing(metadata, finalizers);
  return others.length === 0
    ? undefined
    : deletionMessages.keptByInstallation(keptBy("clusterroutedipclasses", metadata, others));
}

function mayAsk({ spec, problem, jobs }: ClassSnapshot): boolean {
  return problem === undefined && jobs.enabled && jobs.namespaces.includes(jobNamespaceOf(spec, jobs));
}

function acceptedOf(snapshot: ClassSnapshot): PlannedCondition {
  const { spec, jobs } = snapshot;
  const obstacle = obstacleTo(snapshot);
  if (obstacle !== undefined) return no("Accepted", obstacle);
  if (!isByJobs(spec)) return issuerAnswer(snapshot);
  return jobs.dryRun === "untried" ? unknown("Accepted") : yes("Accepted", jobMessages.accepted());
}

/** Nothing is known against the issuer. */
function issuerAnswer({ metadata, spec, issuer, exceeded }: ClassSnapshot): PlannedCondition {
  if (issuer === "unobserved") return unknown("Accepted", issuerMessages.unobserved({ name: issuerName(spec) }));
  if (exceeded === undefined) return yes("Accepted", classMessages.issuerAccepted());
  return yes("Accepted", classMessages.limitTooHigh({ ...exceeded, limiter: `ClusterRoutedIPClass ${metadata.name}` }));
}

function obstacleTo({ spec, problem, issuer, jobs }: ClassSnapshot): Problem | undefined {
  if (problem !== undefined) return problem;
  if (isByJobs(spec)) return jobObstacle(spec, jobs);
  const name = issuerName(spec);
  if (issuer === "missing") return issuerMessages.missing({ name });
  return typeof issuer === "object" ? issuerMessages.unusable({ name, cause: issuer.problem }) : undefined;
}

function issuerName({ issuerRef }: ClusterRoutedIPClassSpec): string {
  return `${issuerRef?.namespace}/${issuerRef?.name}`;
}

function jobObstacle(spec: ClusterRoutedIPClassSpec, jobs: JobFacilities): Problem | undefined {
  if (!jobs.enabled) return jobMessages.disabled();
  const namespace = jobNamespaceOf(spec, jobs);
  if (!jobs.namespaces.includes(namespace)) {
    return jobMessages.namespaceNotAllowed({ namespace, allowed: jobs.namespaces });
  }
  const accounts = [...jobs.accounts].map(([name, account]) => accountProblem(name, namespace, account));
  const [account] = accounts.filter((each) => each !== undefined);
  if (account !== undefined) return account;
  return typeof jobs.dryRun === "object" ? jobMessages.refusedInDryRun({ said: jobs.dryRun.refused }) : undefined;
}
