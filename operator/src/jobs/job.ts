/**
 * The Job of a class: its environment variables, its namespace and ServiceAccount, and its author's template, in which the
 * operator overrides the fields that an author must not set. Pure.
 */

import { createHash } from "node:crypto";
import {
  API_GROUP,
  type ClusterRoutedIPClassSpec,
  FORCED_JOB_FIELDS,
  FORCED_POD_FIELDS,
  GROUP_VERSION,
  JOB_START_SECONDS,
  type JsonObject,
  Label,
  MAX_JOB_SECONDS,
  type RoutedPort,
} from "cdk8s-flipop/api";
import type { KubeObject, ObjectMeta } from "../kube/objects.js";
import { jobMessages } from "../messages/jobs.js";
import type { Problem } from "../messages/message.js";
import type { ProviderId } from "../providers/types.js";
import { compareText } from "../values.js";

export interface JobNode {
  readonly name: string;
  readonly providerID: ProviderId;
}

interface AssignInput {
  readonly namespace: string;
  readonly name: string;
  /** Absent: one is to be created and reported. */
  readonly ip?: string;
  readonly node: JobNode;
  readonly previous?: JobNode;
  /** Of the elected node; empty: unknown. */
  readonly region: string;
}

export function assignVariables({ namespace, name, ip = "", node, previous, region }: AssignInput): JobVariables {
  return {
    ROUTED_IP: ip,
    ROUTED_IP_NAME: name,
    ROUTED_IP_NAMESPACE: namespace,
    NODE_NAME: node.name,
    NODE_PROVIDER_ID: node.providerID,
    PREVIOUS_NODE_NAME: previous?.name ?? "",
    PREVIOUS_NODE_PROVIDER_ID: previous?.providerID ?? "",
    REGION: region,
  };
}

/** What one RoutedIP of the class needs of the firewall. */
export interface FirewallNeed {
  readonly ports: readonly Pick<RoutedPort, "protocol" | "port">[];
  readonly nodes: readonly JobNode[];
}

/** Sorted, so that the same needs give the same text. */
export interface FirewallRuleOrder {
  readonly protocol: "tcp" | "udp";
  readonly port: number;
  readonly nodes: readonly JobNode[];
}

/** The full set of a class: each port with all nodes that need it. */
export function firewallOrders(needs: readonly FirewallNeed[]): readonly FirewallRuleOrder[] {
  const orders = new Map<string, FirewallRuleOrder>();
  for (const { ports, nodes } of needs) {
    for (const { protocol, port } of ports) {
      const known = orders.get(`${protocol} ${port}`)?.nodes ?? [];
      const order = {
        protocol: protocol === "UDP" ? ("udp" as const) : ("tcp" as const),
        port,
        nodes: union(known, nodes),
      };
      orders.set(`${protocol} ${port}`, order);
    }
  }
  return [...orders.values()]
    .filter(({ nodes }) => nodes.length > 0)
    .sort((a, b) => a.port - b.port || compareText(a.protocol, b.protocol));
}

export function firewallVariables(orders: readonly FirewallRuleOrder[]): JobVariables {
  return { FIREWALL_RULES: JSON.stringify(orders) };
}

function union(a: readonly JobNode[], b: readonly JobNode[]): readonly JobNode[] {
  const all = new Map([...a, ...b].map((node) => [node.providerID, node]));
  return [...all.values()].sort((one, other) => compareText(one.providerID, other.providerID));
}

/** @param namespaces those in which Jobs may run; the first is the default. */
export function jobNamespaceOf(
  { jobNamespace }: ClusterRoutedIPClassSpec,
  { namespaces }: { readonly namespaces: readonly string[] },
): string {
  return jobNamespace ?? namespaces[0] ?? "";
}

/** A Job may run without a ServiceAccount, or with one that an administrator has labelled for it. */
export function accountProblem(
  name: string,
  namespace: string,
  account: Pick<ObjectMeta, "labels"> | undefined,
): Problem | undefined {
  if (name === "" || account?.labels?.[Label.job] !== undefined) return undefined;
  return jobMessages.accountNotLabelled({ name, namespace, exists: account !== undefined });
}

export type JobPurpose = "assign" | "firewall";

/** On every Job, to find it again after a crash. */
export const JOB_LABELS = {
  /** Of the RoutedIP, or of the class for a firewall Job. */
  uid: `${API_GROUP}/for-uid`,
  purpose: `${API_GROUP}/purpose`,
} as const;

/** On every Job: its variables as JSON: what it was started with. */
const JOB_INPUT = `${API_GROUP}/input`;

/** On every Job: how long its pod may take to start. */
const START_DEADLINE = `${API_GROUP}/start-deadline-seconds`;

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
  /** @default 60 */
  readonly startDeadlineSeconds?: number;
}

type Job = KubeObject & { readonly spec: JsonObject };

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
      annotations: {
        [JOB_INPUT]: inputText(order.variables),
        [START_DEADLINE]: `${order.startDeadlineSeconds ?? JOB_START_SECONDS}`,
      },
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

/** In seconds. */
export function startDeadlineOf({ metadata }: Pick<KubeObject, "metadata">): number {
  const seconds = Number(metadata.annotations?.[START_DEADLINE] ?? JOB_START_SECONDS);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : JOB_START_SECONDS;
}

/** The pod that the Job controller would create of it, for a dry run. */
export function podOfJob({ metadata, spec }: ReturnType<typeof buildJob>): JsonObject {
  const template = objectOf(spec["template"]);
  const { name, namespace } = metadata;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...objectOf(template["metadata"]), name, namespace },
    spec: template["spec"],
  };
}

function inputText(variables: JobVariables): string {
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
  const own = Object.entries(variables).map(([name, value]) => ({ name, value: literal(value) }));
  return (Array.isArray(list) ? list : []).map((each: unknown) => {
    const container = objectOf(each);
    const env = entriesOf(container["env"]).filter(
      ({ name }) => !(typeof name === "string" && Object.hasOwn(variables, name)),
    );
    return {
      // Of a script that fails, the Event shows what it printed last.
      terminationMessagePolicy: "FallbackToLogsOnError",
      ...container,
      env: [...env, ...own],
      envFrom: [...entriesOf(container["envFrom"]), ...secrets.map((name) => ({ secretRef: { name } }))],
    };
  });
}

/** The kubelet would replace `$(NAME)`, such as in a provider ID that a node wrote, by another variable of the container: a token. */
function literal(value: string): string {
  return value.replaceAll("$", "$$$$");
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
