/** The state of a Job, from the Job, its pods and the server's answers; and the decision: start, wait, take its result, try again. Pure. */

import { canonicalIp, isIp } from "cdk8s-flipop/api";
import { timeOf } from "../clock.js";
import { type KubeObject, keyOf } from "../kube/objects.js";
import { jobMessages } from "../messages/jobs.js";
import type { Problem } from "../messages/message.js";
import { afterFailure, isDue, type RetryState } from "../reconcile/retries.js";
import { JOB_ASK_MS, JOB_POLL_MS } from "../timings.js";
import { compareText, omitUndefined } from "../values.js";
import { inputOf, type JobVariables, startDeadlineOf } from "./job.js";
import { isWaiting, type JobCondition, type JobPod, startObstacle } from "./pod-start.js";

/** What is read of a Job. */
export interface JobObject extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly JobCondition[];
  };
}

export interface JobScene {
  readonly job: JobObject;
  /** Of this Job. */
  readonly pods: readonly JobPod[];
  /** The newest warning of the server about this Job or its pod, as `<reason>: <note>`. */
  readonly warning?: string;
  /** The server has been asked for the pods and the warning: a cache that lags is no reason to give a Job up. */
  readonly asked?: boolean;
  /** The pods may be older than the end of the Job: caches of two kinds do not go in step. */
  readonly stale?: boolean;
  /** It has been deleted, though the cache still has it. */
  readonly removed?: boolean;
  /**
   * When this process saw the Job first, ms since the epoch: the operator's clock may differ from the server's.
   * @default when the Job was created
   */
  readonly seenAt?: number;
  /** ms since the epoch. */
  readonly now: number;
}

/**
 * `stuck`: its pod has not started yet; `problem`, if anybody says why. `unread`: it has ended, and the server has not been asked
 * yet for what its pods said. `succeeded` and `failed` carry the last words of its pod; empty: it said nothing.
 * `ending`: it is being deleted, and what it reached has been taken or is lost.
 */
export type JobState =
  | { readonly is: "running"; readonly requeueAt: number }
  | { readonly is: "ending" }
  | { readonly is: "stuck"; readonly requeueAt: number; readonly problem?: Problem }
  | { readonly is: "unread" }
  | { readonly is: "succeeded"; readonly words: string }
  | { readonly is: "failed"; readonly words: string };

export function jobState(scene: JobScene): JobState {
  const { job, removed, stale } = scene;
  if (removed === true || job.metadata.deletionTimestamp !== undefined) return { is: "ending" };
  const end = conditionOf(job, "Complete") ?? conditionOf(job, "Failed");
  if (end === undefined) return unfinished(scene);
  return stale === true ? { is: "unread" } : ended(scene, end);
}

function ended({ pods }: JobScene, { type, message, reason }: JobCondition): JobState {
  const words = lastWords(pods);
  return type === "Complete" ? { is: "succeeded", words } : { is: "failed", words: words || (message ?? reason ?? "") };
}

function unfinished(scene: JobScene): JobState {
  const { job, pods, now } = scene;
  if (pods.length > 0 && !isWaiting(pods)) return { is: "running", requeueAt: now + JOB_POLL_MS };
  const since = scene.seenAt ?? timeOf(job.metadata.creationTimestamp) ?? now;
  const deadline = since + startDeadlineOf(job) * 1000;
  const said = startObstacle(pods) ?? scene.warning;
  if (now >= deadline) return overdue(scene, said);
  const requeueAt = Math.min(now + JOB_ASK_MS, deadline);
  if (said !== undefined) return { is: "stuck", requeueAt, problem: notStartedYet(job, said) };
  return { is: now < since + JOB_ASK_MS ? "running" : "stuck", requeueAt };
}

/** A pod that starts while the operator deletes its Job could create an unreported address: Kubernetes ends this Job. */
function overdue({ job, asked, now }: JobScene, said: string | undefined): JobState {
  if (asked === true && !isCreating(inputOf(job))) return { is: "failed", words: notStarted(job, said) };
  return { is: "stuck", requeueAt: now + JOB_POLL_MS, problem: notStartedYet(job, said) };
}

/** `namespace/name`. */
function keyOfJob({ metadata: { namespace, name } }: JobObject): string {
  return keyOf({ namespace, name });
}

function notStartedYet(job: JobObject, said: string | undefined): Problem {
  return jobMessages.podNotStarted({ job: keyOfJob(job), said });
}

function notStarted(job: JobObject, said = "no reason is known"): string {
  return `its pod did not start within ${startDeadlineOf(job)} s (${said})`;
}

