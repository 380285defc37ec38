/**
 * Facts that actions write into a status go out before the status of the run. If the run found that a Ready resource serves
 * no longer, the first of these writes says so: no version of the object shows the new facts and the old summary. Pure.
 */

import { SUMMARY_TYPES } from "cdk8s-flipop/api";
import type { KubeObject } from "../kube/objects.js";
import { type Condition, isObject, mergeConditions, type Patch } from "../kube/write/patch.js";
import { type PlannedCondition, stamped } from "./conditions.js";

/** The summary of a plan that is not Ready; `undefined`: the plan is Ready, or its kind has no summary. */
export function unreadySummaryOf(planned: readonly PlannedCondition[], now: number): readonly Condition[] | undefined {
  const summary = planned.filter(({ type }) => SUMMARY_TYPES.some((one) => one === type));
  const ready = summary.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.status === "True") return undefined;
  return stamped(summary, { now, generation: undefined });
}

/** The patch of a status, with the summary if the object is Ready after it otherwise. */
export function withUnreadySummary(
  patch: Patch | undefined,
  { status: seen }: Pick<KubeObject, "status">,
  summary: readonly Condition[] | undefined,
): Patch | undefined {
  if (summary === undefined || patch === undefined || !isObject(patch.body)) return patch;
  const { status } = patch.body;
  if (!isObject(status) || !isObject(seen)) return patch;
  const conditions = status["conditions"] ?? seen["conditions"];
  const ready = readyOf(conditions);
  if (ready?.status !== "True") return patch;
  const { observedGeneration } = ready;
  const ours = summary.map((one) => (observedGeneration === undefined ? one : { ...one, observedGeneration }));
  return { ...patch, body: { ...patch.body, status: { ...status, conditions: mergeConditions(conditions, ours) } } };
}

function readyOf(conditions: unknown): Condition | undefined {
  const list = Array.isArray(conditions) ? (conditions as readonly Condition[]) : [];
  return list.find(({ type }) => type === "Ready");
}
