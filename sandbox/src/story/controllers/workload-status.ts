/** Stands in for what the workload controllers write into the status: how many pods there are, and how many are ready. */

import type { Emulator } from "../../kubernetes/index.js";
import { at, type JsonObject, objectOf } from "../../kubernetes/json.js";
import { isReady, type Pod, refTo, type Workload } from "./pod-lifecycle.js";

interface Counted {
  readonly pods: readonly Pod[];
  /** Whether the pod is of the template as it is now. */
  readonly isFresh: (pod: Pod) => boolean;
}

export function syncDeploymentStatus(kubernetes: Emulator, deployment: Workload, { pods, isFresh }: Counted): void {
  const desired = deployment.spec.replicas ?? 1;
  const ready = pods.filter(isReady).length;
  const fresh = pods.filter(isFresh).length;
  const available = ready >= desired;
  const complete = available && fresh === desired && pods.length === desired;
  write(kubernetes, deployment, {
    replicas: pods.length,
    updatedReplicas: fresh,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, desired - ready),
    conditions: [
      {
        type: "Available",
        status: available ? "True" : "False",
        reason: `MinimumReplicas${available ? "A" : "Una"}vailable`,
      },
      { type: "Progressing", status: "True", reason: complete ? "NewReplicaSetAvailable" : "ReplicaSetUpdated" },
    ],
  });
}

/** @param desired nodes that are to have a pod */
export function syncDaemonSetStatus(
  kubernetes: Emulator,
  set: Workload,
  { pods, isFresh, desired }: Counted & { readonly desired: number },
): void {
  const ready = pods.filter(isReady).length;
  write(kubernetes, set, {
    currentNumberScheduled: pods.length,
    desiredNumberScheduled: desired,
    numberMisscheduled: 0,
    numberReady: ready,
    updatedNumberScheduled: pods.filter(isFresh).length,
    numberAvailable: ready,
    numberUnavailable: Math.max(0, desired - ready),
  });
}

/** Only what changed, so that the controllers come to rest. A number of 0 is left out, as Go leaves it out. */
function write(kubernetes: Emulator, workload: Workload, status: JsonObject): void {
  const { generation } = workload.metadata;
  const next = { observedGeneration: generation, ...status };
  const old = objectOf(workload["status"]);
  const isSame = Object.entries(next).every(([key, value]) => sameValue(key, old[key], value));
  if (isSame) return;
  kubernetes.change(refTo(workload), (object) => ({ ...object, status: next }), "status");
}

function sameValue(key: string, old: unknown, value: unknown): boolean {
  if (key !== "conditions") return (old ?? 0) === value;
  const texts = (list: unknown) =>
    (Array.isArray(list) ? list : []).map((one) => `${String(at(one, "status"))} ${String(at(one, "reason"))}`);
  return texts(old).join() === texts(value).join();
}
