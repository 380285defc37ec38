import type { ObjectMeta } from "../client/resource-path.js";

/** A reference to a key of a Secret or ConfigMap. */
export interface KeySelector {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

/** One variable of a container. */
export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: KeySelector;
    readonly configMapKeyRef?: KeySelector;
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

/** All keys of a Secret or ConfigMap as variables. */
export interface EnvFrom {
  readonly prefix?: string;
  readonly secretRef?: { readonly name: string; readonly optional?: boolean };
  readonly configMapRef?: { readonly name: string; readonly optional?: boolean };
}

/** The part of a container that the stand-in for the kubelet supports. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFrom[];
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: "File" | "FallbackToLogsOnError";
}

/** The part of a pod that the stand-in for the kubelet supports. */
export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly nodeName?: string;
    readonly restartPolicy?: "Always" | "OnFailure" | "Never";
    readonly terminationGracePeriodSeconds?: number;
    readonly schedulingGates?: readonly unknown[];
    readonly serviceAccountName?: string;
    readonly initContainers?: readonly Container[];
    readonly containers: readonly Container[];
  };
  readonly status?: { readonly phase?: string; readonly startTime?: string; readonly podIP?: string };
}

/** Path of a pod in the API. */
export function podPath(pod: Pod): string {
  return `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}`;
}

/** Whether a Job created the pod. */
export function isJobPod(pod: Pod): boolean {
  return (pod.metadata.ownerReferences ?? []).some(({ kind, controller }) => kind === "Job" && controller === true);
}
