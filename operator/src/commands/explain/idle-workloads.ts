/** The workloads whose pods a selector would find, where it finds none: one with 0 replicas has no pod that could say why. */

import { type SelectorRequirement, selectorMatches } from "cdk8s-flipop/api";
import type { KubeObject } from "../../kube/objects.js";
import { compareText } from "../../values.js";
import { listAll, unlessRefused } from "../list-objects.js";
import type { PodReader, RawCondition } from "./pods.js";

interface Selected {
  readonly namespace: string;
  readonly requirements: readonly SelectorRequirement[];
}

/** Lines that one resource may have. */
const LINES = 3;

/** Who explains need not have the right to read workloads: without it, there are no lines. */
export async function idleWorkloadNotes(call: PodReader, selected: Selected): Promise<readonly string[]> {
  const kinds = [
    ["Deployment", "deployments"],
    ["StatefulSet", "statefulsets"],
  ] as const;
  const found = await Promise.all(
    kinds.map(async ([kind, plural]) =>
      (await readIfAllowed(call, selected.namespace, plural)).flatMap((workload) =>
        makesSuch(workload, selected) ? idleText(kind, workload) : [],
      ),
    ),
  );
  return found.flat().sort(compareText).slice(0, LINES);
}

async function readIfAllowed(
  { client, signal }: PodReader,
  namespace: string,
  plural: string,
): Promise<readonly RawWorkload[]> {
  const path = `/apis/apps/v1/namespaces/${namespace}/${plural}`;
  return (await unlessRefused(listAll<RawWorkload>(client, { path }, signal))) ?? [];
}

function makesSuch({ spec = {} }: RawWorkload, { requirements }: Selected): boolean {
  return selectorMatches(requirements, spec.template?.metadata?.labels ?? {});
}

function idleText(kind: string, { metadata, spec = {}, status = {} }: RawWorkload): readonly string[] {
  const { namespace = "", name } = metadata;
  const [who, wanted] = [`${kind} ${namespace}/${name}, which makes such pods,`, spec.replicas ?? 1];
  if (wanted === 0) {
    return [
      `${who} has 0 replicas: kubectl -n ${namespace} scale ${kind.toLowerCase()} ${name} --replicas=1 starts one`,
    ];
  }
  const failure = status.conditions?.find(({ type, status: value }) => type === "ReplicaFailure" && value === "True");
  return failure === undefined
    ? []
    : [`${who} cannot start one: ${failure.reason ?? ""} (${failure.message ?? "no message"})`];
}

interface RawWorkload extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };
  };
  readonly status?: { readonly conditions?: readonly RawCondition[] };
}
