/** What keeps clients from a resource whose nodes match: other objects of the cluster, and pods that people did not mean. */

import type { AnyKind, Match } from "cdk8s-flipop/api";
import { type PodsWanted, podScopeOf } from "../../match/compile-match.js";
import { isWanted, serves } from "../../match/node-workload.js";
import { FIX } from "../../messages/message.js";
import { type OwnObject, unlessRefused } from "../list-objects.js";
import { localServiceNotes } from "./local-services.js";
import { policyNotes } from "./network-policies.js";
import type { NodeExplanation } from "./node-explanation.js";
import { type PodReader, readPods } from "./pods.js";
import { holdsAddresses } from "./read-cluster.js";
import type { Asked } from "./requirements.js";

interface Served {
  readonly kind: AnyKind;
  readonly object: OwnObject;
  readonly asked: Asked;
  readonly nodes: readonly NodeExplanation[];
}

/** Who explains need not have the right to read these objects: without it, there are no notes on them. */
export async function clientNotes(reader: PodReader, served: Served): Promise<readonly string[]> {
  const { kind, object, asked, nodes } = served;
  if (object.metadata.deletionTimestamp !== undefined) return [];
  const namesakes = await namesakeNotes(reader, object, asked);
  if (!holdsAddresses({ kind })) return namesakes;
  if (asked.workload !== undefined) return [...namesakes, ...(await policyNotes(reader, asked))];
  const holders = nodes.filter(({ result }) => result === "holds").map(({ node }) => node);
  return [NO_POD, ...(await localServiceNotes(reader, object.metadata.namespace ?? "", holders))];
}

const NO_POD = `match asks for no pod, so a node counts whether or not it serves${FIX}to count only nodes that run a ready pod, set spec.match.podNamespace and spec.match.podLabel`;

/** Overlays of one application often have the same labels in several namespaces. */
async function namesakeNotes(
  reader: PodReader,
  { metadata: { namespace = "" }, spec }: OwnObject,
  { match: { pods } }: Asked,
): Promise<readonly string[]> {
  const { podLabel } = (spec?.["match"] ?? {}) as Match;
  if (pods?.namespace === undefined || pods.namespace === namespace || !podLabel) return [];
  if (!(await hasReadyPod(reader, { ...pods, namespace }))) return [];
  return [
    `pods of namespace ${pods.namespace} count, not those of the resource's own namespace ${namespace}, which have ${podLabel}, too${FIX}if those are meant, set spec.match.podNamespace to ${namespace}`,
  ];
}

async function hasReadyPod(reader: PodReader, wanted: PodsWanted): Promise<boolean> {
  const found = await unlessRefused(readPods(reader, podScopeOf(wanted)));
  return found !== undefined && [...found.list()].some((pod) => isWanted(pod, wanted) && serves(pod));
}
