/**
 * Address annotations on nodes that no resource looks after: of owners that are gone, and stale ones of the Go operator,
 * which names no owner. Resources look after their own annotations.
 */

import type { Kind } from "../../reconcile/kind.js";
import { KindController } from "../../reconcile/kind-controller.js";
import type { ControllerContext, ControllerParts } from "../context.js";
import { actions, type NodeAnnotations } from "./actions.js";
import { FAMILIES, gather, prepare } from "./gather.js";
import { plan } from "./plan.js";
import { annotatedNodes } from "./resource.js";

export function createNodeAnnotationsController(context: ControllerContext): ControllerParts {
  const controller = new KindController(context, kindOf(context));
  const { owners, annotated } = context;
  const unlisten = owners.onGone((owner) => {
    for (const family of FAMILIES) {
      for (const { name } of annotated.find(family, owner, [])) controller.enqueue(name);
    }
  });
  const close = () => {
    unlisten();
    return controller.close();
  };
  return { controllers: [controller], caches: [], checks: new Map(), close };
}

function kindOf(context: ControllerContext): Kind<NodeAnnotations> {
  return {
    names: { kind: "Node", plural: "nodes", controller: "node-annotations" },
    source: annotatedNodes(context),
    read: (object) => object,
    remember: () => new Map(),
    prepare: (state) => prepare(context, state),
    gather: (state, node) => gather(context, state, node),
    plan,
    actions: actions(context),
    priority: "check",
    workers: 1,
  };
}
