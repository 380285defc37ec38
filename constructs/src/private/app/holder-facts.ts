import { createHash } from "node:crypto";
import type { IConstruct } from "constructs";
import { HOLDER_KINDS, type HolderKind, holderLabelKey } from "../../api/labels/node-mark-keys";
import { isObject, type JsonObject } from "../../api/schema/schema";
import { objectAt } from "../manifest";
import { AppIndex, runningIndex } from "./app-index";

/** What the resources of an app mean for the pods of the operator of the same cluster. */
export interface HolderFacts {
  /** Whether a resource has a health check. */
  readonly isProbed: boolean;
  /** Keys of the labels of nodes that hold an address, each once, in order. */
  readonly holderLabels: readonly string[];
}

/** Reads all resources of the app. Call it when the app is complete. */
export function holderFacts(operator: IConstruct): HolderFacts {
  const index = runningIndex(operator) ?? new AppIndex(operator.node.root);
  const cluster = index.clusterOf(operator);
  const objects = index.allFlipopObjects().filter(({ object }) => index.clusterOf(object) === cluster);
  return {
    isProbed: objects.some(({ spec }) => isObject(spec.healthCheck)),
    // An object that cannot be rendered has no manifest: its own validation reports the reason.
    holderLabels: [
      ...new Set(objects.flatMap(({ object }) => holderLabelOf(index.manifestOf(object).json ?? {}))),
    ].sort(),
  };
}

function holderLabelOf(manifest: JsonObject): readonly string[] {
  const { kind } = manifest;
  const { name, namespace } = objectAt(manifest, "metadata");
  if (typeof kind !== "string" || typeof name !== "string" || typeof namespace !== "string") return [];
  if (objectAt(manifest, "spec").holderLabel !== true || !isHolderKind(kind)) return [];
  return [holderLabelKey({ kind, namespace, name }, (text) => createHash("sha256").update(text).digest("hex"))];
}

function isHolderKind(kind: string): kind is HolderKind {
  return Object.hasOwn(HOLDER_KINDS, kind);
}
