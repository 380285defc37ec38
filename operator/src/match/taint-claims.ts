/**
 * Which installations need which taints of a node. A taint cannot tell: several installations use one key. So each that does not
 * see all RoutedIPs keeps an annotation of its own on the node, and removes only taints that it alone has there. Pure.
 */

import { Annotation, taintsAnnotationOf } from "cdk8s-flipop/api";
import type { Taint } from "../kube/cache/slim-objects.js";
import { compareText } from "../values.js";

/** Key and effect, which identify a taint of a node. */
export type TaintId = string;

export interface Installation {
  /** The annotation of this one. */
  readonly annotation: string;
  /** Other installations have RoutedIPs that this one does not see. */
  readonly isLimited: boolean;
}

/** What the annotations of a node say. */
export interface NodeClaims {
  readonly own: readonly TaintId[];
  /** Of all other installations. */
  readonly others: ReadonlySet<TaintId>;
}

/** @param operator `namespace`: its own */
export function installationOf(operator: {
  readonly namespace: string;
  readonly watchNamespaces: readonly string[];
}): Installation {
  return { annotation: taintsAnnotationOf(operator.namespace), isLimited: operator.watchNamespaces.length > 0 };
}

export function isTaintsAnnotation(key: string): boolean {
  return key.startsWith(`${Annotation.taints}.`);
}

export function taintId({ key, effect }: Pick<Taint, "key" | "effect">): TaintId {
  return `${key}:${effect}`;
}

export function claimsOn(annotations: Readonly<Record<string, string>>, { annotation }: Installation): NodeClaims {
  const others = Object.keys(annotations).filter((key) => isTaintsAnnotation(key) && key !== annotation);
  return {
    own: idsIn(annotations[annotation]),
    others: new Set(others.flatMap((key) => idsIn(annotations[key]))),
  };
}

/** Sorted, each once. */
export function sortedIds(ids: Iterable<TaintId>): readonly TaintId[] {
  return [...new Set(ids)].sort(compareText);
}

/** `undefined`: no annotation is needed. */
export function annotationOf(ids: readonly TaintId[]): string | undefined {
  return ids.length === 0 ? undefined : ids.join(",");
}

/** @param text of an annotation */
export function idsIn(text = ""): readonly TaintId[] {
  return sortedIds(text.split(",").filter((id) => id !== ""));
}
