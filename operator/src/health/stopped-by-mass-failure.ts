/** Whether a mass failure keeps what depends on a failed node where it is. Pure. */

import { Annotation, type Condition } from "cdk8s-flipop/api";
import type { ObjectMeta } from "../kube/objects.js";
import type { Verdict } from "../match/checks.js";
import type { Grace } from "../match/grace.js";
import { healthMessages } from "../messages/health.js";
import type { Problem } from "../messages/message.js";
import type { ProviderId } from "../providers/types.js";
import { no, type PlannedCondition, yes } from "../reconcile/conditions.js";
import type { MassFailureView } from "./holder-registry.js";
import { failureOf, type MassFailure } from "./mass-failure.js";

export interface Stops {
  /** @default nothing is stopped */
  readonly massFailures?: MassFailureView;
  /** Of the resource: an annotation of a person lifts the stop. */
  readonly metadata: Pick<ObjectMeta, "annotations">;
  /** ms since the epoch. */
  readonly now: number;
}

export interface StoppedHolder {
  readonly machine: ProviderId;
  readonly verdict: Verdict | undefined;
  readonly grace: Grace | undefined;
}

/** The stop that keeps the holder; `undefined`: none does, or it has not failed. */
export function stopOf(
  { massFailures, metadata: { annotations }, now }: Stops,
  { machine, verdict, grace }: StoppedHolder,
): MassFailure | undefined {
  if (massFailures === undefined || verdict === undefined || grace?.state !== "over") return undefined;
  if (annotations?.[Annotation.ignoreMassFailure] === "true" || failureOf(verdict, now) === undefined) return undefined;
  const stop = massFailures(machine);
  return stop !== undefined && stop.until > now ? stop : undefined;
}

/** Empty: no stop keeps anything on a failed node, and none did. */
export function stopCondition(
  known: readonly Condition[] | undefined,
  problem: Problem | undefined,
): readonly PlannedCondition[] {
  if (problem !== undefined) return [yes("MassFailure", problem)];
  const before = known?.some(({ type }) => type === "MassFailure") === true;
  return before ? [no("MassFailure", healthMessages.noMassFailure())] : [];
}
