import { createHash } from "node:crypto";
import {
  type HolderKind,
  type HolderResource,
  holderLabelKey,
  untilAssignedTaintKey,
} from "../api/labels/node-mark-keys";
import type { IFlipopResource } from "../flipop-resource";

/** Key of the holder label of a resource; throws if the namespace is not known. */
export function holderLabelKeyOf(resource: IFlipopResource, kind: HolderKind): string {
  return holderLabelKey(holderResource(resource, kind, "holderLabelKey"), sha256);
}

/** Key of the taint of nodes that wait for an address of a resource; throws if the namespace is not known. */
export function untilAssignedTaintKeyOf(resource: IFlipopResource, kind: HolderKind): string {
  return untilAssignedTaintKey(holderResource(resource, kind, "untilAssignedTaintKey"), sha256);
}

function holderResource(
  { name, namespace, node }: IFlipopResource,
  kind: HolderKind,
  property: string,
): HolderResource {
  if (namespace !== undefined) return { kind, namespace, name };
  throw new Error(
    `${node.path}: ${property} needs the namespace, which the key contains: give the chart or metadata.namespace`,
  );
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