/** The address that a Job reports: `{"routedIP": "..."}`, canonical. `undefined`: none that can be read. */
export function reportedAddress(words: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(words);
    if (typeof parsed !== "object" || parsed === null || !("routedIP" in parsed)) return undefined;
    const { routedIP } = parsed;
    return typeof routedIP === "string" && isIp(routedIP) ? canonicalIp(routedIP) : undefined;
  } catch {
    return undefined;
  }
}

function conditionOf({ status }: JobObject, type: string) {
  return status?.conditions?.find((condition) => condition.type === type && condition.status === "True");
}

/** Of the last pod; its first container that has something to say. */
function lastWords(pods: readonly JobPod[]): string {
  const ordered = [...pods].sort((a, b) =>
    compareText(b.metadata.creationTimestamp ?? "", a.metadata.creationTimestamp ?? ""),
  );
  for (const { status } of ordered) {
    const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
    const words = all.map(({ state }) => state?.terminated?.message?.trim() ?? "").find((text) => text !== "");
    if (words !== undefined) return words;
    if (status?.message) return status.message;
  }
  return "";
}

export interface JobSituation {
  /** What is to be reached; `undefined`: nothing is left to do. */
  readonly wanted: JobVariables | undefined;
  /** The Job that is there, whatever it was started for. */
  readonly job?: { readonly object: JobObject; readonly state: JobState };
  /** Failures in a row. */
  readonly retry?: RetryState;
  /** What the last of them said. */
  readonly failure?: Problem;
  /** ms since the epoch. */
  readonly now: number;
}

export type JobDecision =
  | { readonly do: "nothing" }
  | { readonly do: "create"; readonly variables: JobVariables; readonly attempt: number }
  /** It runs on, though another one may be wanted by now. */
  | { readonly do: "wait"; readonly until: number; readonly problem?: Problem }
  /** Record what it reached with these variables, then delete it. */
  | { readonly do: "take"; readonly job: JobObject; readonly variables: JobVariables; readonly created?: string }
  /** The operator cannot know what it created, and must not create it twice: a person has to decide. */
  | { readonly do: "give-up"; readonly job: JobObject; readonly problem: Problem }
  /** Tell what it said, delete it, count the failure. `created`: it reported an address before it failed. */
  | {
      readonly do: "retry";
      readonly job: JobObject;
      readonly problem: Problem;
      readonly retry: RetryState;
      readonly created?: string;
    };

export function decideJob(situation: JobSituation): JobDecision {
  const { job, wanted, retry, failure, now } = situation;
  if (job !== undefined) return decideOnJob(job, situation);
  if (wanted === undefined) return { do: "nothing" };
  if (retry !== undefined && !isDue(retry.retryAt, now))
    return { do: "wait", until: retry.retryAt, ...omitUndefined({ problem: failure }) };
  return { do: "create", variables: wanted, attempt: retry?.failures ?? 0 };
}

function decideOnJob({ object, state }: NonNullable<JobSituation["job"]>, situation: JobSituation): JobDecision {
  const { retry, failure, now } = situation;
  switch (state.is) {
    // The next one comes when it is gone.
    case "ending":
    case "unread":
      return { do: "wait", until: now + JOB_POLL_MS, ...omitUndefined({ problem: failure }) };
    case "running":
      return { do: "wait", until: state.requeueAt, ...omitUndefined({ problem: failure }) };
    case "stuck":
      return { do: "wait", until: state.requeueAt, ...omitUndefined({ problem: state.problem ?? failure }) };
    case "succeeded":
      return succeeded(object, state.words);
    case "failed":
      return failed(object, state.words, { retry, now });
  }
}

function succeeded(job: JobObject, words: string): JobDecision {
  const variables = inputOf(job);
  if (!isCreating(variables)) return { do: "take", job, variables };
  const created = reportedAddress(words);
  if (created !== undefined) return { do: "take", job, variables, created };
  return { do: "give-up", job, problem: jobMessages.addressNotReported({ job: keyOfJob(job), said: words }) };
}

function failed(
  job: JobObject,
  words: string,
  { retry, now }: { readonly retry: RetryState | undefined; readonly now: number },
): JobDecision {
  const problem = jobMessages.failed({ job: keyOfJob(job), said: words });
  const created = isCreating(inputOf(job)) ? reportedAddress(words) : undefined;
  const next = afterFailure(retry, { kind: "Unavailable" }, now);
  return { do: "retry", job, problem, retry: next, ...(created === undefined ? {} : { created }) };
}

function isCreating({ ROUTED_IP }: JobVariables): boolean {
  return ROUTED_IP === "";
}
