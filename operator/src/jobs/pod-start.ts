/** Why the pod of a Job has not started, by what the scheduler and the kubelet say in its status. Pure. */

import type { KubeObject } from "../kube/objects.js";

export interface JobCondition {
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
    readonly conditions?: readonly JobCondition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly state?: {
    readonly terminated?: { readonly exitCode?: number; readonly message?: string };
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: object;
  };
}

/** Reasons of a waiting container that are the usual way to its start. */
const ON_ITS_WAY: readonly (string | undefined)[] = ["ContainerCreating", "PodInitializing", undefined];

/** No container of any of the pods has begun. */
export function isWaiting(pods: readonly JobPod[]): boolean {
  return pods.length > 0 && pods.every(({ status }) => status?.phase === "Pending" && !hasBegun(status));
}

/** As `<reason>: <message>`; `undefined`: nothing is known to be in the way. */
export function startObstacle(pods: readonly JobPod[]): string | undefined {
  return pods.flatMap(({ status }) => [...containersOf(status).flatMap(waitingText), ...scheduleText(status)])[0];
}

type Status = JobPod["status"];

function containersOf(status: Status) {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function hasBegun(status: Status): boolean {
  return containersOf(status).some(({ state }) => state?.running !== undefined || state?.terminated !== undefined);
}

function waitingText({ state }: ReturnType<typeof containersOf>[number]): readonly string[] {
  const { reason, message } = state?.waiting ?? {};
  return ON_ITS_WAY.includes(reason) ? [] : [text(`${reason}`, message)];
}

function scheduleText(status: Status): readonly string[] {
  const found = status?.conditions?.find((condition) => condition.type === "PodScheduled");
  return found?.status === "False" ? [text(found.reason ?? "Unschedulable", found.message)] : [];
}

function text(reason: string, message = ""): string {
  return message === "" ? reason : `${reason}: ${message}`;
}
