/** The one action of this kind: it removes an annotation that is still as it was when the plan was made. */

import type { IpFamily } from "cdk8s-flipop/api";
import { sendPatch } from "../../kube/send-patch.js";
import { isInvalid } from "../../kube/status-error.js";
import type { ActionTable, Action as EngineAction } from "../../reconcile/kind.js";
import { annotationRemoval, nodePath } from "../addresses/annotation-patches.js";
import { DONE, type Outcome, skipped } from "../addresses/outcomes.js";
import type { ControllerContext } from "../context.js";
import { annotationText } from "./gather.js";
import type { NodeAnnotations } from "./resource.js";

export interface Action extends EngineAction {
  readonly do: "remove-annotation";
  readonly node: string;
  readonly family: IpFamily;
  readonly ip?: string;
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
