/** Actions on the annotations of nodes. */

import type { NodeAction } from "../../addresses/actions.js";
import { annotationPatch, annotationRemoval, nodePath } from "../../addresses/annotations/annotation-patches.js";
import { ownerName } from "../../addresses/annotations/owners.js";
import { DONE, type Outcome, skipped } from "../../addresses/calls/outcomes.js";
import { CACHE_LAG_MS } from "../../bounds.js";
import type { Patch } from "../../kube/patch.js";
import { sendPatch } from "../../kube/send-patch.js";
import { isConflict, isForbidden, isInvalid, isNotFound } from "../../kube/status-error.js";
import type { NodeFacts } from "../../match/node-facts.js";
import type { ActionCall, ActionTable } from "../../reconcile/kind.js";
import type { ControllerContext } from "../context.js";
import type { Pools } from "./resource.js";

type Call = ActionCall<Pools>;

export function nodeAnnotations(
  context: ControllerContext,
): Pick<ActionTable<Pools>, "annotate-node" | "unannotate-node"> {
  const change = (call: Call, action: NodeAction) => changeNode(context, call, action);
  return { "annotate-node": change, "unannotate-node": change };
}

/** Sends each change once: the node cache shows it a moment later. */
async function changeNode(context: ControllerContext, call: Call, action: NodeAction): Promise<Outcome> {
  const { sentAnnotations } = call.state.memory;
  const node = context.nodes.get(action.node);
  if (node === undefined) return skipped("the node is gone");
  const [key, text] = [`${action.node} ${action.family}`, `${action.do} ${action.ip} ${node.uid}`];
  const sent = sentAnnotations.get(key);
  const now = context.clock.monotonic();
  if (sent?.text === text && now - sent.at < CACHE_LAG_MS) return skipped("it has been sent");
  const patch = patchOf(call, node, action);
  if (patch === undefined) return DONE;
  for (const [other, { at }] of sentAnnotations) if (now - at >= CACHE_LAG_MS) sentAnnotations.delete(other);
  sentAnnotations.set(key, { text, at: now });
  return send(context, call, { name: node.name, patch, undo: () => sentAnnotations.delete(key) });
}

function patchOf({ snapshot: { snapshot } }: Call, node: NodeFacts, action: NodeAction): Patch | undefined {
  const { family, ip } = action;
  if (action.do === "unannotate-node") return annotationRemoval(node, family);
  return annotationPatch(node, family, { ip, owner: ownerName(snapshot.pool.metadata) });
}

interface NodeChange {
  readonly name: string;
  readonly patch: Patch;
  readonly undo: () => void;
}

async function send(
  { client, clock }: ControllerContext,
  { state: { memory }, signal }: Call,
  { name, patch, undo }: NodeChange,
): Promise<Outcome> {
  try {
    await sendPatch(client, nodePath(name), patch, { signal });
    memory.nodesForbiddenAt = undefined;
    return DONE;
  } catch (error) {
    undo();
    memory.nodesForbiddenAt = isForbidden(error) ? clock.monotonic() : undefined;
    // Gone, created anew, or annotated by somebody else meanwhile: its event brings us back.
    if (isNotFound(error) || isConflict(error) || isInvalid(error)) return skipped("the node has changed meanwhile");
    throw error;
  }
}
