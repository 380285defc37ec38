/** The workload that a pod belongs to, from what the cache keeps of pods: the labels that its controller sets, and its name. */

import type { SlimPod } from "../kube/cache/slim-objects.js";
import { compareText } from "../values.js";

type Named = Pick<SlimPod, "name" | "namespace" | "labels">;

/** `Deployment game/proxy`. `undefined`: unknown, such as for a pod without a controller. */
export function podOwner(pod: Named): string | undefined {
  for (const [kind, nameIn] of KINDS) {
    const name = nameIn(pod);
    if (name !== undefined) return `${kind} ${pod.namespace}/${name}`;
  }
  return undefined;
}

/** The workloads of those that stay. Sorted, each once. */
export function podOwners(pods: readonly (Named & Pick<SlimPod, "deletionTimestamp">)[]): readonly string[] {
  const staying = pods.filter(({ deletionTimestamp }) => deletionTimestamp === undefined);
  return [...new Set(staying.flatMap((pod) => podOwner(pod) ?? []))].sort(compareText);
}

/** Each finds the name in pods of its kind, and nothing in others. */
const KINDS: readonly (readonly [kind: string, nameIn: (pod: Named) => string | undefined])[] = [
  // A rollout makes a ReplicaSet for each template, all of one name.
  ["Deployment", ({ name, labels }) => before(name, labels["pod-template-hash"])],
  ["Rollout", ({ name, labels }) => before(name, labels["rollouts-pod-template-hash"])],
  [
    "StatefulSet",
    ({ name, labels }) => (labels["statefulset.kubernetes.io/pod-name"] === name ? withoutLast(name) : undefined),
  ],
  [
    "DaemonSet",
    ({ name, labels }) => (labels["pod-template-generation"] === undefined ? undefined : withoutLast(name)),
  ],
  ["Job", ({ labels }) => labels["job-name"]?.replace(CRON_TIME, "")],
];

/** The part of a Job's name that a CronJob adds: the scheduled time in minutes. */
const CRON_TIME = /-\d{8,}$/;

/** The part before the hash and the random letters: a name that the API server cut has no such part. */
function before(name: string, hash: string | undefined): string | undefined {
  const at = hash === undefined ? -1 : name.lastIndexOf(`-${hash}-`);
  return at > 0 ? name.slice(0, at) : undefined;
}

function withoutLast(name: string): string | undefined {
  const at = name.lastIndexOf("-");
  return at > 0 ? name.slice(0, at) : undefined;
}
