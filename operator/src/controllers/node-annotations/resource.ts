/** A node that bears address annotations, as the engine finds it: what it bears, and what the operator removed lately. */

import type { IpFamily } from "cdk8s-flipop/api";
import { nodePath } from "../../addresses/annotations/annotation-patches.js";
import type { KubeObject } from "../../kube/objects.js";
import type { NodeFacts } from "../../match/node-facts.js";
import { ObjectWriters } from "../../reconcile/objects/object-writers.js";
import type { ResourceSource } from "../../reconcile/objects/source.js";
import type { ControllerContext } from "../context.js";

/** Removals that the node cache may not show yet, by family. */
export type NodeMemory = Map<IpFamily, { readonly annotation: string; readonly at: number }>;

/** Only nodes that bear an annotation have runs; a node that is gone is forgotten. */
export function annotatedNodes({ nodes, annotated, client, clock }: ControllerContext): ResourceSource<KubeObject> {
  const cached = (name: string) => {
    const node = nodes.get(name);
    return node === undefined ? undefined : objectOf(node);
  };
  return {
    writers: new ObjectWriters<KubeObject>(client, cached, nodePath, clock),
    keys: () => annotated.all(),
    cached,
    listen: (listener) =>
      nodes.listen(({ name, before, after }) => {
        if (before !== undefined && after === undefined)
          listener({ key: name, object: objectOf(before), deleted: true });
      }),
  };
}

function objectOf({ name, uid, annotations }: NodeFacts): KubeObject {
  return { metadata: { name, uid, annotations, resourceVersion: "" } };
}
