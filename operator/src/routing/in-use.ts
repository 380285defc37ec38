/** The finalizer that keeps an issuer or a class as long as a RoutedIP uses it. Pure. */

import { type Condition, Finalizer, inUseFinalizerOf, isInUseFinalizer } from "cdk8s-flipop/api";
import { timeOf } from "../clock.js";
import type { KubeObject, ObjectMeta } from "../kube/objects.js";
import { finalizerPatch, type Patch } from "../kube/write/patch.js";
import { JANITOR_RETRY_MS } from "../timings.js";

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

/** The former one of an installation that has become limited may be another one's: only a deletion needs it to go. */
export function isHeld({ deletionTimestamp, finalizers = [] }: Held, { own, former }: InUseFinalizers): boolean {
  return finalizers.includes(own) || (deletionTimestamp !== undefined && finalizers.includes(former));
}

/** The server takes no new finalizer during a deletion. */
export function lacksFinalizer({ deletionTimestamp, finalizers = [] }: Held, { own }: InUseFinalizers): boolean {
  return deletionTimestamp === undefined && !finalizers.includes(own);
}

/** RoutedIPs that only other installations see use it. */
export function isKeptByOthers(metadata: Held, ours: InUseFinalizers): boolean {
  return othersUsing(metadata, ours).length > 0;
}

/** Other installations whose RoutedIPs use it: by their finalizers. */
export function othersUsing(metadata: Held, ours: InUseFinalizers): readonly string[] {
  return holdersOf(metadata, ours).filter((holder) => holder !== ours.own);
}

/** Whether installations have begun to use it, or use it no more, and some of them are others. */
export function haveUsersChanged(before: Held, after: Held, ours: InUseFinalizers): boolean {
  const [left, come] = [holdersOf(before, ours), holdersOf(after, ours)];
  if (![...left, ...come].some((holder) => holder !== ours.own)) return false;
  return left.length !== come.length || left.some((holder) => !come.includes(holder));
}

/** One installation writes the status, or each would overwrite what another one says: the first of those that keep it. */
export function isLeftToOthers(metadata: Held, ours: InUseFinalizers): boolean {
  const [first = ours.own] = holdersOf(metadata, ours);
  return first !== ours.own;
}

interface Reported {
  readonly metadata: Held;
  readonly conditions?: readonly Condition[] | undefined;
}

/** The installation that should write the status of a deleted object has not done it: it runs no more. Each other one may, once. */
export function isLeftStale({ metadata: { deletionTimestamp }, conditions = [] }: Reported, now: number): boolean {
  const began = timeOf(deletionTimestamp);
  const isReady = conditions.some(({ type, status }) => type === "Ready" && status === "True");
  return began !== undefined && isReady && now - began >= JANITOR_RETRY_MS;
}

/** Finalizers of installations, as far as RoutedIPs may use it that this one does not see. */
function holdersOf({ finalizers = [] }: Held, { own, former }: InUseFinalizers): readonly string[] {
  const seesAll = own === Finalizer.inUse;
  return seesAll ? [] : finalizers.filter((each) => isInUseFinalizer(each) && each !== former);
}

/** @returns `undefined` also where the others have left since the decision to leave it to them: then this one cleans up first. */
export function leavePatch(object: KubeObject, ours: InUseFinalizers, decidedOn: Held): Patch | undefined {
  const isLastNow = isKeptByOthers(decidedOn, ours) && !isKeptByOthers(object.metadata, ours);
  return isLastNow ? undefined : inUsePatch(object, ours, false);
}

/** A removal takes one of the two; the next one takes the other. @returns `undefined`: nothing is left to do. */
export function inUsePatch(object: KubeObject, ours: InUseFinalizers, present: boolean): Patch | undefined {
  const own = finalizerPatch(object, ours.own, present);
  if (present || own !== undefined) return own;
  return isHeld(object.metadata, ours) ? finalizerPatch(object, ours.former, false) : undefined;
}
