/** Patches of the address annotations of nodes: only ours, and only while the node is the one that was looked at. */

import type { IpFamily } from "cdk8s-flipop/api";
import { JSON_PATCH, nodeAnnotationPatch, type Patch } from "../../kube/write/patch.js";
import type { NodeFacts } from "../../match/node-facts.js";
import { ADDRESS_ANNOTATIONS } from "./annotated-nodes.js";

type Annotated = Pick<NodeFacts, "uid" | "annotations">;

/** Path of a node. */
export function nodePath(name: string): string {
  return `/api/v1/nodes/${name}`;
}

/** Sets the address and its owner; `undefined`: both are there. */
export function annotationPatch(
  node: Annotated,
  family: IpFamily,
  { ip, owner }: { readonly ip: string; readonly owner: string },
): Patch | undefined {
  const { value, owner: ownerKey } = ADDRESS_ANNOTATIONS[family];
  return nodeAnnotationPatch(node, { [value]: ip, [ownerKey]: owner });
}

/** Removes both, if they still are what was seen. A 422: they are not. `undefined`: there is nothing. */
export function annotationRemoval({ uid, annotations }: Annotated, family: IpFamily): Patch | undefined {
  const { value, owner } = ADDRESS_ANNOTATIONS[family];
  const there = [value, owner].filter((key) => annotations[key] !== undefined);
  if (there.length === 0) return undefined;
  const changes = there.flatMap((key) => [
    { op: "test", path: pointerTo(key), value: annotations[key] },
    { op: "remove", path: pointerTo(key) },
  ]);
  return { contentType: JSON_PATCH, body: [{ op: "test", path: "/metadata/uid", value: uid }, ...changes] };
}

function pointerTo(key: string): string {
  return `/metadata/annotations/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
