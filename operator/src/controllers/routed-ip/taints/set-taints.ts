/** Writes the taints under our prefix of one node. */

import { DONE, type Outcome, skipped } from "../../../addresses/calls/outcomes.js";
import { isConflict, isInvalid } from "../../../kube/status-error.js";
import { taintPatch } from "../../../kube/write/patch.js";
import { sendPatch } from "../../../kube/write/send-patch.js";
import { isOwnTaint } from "../../../match/taints.js";
import type { ActionCall } from "../../../reconcile/kind.js";
import type { Routing } from "../../../routing/routing.js";
import type { TaintAction } from "../actions.js";
import type { RoutedKind } from "../routed-state.js";

export async function setTaints(
  { context, taints: registry }: Routing,
  { context: { recheck }, signal }: Pick<ActionCall<RoutedKind>, "context" | "signal">,
  { node: name, taints }: TaintAction,
): Promise<Outcome> {
  const because = recheck?.();
  if (because !== undefined) return { is: "superseded", because };
  const node = context.watches.nodes().store.get(name);
  if (node === undefined) return skipped("the node is gone");
  const foreign = (node.taints ?? []).filter((taint) => !isOwnTaint(taint));
  const patch = taintPatch(node, [...foreign, ...taints]);
  if (patch === undefined) return DONE;
  try {
    await sendPatch(context.client, `/api/v1/nodes/${name}`, patch, { signal });
    registry.wrote(node, taints);
    return DONE;
  } catch (error) {
    // Tainted by somebody else meanwhile, or created anew: its event brings us back.
    if (isInvalid(error) || isConflict(error)) return skipped("the node has changed meanwhile");
    throw error;
  }
}
