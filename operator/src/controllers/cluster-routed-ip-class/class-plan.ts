/** The decision about a class as such: whether it can work, who needs it. Pure. */

import { type ClusterRoutedIPClassSpec, Finalizer } from "cdk8s-flipop/api";
import type { ObjectMeta } from "../../kube/objects.js";
import { accountProblem, jobNamespaceOf } from "../jobs/job-place.js";
import { no, type PlannedCondition, unknown, yes } from "../planned-condition.js";
import type { Problem } from "../problem.js";
import { reportedRetry } from "../reported-retry.js";

export interface ClassSnapshot {
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  /** `status.retryAt` as it is. */
  readonly retryAt?: string;
  readonly metadata: ObjectMeta;
  readonly spec: ClusterRoutedIPClassSpec;
  /** Why the spec can't be served. */
  readonly problem?: Problem;
  /** All RoutedIPs are known: nobody can use it unseen. */
  readonly cachesComplete: boolean;
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

export type ClassAction = { readonly do: "add-finalizer" | "remove-finalizer"; readonly why: string };

export interface ClassPlan {
  readonly action?: ClassAction;
  readonly conditions: readonly PlannedCondition[];
  /** `status.retryAt`. */
  readonly retryAt: string | undefined;
  /** Both Jobs are to be tried by a dry run, here. */
  readonly dryRunIn?: string;
}

export function planClass(snapshot: ClassSnapshot): ClassPlan {
  const action = finalizerAction(snapshot);
  const obstacle = obstacleTo(snapshot);
  const asks = snapshot.jobs.due && isByJobs(snapshot.spec) && mayAsk(snapshot);
  return {
    ...(action === undefined ? {} : { action }),
    conditions: [readyOf(snapshot, obstacle)],
    retryAt: isByJobs(snapshot.spec) && mayAsk(snapshot) ? retryOf(snapshot) : undefined,
    ...(asks ? { dryRunIn: jobNamespaceOf(snapshot.spec, snapshot.jobs) } : {}),
  };
}

export function isByJobs({ updateRoutedIP, updateFirewall }: ClusterRoutedIPClassSpec): boolean {
  return updateRoutedIP !== undefined || updateFirewall !== undefined;
}

function finalizerAction({ metadata, users, cachesComplete }: ClassSnapshot): ClassAction | undefined {
  if (!cachesComplete) return undefined;
  const there = metadata.finalizers?.includes(Finalizer.inUse) === true;
  if (users.length > 0 && !there && metadata.deletionTimestamp === undefined) {
    return { do: "add-finalizer", why: "RoutedIPs use it" };
  }
  return users.length === 0 && there ? { do: "remove-finalizer", why: "no RoutedIP uses it" } : undefined;
}

function readyOf({ spec, jobs }: ClassSnapshot, obstacle: Problem | undefined): PlannedCondition {
  if (obstacle !== undefined) return no("Ready", obstacle);
  if (!isByJobs(spec)) return yes("Ready", "Observed", "its issuer exists");
  return jobs.dryRun === "untried"
    ? unknown("Ready")
    : yes("Ready", "Observed", "the API server accepts its Jobs in a dry run");
}

function retryOf({ jobs, retryAt, now }: ClassSnapshot): string | undefined {
  return reportedRetry([jobs.dueAt], retryAt, now);
}

function mayAsk({ spec, problem, jobs }: ClassSnapshot): boolean {
  return problem === undefined && jobs.enabled && jobs.namespaces.includes(jobNamespaceOf(spec, jobs));
}

function obstacleTo({ spec, problem, issuerFound, jobs }: ClassSnapshot): Problem | undefined {
  if (problem !== undefined) return problem;
  if (isByJobs(spec)) return jobObstacle(spec, jobs);
  if (issuerFound !== false) return undefined;
  const name = `${spec.issuerRef?.namespace}/${spec.issuerRef?.name}`;
  return {
    reason: "IssuerNotFound",
    message: `RoutedIPIssuer ${name} does not exist: create it, or correct issuerRef`,
  };
}

function jobObstacle(spec: ClusterRoutedIPClassSpec, jobs: JobFacilities): Problem | undefined {
  if (!jobs.enabled)
    return { reason: "JobsDisabled", message: "the operator runs without feature jobs: enable it with --features" };
  const namespace = jobNamespaceOf(spec, jobs);
  if (!jobs.namespaces.includes(namespace)) {
    const message = `jobNamespace is "${namespace}"; Jobs may run in ${jobs.namespaces.join(", ")}: use one of them, or add it to --job-namespaces`;
    return { reason: "NamespaceNotAllowed", message };
  }
  const accounts = [...jobs.accounts].map(([name, account]) => accountProblem(name, namespace, account));
  const [account] = accounts.filter((each) => each !== undefined);
  if (account !== undefined) return account;
  if (typeof jobs.dryRun !== "object") return undefined;
  return { reason: "JobRefused", message: `the API server refuses a Job of this class: ${jobs.dryRun.refused}` };
}
