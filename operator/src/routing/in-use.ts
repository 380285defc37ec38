/** The finalizer that keeps an issuer or a class as long as a RoutedIP uses it. Pure. */

import { Finalizer, inUseFinalizerOf, isInUseFinalizer } from "cdk8s-flipop/api";
import type { KubeObject, ObjectMeta } from "../kube/objects.js";
import { finalizerPatch, type Patch } from "../kube/write/patch.js";

export interface InUseFinalizers {
  readonly own: string;
  /** The installation had it before its `--watch-namespaces` changed, or in an earlier release. */
  readonly former: string;
}

interface Installation {
  /** Of the operator. */
  readonly namespace: string;
  /** Empty: all. */
  readonly watchNamespaces: readonly string[];
}

/** One that does not see all RoutedIPs has its own: another one's RoutedIPs may use the same issuer or class. */
export function inUseFinalizersOf({ namespace, watchNamespaces }: Installation): InUseFinalizers {
  const limited = inUseFinalizerOf(namespace);
  return watchNamespaces.length === 0
    ? { own: Finalizer.inUse, former: limited }
    : { own: limited, former: Finalizer.inUse };
}

type Held = Pick<ObjectMeta, "deletionTimestamp" | "finalizers">;

export function isHeld({ finalizers = [] }: Held, { own, former }: InUseFinalizers): boolean {
  return finalizers.includes(own) || finalizers.includes(former);
}

/** The server takes no new finalizer during a deletion. */
export function lacksFinalizer({ deletionTimestamp, finalizers = [] }: Held, { own }: InUseFinalizers): boolean {
  return deletionTimestamp === undefined && !finalizers.includes(own);
}

/** It is being deleted, and RoutedIPs that only another installation sees keep it: that one writes its status. */
export function isLeftToOthers(metadata: Held | undefined, ours: InUseFinalizers): boolean {
  if (metadata?.deletionTimestamp === undefined || isHeld(metadata, ours)) return false;
  return metadata.finalizers?.some(isInUseFinalizer) === true;
}

/** A removal takes one of the two; the next one takes the other. @returns `undefined`: nothing is left to do. */
export function inUsePatch(object: KubeObject, ours: InUseFinalizers, present: boolean): Patch | undefined {
  const own = finalizerPatch(object, ours.own, present);
  return present ? own : (own ?? finalizerPatch(object, ours.former, false));
}
