/**
 * Address annotations on nodes that no resource maintains: of owners that are gone, and stale ones of the Go operator,
 * which names no owner. Resources maintain their own annotations. An annotation goes only if it is still as it was when the
 * plan was made. Labels and taints go, too, if their resource went without its finalizer.
 */

import { IP_FAMILIES } from "cdk8s-flipop/api";
import { annotationRemoval, nodePath } from "../../addresses/annotations.js";
import { DONE, type Outcome, skipped } from "../../addresses/call-outcomes.js";
import { isInvalid } from "../../kube/client.js";
import type { KubeObject } from "../../kube/objects.js";
import { sendPatch } from "../../kube/write/patch.js";
import type { ActionTable, Kind } from "../../reconcile/kind.js";
import { KindController } from "../../reconcile/kind-controller.js";
import type { ControllerContext, ControllerParts } from "../context.js";
import { annotatedNodes, annotationText, gather, type NodeMemory, prepare, type Snapshot } from "./gather.js";
import { removeLeftMark } from "./left-marks.js";
import { type Action, type Plan, plan } from "./plan.js";
import { claimForUnseenOwners } from "./unseen-owners.js";

/** The types of this kind, for the engine. */
interface NodeAnnotations {
  readonly object: KubeObject;
  readonly resource: KubeObject;
  readonly snapshot: Snapshot;
  readonly action: Action;
  readonly plan: Plan;
  readonly memory: NodeMemory;
}

function actions(context: ControllerContext): ActionTable<NodeAnnotations> {
  const { nodes, client, clock } = context;
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
      // The same text may come back with the address: its wait begins anew.
      state.memory.elsewhere.delete(family);
      state.memory.removed.set(family, { annotation: annotationText(node.annotations, family), at: clock.monotonic() });
      return DONE;
    },
    "remove-mark": ({ signal }, action) => removeLeftMark(context, signal, action),
  };
}

export function createNodeAnnotationsController(context: ControllerContext): ControllerParts {
  const controller = new KindController(context, kindOf(context));
  const { owners, annotated } = context;
  const unlisten = owners.onGone((owner) => {
    for (const family of IP_FAMILIES) {
      for (const { name } of annotated.find(family, owner, [])) controller.enqueue(name);
    }
  });
  const unclaim = claimForUnseenOwners(context);
  const close = () => {
    unlisten();
    unclaim();
    return controller.close();
  };
  return { controllers: [controller], caches: [], checks: new Map(), close };
}

function kindOf(context: ControllerContext): Kind<NodeAnnotations> {
  return {
    names: { kind: "Node", plural: "nodes", controller: "node-annotations" },
    source: annotatedNodes(context),
    read: (object) => object,
    remember: () => ({ removed: new Map(), elsewhere: new Map() }),
    prepare: (state) => prepare(context, state),
    gather: (state, node) => gather(context, state, node),
    plan,
    actions: actions(context),
    priority: "check",
    workers: 1,
  };
}
