/** What to do about the one Job of a RoutedIP or of a class's firewall: start, wait, take its result, try again. Pure. */

import { JOB_POLL_MS } from "../bounds.js";
import { omitUndefined } from "../omit-undefined.js";
import type { Problem } from "../reconcile/conditions/problem.js";
import { afterFailure, isDue, type RetryState } from "../reconcile/retries/retry-schedule.js";
import { inputOf, type JobVariables } from "./job.js";
import { type JobObject, type JobState, reportedAddress } from "./job-state.js";

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
  /** Nobody knows what it created, and it must not be done twice: a person has to say. */
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
      return { do: "wait", until: now + JOB_POLL_MS, problem: { reason: "JobRefused", message: state.message } };
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
  const said = words === "" ? "nothing" : `"${words}"`;
  const message = `Job ${job.metadata.name} completed, but did not report the address that it created as {"routedIP": "..."} in its termination message: it said ${said}; set spec.routedIP to the address`;
  return { do: "give-up", job, problem: { reason: "AddressUnknown", message } };
}

function failed(
  job: JobObject,
  words: string,
  { retry, now }: { readonly retry: RetryState | undefined; readonly now: number },
): JobDecision {
  const said = words === "" ? "no termination message" : words;
  const problem: Problem = { reason: "JobFailed", message: `Job ${job.metadata.name} failed: ${said}` };
  const created = isCreating(inputOf(job)) ? reportedAddress(words) : undefined;
  const next = afterFailure(retry, { kind: "Unavailable" }, now);
  return { do: "retry", job, problem, retry: next, ...(created === undefined ? {} : { created }) };
}

function isCreating({ ROUTED_IP }: JobVariables): boolean {
  return ROUTED_IP === "";
}
