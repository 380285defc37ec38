/**
 * When a status is written before or after the end of a run. Facts that actions write go out before the status of the run: if
 * the run found that a Ready resource serves no longer, the first of these writes says so, and no version of the object shows
 * the new facts and the old summary. A status that would only say that nothing is read yet waits for the first reads after a
 * start: to whoever watches conditions, each restart would look like an outage. Pure.
 */

import { SUMMARY_TYPES } from "cdk8s-flipop/api";
import { jsonEqual, type KubeObject } from "../kube/objects.js";
import { type Condition, isObject, mergeConditions, type Patch } from "../kube/write/patch.js";
import { addressMessages } from "../messages/addresses.js";
import { firewallRemarks } from "../messages/firewall-remarks.js";
import { issuerMessages } from "../messages/issuers-and-classes.js";
import { includesEntry } from "../messages/message.js";
import { FIRST_READS_MS } from "../timings.js";
import { type PlannedCondition, stamped } from "./conditions.js";
import type { Plan, StatusFields } from "./plan.js";

/** The summary of a plan that is not Ready; `undefined`: it is Ready, nothing is read yet, or its kind has no summary. */
export function unreadySummaryOf(planned: readonly PlannedCondition[], now: number): readonly Condition[] | undefined {
  const summary = planned.filter(({ type }) => SUMMARY_TYPES.some((one) => one === type));
  const ready = summary.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.status === "True" || isUnread(ready)) return undefined;
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

interface StatusAfterStart {
  readonly plan: Pick<Plan, "conditions" | "lostHolder">;
  /** Of the status that is to be written. */
  readonly fields: StatusFields;
  /** As an earlier process has left it, or an earlier run. */
  readonly stored: StatusFields;
  /** Since the first run of the resource in this process. */
  readonly sinceMs: number;
}

const UNREAD = [addressMessages.notObserved, firewallRemarks.toBeRead, issuerMessages.unobserved] as const;

/** The operator has not read yet what the condition is about. */
function isUnread({ status, said }: PlannedCondition): boolean {
  return status === "Unknown" && said !== undefined && includesEntry(said, UNREAD);
}

/** ms that the status waits for the first reads; `undefined`: it is to be written now. */
export function heldAfterStartMs({ plan, fields, stored, sinceMs }: StatusAfterStart): number | undefined {
  const { conditions, lostHolder = false } = plan;
  const isCurrent = stored["observedGeneration"] === fields["observedGeneration"];
  if (sinceMs >= FIRST_READS_MS || !isCurrent || lostHolder || !conditions.some(isUnread)) return undefined;
  return hasNews(fields, stored) || hasNewConditions(conditions, stored) ? undefined : FIRST_READS_MS - sinceMs;
}

/** What is unknown now is no news. */
function hasNews(fields: StatusFields, stored: StatusFields): boolean {
  const others = Object.entries(fields).filter(([field, value]) => field !== "conditions" && value !== undefined);
  return others.some(([field, value]) => !jsonEqual(value, stored[field]));
}

function hasNewConditions(planned: readonly PlannedCondition[], { conditions }: StatusFields): boolean {
  const seen = Array.isArray(conditions) ? (conditions as readonly Condition[]) : [];
  const unread = planned.filter(isUnread).map(({ type }) => type);
  // The summary follows from the others, and Ready shows why.
  const open: readonly string[] = unread.includes("Ready") ? [...unread, ...SUMMARY_TYPES] : unread;
  const known = planned.filter(({ type }) => !open.includes(type));
  const isSeen = ({ type, status, reason }: PlannedCondition) =>
    seen.some((old) => old.type === type && old.status === status && old.reason === reason);
  return seen.length === 0 || !known.every(isSeen);
}
