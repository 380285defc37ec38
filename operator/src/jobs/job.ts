/** The Job of a class: its author's template, with everything forced that an author must not decide. Pure. */

import { createHash } from "node:crypto";
import {
  API_GROUP,
  FORCED_JOB_FIELDS,
  FORCED_POD_FIELDS,
  GROUP_VERSION,
  type JsonObject,
  MAX_JOB_SECONDS,
} from "cdk8s-flipop/api";
import type { KubeObject } from "../kube/objects.js";

export type JobPurpose = "assign" | "firewall";

/** On every Job, to find it again after a crash. */
export const JOB_LABELS = {
  /** Of the RoutedIP, or of the class for a firewall Job. */
  uid: `${API_GROUP}/for-uid`,
  purpose: `${API_GROUP}/purpose`,
} as const;

/** On every Job: its variables as JSON: what it was started with. */
export const JOB_INPUT = `${API_GROUP}/input`;

export type JobVariables = Readonly<Record<string, string>>;

export interface JobOrder {
  readonly purpose: JobPurpose;
  /** Whom it is for: the RoutedIP; for a firewall Job the class. */
  readonly uid: string;
  readonly owner: { readonly name: string; readonly uid: string };
  readonly namespace: string;
  /** As the class has it. */
  readonly spec: JsonObject;
  readonly variables: JobVariables;
  /** Names of Secrets whose entries become variables. */
  readonly secrets: readonly string[];
  /** Failures of the same input before. */
  readonly attempt: number;
}

export type Job = KubeObject & { readonly spec: JsonObject };

/** The same order has the same name: a retry after a crash finds the Job of the first try. */
export function jobName({
  purpose,
  uid,
  variables,
  attempt,
}: Omit<JobOrder, "spec" | "owner" | "namespace" | "secrets">) {
  const text = JSON.stringify([uid, purpose, inputText(variables), attempt]);
  return `flipop-${purpose}-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}

/** For a create call. What the template says against the forced fields does not count; other fields of a Job are dropped. */
export function buildJob(order: JobOrder): Omit<Job, "metadata"> & { readonly metadata: JsonObject } {
  const labels = { [JOB_LABELS.uid]: order.uid, [JOB_LABELS.purpose]: order.purpose };
  const template = objectOf(order.spec["template"]);
  const metadata = objectOf(template["metadata"]);
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobName(order),
      namespace: order.namespace,
      labels,
      annotations: { [JOB_INPUT]: inputText(order.variables) },
      ownerReferences: [ownerOf(order)],
    },
    spec: {
      ...FORCED_JOB_FIELDS,
      activeDeadlineSeconds: deadlineOf(order.spec["activeDeadlineSeconds"]),
      template: {
        metadata: {
          ...(isObject(metadata["annotations"]) ? { annotations: metadata["annotations"] } : {}),
          labels: { ...objectOf(metadata["labels"]), ...labels },
        },
        spec: podOf(objectOf(template["spec"]), order),
      },
    },
  };
}

/** Empty: the namespace's default one. */
export function serviceAccountOf({ template }: JsonObject): string {
  const { serviceAccountName } = objectOf(objectOf(template)["spec"]);
  return typeof serviceAccountName === "string" ? serviceAccountName : "";
}

/** The variables that a Job was started with. */
export function inputOf({ metadata }: Pick<KubeObject, "metadata">): JobVariables {
  try {
    const parsed: unknown = JSON.parse(metadata.annotations?.[JOB_INPUT] ?? "{}");
    const entries = Object.entries(objectOf(parsed)).filter(([, value]) => typeof value === "string");
    return Object.fromEntries(entries) as JobVariables;
  } catch {
    return {};
  }
}

export function inputText(variables: JobVariables): string {
  return JSON.stringify(Object.fromEntries(Object.entries(variables).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Not blocking: who deletes a class does not wait for its Jobs. */
function ownerOf({ owner }: JobOrder): JsonObject {
  const kind = "ClusterRoutedIPClass";
  return { apiVersion: GROUP_VERSION, kind, ...owner, controller: true, blockOwnerDeletion: false };
}

function deadlineOf(asked: unknown): number {
  const valid = typeof asked === "number" && Number.isInteger(asked) && asked >= 1;
  return valid ? Math.min(asked, MAX_JOB_SECONDS) : MAX_JOB_SECONDS;
}

/** `serviceAccount` is an old name of serviceAccountName that would slip past the check. */
function podOf({ serviceAccount: _alias, ...pod }: JsonObject, order: JobOrder): JsonObject {
  return {
    ...pod,
    ...FORCED_POD_FIELDS,
    automountServiceAccountToken: pod["automountServiceAccountToken"] === true,
    containers: containersOf(pod["containers"], order),
    ...(pod["initContainers"] === undefined ? {} : { initContainers: containersOf(pod["initContainers"], order) }),
  };
}

function containersOf(list: unknown, { variables, secrets }: JobOrder): readonly JsonObject[] {
  const own = Object.entries(variables).map(([name, value]) => ({ name, value }));
  return (Array.isArray(list) ? list : []).map((each: unknown) => {
    const container = objectOf(each);
    const env = entriesOf(container["env"]).filter(({ name }) => !(typeof name === "string" && name in variables));
    return {
      ...container,
      env: [...env, ...own],
      envFrom: [...entriesOf(container["envFrom"]), ...secrets.map((name) => ({ secretRef: { name } }))],
    };
  });
}

function entriesOf(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
