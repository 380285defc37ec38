/** Actions on the annotations of nodes. */

import type { IpFamily } from "cdk8s-flipop/api";
import { annotationPatch, annotationRemoval, nodePath } from "../../addresses/annotations/annotation-patches.js";
import { ownerName } from "../../addresses/annotations/owners.js";
import { DONE, type Outcome, skipped } from "../../addresses/calls/outcomes.js";
import { CACHE_LAG_MS } from "../../bounds.js";
import type { Patch } from "../../kube/patch.js";
import { sendPatch } from "../../kube/send-patch.js";
import { isConflict, isForbidden, isInvalid, isNotFound } from "../../kube/status-error.js";
import type { NodeFacts } from "../../match/node-facts.js";
import type { NodeAction } from "./actions.js";
import type { Tools } from "./tools.js";

/** Sends each change once: the node cache shows it a moment later. */
export async function changeNode(tools: Tools, action: NodeAction): Promise<Outcome> {
  const { context, resourceState } = tools;
  const node = context.nodes.get(action.node);
  if (node === undefined) return skipped("the node is gone");
  const [key, text] = [`${action.node} ${action.family}`, `${action.do} ${action.ip} ${node.uid}`];
  const sent = resourceState.sentAnnotations.get(key);
  const now = context.clock.monotonic();
  if (sent?.text === text && now - sent.at < CACHE_LAG_MS) return skipped("it has been sent");
  const patch = patchOf(tools, node, action);
  if (patch === undefined) return DONE;
  for (const [other, { at }] of resourceState.sentAnnotations)
    if (now - at >= CACHE_LAG_MS) resourceState.sentAnnotations.delete(other);
  resourceState.sentAnnotations.set(key, { text, at: now });
  return send(tools, node, patch, () => resourceState.sentAnnotations.delete(key));
}

function patchOf({ snapshot }: Tools, node: NodeFacts, action: NodeAction): Patch | undefined {
  const family: IpFamily = action.family;
  if (action.do === "unannotate-node") return annotationRemoval(node, family);
  return annotationPatch(node, family, { ip: action.ip, owner: ownerName(snapshot.pool.metadata) });
}

async function send(
  { context, resourceState, signal }: Tools,
  node: NodeFacts,
  patch: Patch,
  undo: () => void,
): Promise<Outcome> {
  try {
    await sendPatch(context.client, nodePath(node.name), patch, { signal });
    resourceState.nodesForbidden = false;
    return DONE;
  } catch (error) {
    undo();
    resourceState.nodesForbidden = isForbidden(error);
    // Gone, created anew, or annotated by somebody else meanwhile: its event brings us back.
    if (isNotFound(error) || isConflict(error) || isInvalid(error)) return skipped("the node has changed meanwhile");
    throw error;
  }
}
