/** Writes the taints of elected nodes, and on nodes which of them this installation needs. */

import { DONE, type Outcome, skipped } from "../../addresses/call-outcomes.js";
import type { SlimNode } from "../../kube/cache/slim-objects.js";
import { isConflict, isInvalid } from "../../kube/client.js";
import { nodeAnnotationPatch, type Patch, sendPatch, taintPatch } from "../../kube/write/patch.js";
import { isElectionTaint } from "../../match/node-facts.js";
import { annotationOf, type Installation, idsIn, sortedIds, taintId } from "../../match/taint-claims.js";
import type { ActionCall } from "../../reconcile/kind.js";
import type { RoutingCaches } from "../../routing/shared-caches.js";
import type { OwnTaints } from "../../routing/taint-registry.js";
import type { TaintAction } from "./actions.js";
import type { RoutedKind } from "./memory.js";

export async function setTaints(
  { context, taints: registry }: RoutingCaches,
  { context: { recheck }, signal }: Pick<ActionCall<RoutedKind>, "context" | "signal">,
  action: TaintAction,
): Promise<Outcome> {
  const because = recheck?.();
  if (because !== undefined) return { is: "superseded", because };
  const { node: name } = action;
  const node = context.watches.nodes().store.get(name);
  if (node === undefined) return skipped("the node is gone");
  const ids = action.taints.map(taintId);
  // Another installation may have put it there since the decision.
  const later = registry.foreignOn(name).filter((taint) => !ids.includes(taintId(taint)));
  const taints = [...later, ...action.taints];
  const claim = action.claim ?? registry.claimsOn(name).own;
  try {
    const patches = patchesOf(node, { taints, claim }, registry.installation);
    for (const patch of patches) await sendPatch(context.client, `/api/v1/nodes/${name}`, patch, { signal });
    if (patches.length > 0) registry.wrote(node, { taints, claim });
    return DONE;
  } catch (error) {
    // Tainted by somebody else meanwhile, or created anew: its event brings us back.
    if (isInvalid(error) || isConflict(error)) return skipped("the node has changed meanwhile");
    throw error;
  }
}

/** The annotation names a taint before it comes, and until it is gone: after a crash the taint is known to be ours. */
function patchesOf(node: SlimNode, { taints, claim }: OwnTaints, { annotation }: Installation): readonly Patch[] {
  const foreign = (node.taints ?? []).filter((taint) => !isElectionTaint(taint));
  const text = node.annotations[annotation];
  const meanwhile = annotationOf(sortedIds([...idsIn(text), ...claim]));
  const annotations: SlimNode["annotations"] = meanwhile === undefined ? {} : { [annotation]: meanwhile };
  const patches = [
    nodeAnnotationPatch(node, { [annotation]: meanwhile }),
    taintPatch(node, [...foreign, ...taints]),
    nodeAnnotationPatch({ ...node, annotations }, { [annotation]: annotationOf(claim) }),
  ];
  return patches.filter((patch) => patch !== undefined);
}
