/** How far a Job is: read off the Job, its pods and what the server said about them. Pure. */

import { canonicalIp, isIp } from "cdk8s-flipop/api";
import { JOB_POLL_MS, JOB_START_MS } from "../bounds.js";
import type { KubeObject } from "../kube/objects.js";
import { timeOf } from "../times.js";

/** What is read of a Job. */
export interface JobObject extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly JobCondition[];
  };
}

interface JobCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** What is read of its pods. */
export interface JobPod extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly message?: string;
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly state?: { readonly terminated?: { readonly exitCode?: number; readonly message?: string } };
}

export interface JobScene {
  readonly job: JobObject;
  /** Of this Job. */
  readonly pods: readonly JobPod[];
  /** The newest warning of the server about this Job, as `<reason>: <note>`. */
  readonly warning?: string;
  /** The pods may be older than the end of the Job: caches of two kinds do not go in step. */
  readonly stale?: boolean;
  /** It has been deleted, though the cache still has it. */
  readonly removed?: boolean;
  /** ms since the epoch. */
  readonly now: number;
}

/**
 * `stuck`: it has no pod after 60 s; it may still get one. `unread`: it has ended, and the server has not been asked
 * yet for what its pods said. `succeeded` and `failed` carry the last words of its pod; empty: it said nothing.
 * `ending`: it is being deleted, and what it reached has been taken or is lost.
 */
export type JobState =
  | { readonly is: "running"; readonly requeueAt: number }
  | { readonly is: "ending" }
  | { readonly is: "stuck"; readonly message: string }
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

function unfinished({ job, pods, warning, now }: JobScene): JobState {
  const createdAt = timeOf(job.metadata.creationTimestamp) ?? now;
  if (pods.length > 0) return { is: "running", requeueAt: now + JOB_POLL_MS };
  if (now < createdAt + JOB_START_MS) return { is: "running", requeueAt: createdAt + JOB_START_MS };
  const said = warning ?? "the API server gives no reason";
  return { is: "stuck", message: `Job ${job.metadata.name} has no pod after ${JOB_START_MS / 1000} s (${said})` };
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
    compare(b.metadata.creationTimestamp ?? "", a.metadata.creationTimestamp ?? ""),
  );
  for (const { status } of ordered) {
    const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
    const words = all.map(({ state }) => state?.terminated?.message?.trim() ?? "").find((text) => text !== "");
    if (words !== undefined) return words;
    if (status?.message) return status.message;
  }
  return "";
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
