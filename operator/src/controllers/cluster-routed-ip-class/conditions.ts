/** Whether a class can work: its one condition, and what stands in its way. Pure. */

import type { ClusterRoutedIPClassSpec } from "cdk8s-flipop/api";
import { accountProblem, jobNamespaceOf } from "../../jobs/job-place.js";
import { no, type PlannedCondition, unknown, yes } from "../../reconcile/conditions/planned-condition.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import { type ClassSnapshot, isByJobs, type JobFacilities } from "./gather.js";

export function readyOf(snapshot: ClassSnapshot): PlannedCondition {
  const { spec, jobs } = snapshot;
  const obstacle = obstacleTo(snapshot);
  if (obstacle !== undefined) return no("Ready", obstacle);
  if (!isByJobs(spec)) return yes("Ready", "Observed", "its issuer exists");
  return jobs.dryRun === "untried"
    ? unknown("Ready")
    : yes("Ready", "Observed", "the API server accepts its Jobs in a dry run");
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
