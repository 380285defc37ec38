/** The one action of this kind: it removes an annotation that is still as it was when the plan was made. */

import { annotationRemoval, nodePath } from "../../addresses/annotations/annotation-patches.js";
import { DONE, type Outcome, skipped } from "../../addresses/calls/outcomes.js";
import type { KubeObject } from "../../kube/objects.js";
import { isInvalid } from "../../kube/status-error.js";
import { sendPatch } from "../../kube/write/send-patch.js";
import type { ActionTable } from "../../reconcile/kind.js";
import type { ControllerContext } from "../context.js";
import { annotationText, type Snapshot } from "./gather.js";
import type { Action, Plan } from "./plan.js";
import type { NodeMemory } from "./resource.js";

/** The types of this kind, for the engine. */
export interface NodeAnnotations {
  readonly object: KubeObject;
  readonly resource: KubeObject;
  readonly snapshot: Snapshot;
  readonly action: Action;
  readonly plan: Plan;
  readonly memory: NodeMemory;
}

export function actions({ nodes, client, clock }: ControllerContext): ActionTable<NodeAnnotations> {
  return {
    "remove-annotation": async ({ state, signal }, { node: name, family }): Promise<Outcome> => {
      const node = nodes.get(name);
      const patch = node && annotationRemoval(node, family);
      if (node === undefined || patch === undefined) return skipped("the annotation is gone");
      try {
        await sendPatch(client, nodePath(name), patch, { signal });
      } catch (error) {
        // The patch tests that the annotation is unchanged.
        if (isInvalid(error)) return skipped("the annotation has changed meanwhile");
        throw error;
      }
      state.memory.set(family, { annotation: annotationText(node.annotations, family), at: clock.monotonic() });
      return DONE;
    },
  };
}
