/** Writes marks: of a label, first the removals, each confirmed by the server's answer, then the additions. */

import { HOLDER_LABEL_VALUE } from "cdk8s-flipop/api";
import type { SharedWatches } from "../../kube/cache/shared-watches.js";
import { isConflict, isInvalid, isNotFound, type KubeClient } from "../../kube/client.js";
import type { KubeObject } from "../../kube/objects.js";
import { listPages } from "../../kube/watch/list.js";
import { MERGE_PATCH, type Patch, sendPatch, taintPatch } from "../../kube/write/patch.js";
import type { NodeDirectory } from "../../match/node-directory.js";
import type { Recheck } from "../../providers/call.js";
import type { LabelAction, TaintUntilAction } from "../actions.js";
import { nodePath } from "../annotations.js";
import { DONE, type Outcome, skipped } from "../call-outcomes.js";
import type { NodeMark, NodeMarks } from "./holder-labels-and-taints.js";

interface MarkTools {
  readonly client: KubeClient;
  readonly nodes: NodeDirectory;
  readonly marks: Pick<NodeMarks, "labels">;
}

interface MarkCall {
  readonly signal: AbortSignal;
  /** Asked before each write: an address may move while the list is read. */
  readonly recheck?: Recheck | undefined;
}

interface NodeLabel extends NodeMark {
  readonly uid: string;
}

/** @returns skipped, where a node has changed meanwhile: the next plan sees it. Rejects as the API server does. */
export async function labelHolders(tools: MarkTools, call: MarkCall, action: LabelAction): Promise<Outcome> {
  const { key, nodes } = action;
  const bearers = await bearersOf(tools, call, key);
  for (const [name, uid] of bearers) {
    if (nodes.includes(name)) continue;
    const ended = await writeLabel(tools, call, { key, name, uid, present: false });
    if (ended !== undefined) return ended;
  }
  for (const name of nodes.filter((each) => !bearers.has(each))) {
    const uid = tools.nodes.get(name)?.uid;
    if (uid === undefined) return skipped(`node ${name} is gone`);
    const ended = await writeLabel(tools, call, { key, name, uid, present: true });
    if (ended !== undefined) return ended;
  }
  return DONE;
}

/** From the server itself: after a crash, or a change of the leader, the node cache may lag behind the last write. */
async function bearersOf(
  { client, marks: { labels } }: MarkTools,
  { signal }: MarkCall,
  key: string,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const since = labels.moment;
  const target = { name: "nodes", path: "/api/v1/nodes", labelSelector: key };
  const add = async (items: readonly KubeObject[]) => {
    for (const { metadata } of items) found.set(metadata.name, metadata.uid);
  };
  await listPages({ client, target, signal }, add, () => found.clear());
  const names = new Set([...found.keys(), ...labels.bearersOf(key)]);
  for (const name of names) labels.wrote({ key, name, present: found.has(name) }, since);
  return found;
}

/** @returns how the action ends; `undefined`: it goes on. */
export async function writeLabel(
  { client, marks: { labels } }: MarkTools,
  { signal, recheck }: MarkCall,
  { key, name, uid, present }: NodeLabel,
): Promise<Outcome | undefined> {
  const because = recheck?.();
  if (because !== undefined) return { is: "superseded", because };
  const since = labels.moment;
  try {
    await sendPatch(client, nodePath(name), labelPatch({ key, uid, present }), { signal });
  } catch (error) {
    // A node that is gone has no label.
    if (isNotFound(error) && !present) return undefined;
    if (isNotFound(error) || isConflict(error) || isInvalid(error)) return skipped("the node has changed meanwhile");
    throw error;
  }
  labels.wrote({ key, name, present }, since);
  return undefined;
}

/** Guarded by the uid, not by the version: others write to nodes all the time. */
function labelPatch({ key, uid, present }: Omit<NodeLabel, "name">): Patch {
  const labels = { [key]: present ? HOLDER_LABEL_VALUE : null };
  return { contentType: MERGE_PATCH, body: { metadata: { uid, labels } } };
}

interface TaintTools {
  readonly client: KubeClient;
  readonly watches: Pick<SharedWatches, "nodes">;
  readonly marks: Pick<NodeMarks, "taints">;
}

/** Leaves all other taints as they are. Rejects as the API server does. */
export async function taintUntil(
  { client, watches, marks }: TaintTools,
  { signal, recheck }: MarkCall,
  { key, node: name, present }: Pick<TaintUntilAction, "key" | "node" | "present">,
): Promise<Outcome> {
  const because = recheck?.();
  if (because !== undefined) return { is: "superseded", because };
  const node = watches.nodes().store.get(name);
  if (node === undefined) return skipped("the node is gone");
  const others = (node.taints ?? []).filter((taint) => taint.key !== key);
  const desired = present ? [...others, { key, effect: "NoSchedule" }] : others;
  const since = marks.taints.moment;
  try {
    await sendPatch(client, nodePath(name), taintPatch(node, desired), { signal });
  } catch (error) {
    // Somebody else has changed the taints meanwhile, or the node is gone: its event brings us back.
    if (isNotFound(error) || isConflict(error) || isInvalid(error)) return skipped("the node has changed meanwhile");
    throw error;
  }
  marks.taints.wrote({ key, name, present }, since);
  return DONE;
}
