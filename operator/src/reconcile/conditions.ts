/** Conditions in plans, statuses and metrics; the condition that follows from a provider's error; the object that an Event is about. */

import {
  BAD_WHEN_TRUE,
  type ConditionType,
  GROUP_VERSION,
  REASONS,
  type Reason,
  SUMMARY_TYPES,
} from "cdk8s-flipop/api";
import type { ResourceRef } from "../inventory/view.js";
import type { EventInput } from "../kube/write/events.js";
import type { Condition } from "../kube/write/patch.js";
import { addressMessages } from "../messages/addresses.js";
import { conditionEvent, type FailureNames } from "../messages/events.js";
import type { EventMessage, Problem } from "../messages/message.js";
import { providerMessages } from "../messages/provider.js";
import type { FlipopMetrics } from "../metrics/definitions.js";
import type { Sample } from "../metrics/registry.js";
import { printable } from "../printable.js";
import type { ProviderError, ProviderErrorKind } from "../providers/errors.js";
import { RATE_LIMIT_LOOK_MS } from "../timings.js";

export interface PlannedCondition {
  readonly type: ConditionType;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: Reason;
  readonly message: string;
  /** What the message is made of, for comparisons. The status does not keep it. */
  readonly said?: Problem;
}

/** The fields that show whether a condition has changed. */
export type SeenCondition = Pick<Condition, "type" | "status" | "reason">;

/** Whether a word of a status is a reason that this release knows. */
export function isReason(word: string | undefined): word is Reason {
  return word !== undefined && Object.hasOwn(REASONS, word);
}

export function yes(type: ConditionType, said: Problem): PlannedCondition {
  return planned(type, "True", said);
}

export function no(type: ConditionType, said: Problem): PlannedCondition {
  return planned(type, "False", said);
}

export function unknown(type: ConditionType, said: Problem = addressMessages.notObserved()): PlannedCondition {
  return planned(type, "Unknown", said);
}

function planned(type: ConditionType, status: PlannedCondition["status"], said: Problem): PlannedCondition {
  return { type, status, reason: said.reason, message: said.message, said };
}

/**
 * A person has to know: a Warning Event reports the change. The summary repeats what another condition says, except for a
 * stopped operator and for a deletion that waits.
 */
export function isBad({ type, status, reason }: SeenCondition): boolean {
  if (SUMMARY_TYPES.some((summary) => summary === type)) return type === "Ready" && ONLY_READY.has(reason);
  if (BAD_WHEN_TRUE.some((bad) => bad === type)) return status === "True";
  return status === "False" ? !PASSING.has(reason) : IGNORED.has(reason);
}

/** No address is active: the record set keeps the last ones, or has none. */
export function lacksAddress({ reason }: Pick<SeenCondition, "reason">): boolean {
  return reason === "KeptLastKnown" || reason === "NoneActive";
}

/** No address is active because one moves, or the resource goes: that ends by itself. */
export function endsWithMove(condition: SeenCondition, all: readonly SeenCondition[]): boolean {
  if (!lacksAddress(condition)) return false;
  return all.some((served) => (served.type === "Fulfilled" || served.type === "Assigned") && isPassing(served));
}

function isPassing({ status, reason }: SeenCondition): boolean {
  return status === "Unknown" || (status === "False" && PASSING.has(reason));
}

/** Conditions that have turned bad, for Events: if several conditions name one obstacle, only the first counts. */
export function turnedBad(
  before: readonly SeenCondition[] | undefined,
  planned: readonly PlannedCondition[],
): readonly PlannedCondition[] {
  const turned = planned.filter(({ type, status, reason }) => {
    const old = before?.find((condition) => condition.type === type);
    if (old?.status === status && old.reason === reason) return false;
    return isBad({ type, status, reason }) && !endsWithMove({ type, status, reason }, planned);
  });
  const firstWith = (message: string) => turned.find((condition) => condition.message === message);
  return turned.filter((condition) => firstWith(condition.message) === condition);
}

/** The Events of a kind that checks its own spec and accounts. */
export function conditionEvents(
  before: readonly SeenCondition[],
  planned: readonly PlannedCondition[],
): readonly EventMessage[] {
  return turnedBad(before, planned).map((condition) => conditionEvent(condition, "Check"));
}

/** The pause has begun, or it now keeps an address from a node: a warning where the resource does not serve. */
export function pauseEvents(
  before: readonly SeenCondition[],
  planned: readonly PlannedCondition[],
): readonly EventMessage[] {
  const turned = planned.filter(({ type, status, reason }) => {
    if (reason !== "Paused" || SUMMARY_TYPES.some((summary) => summary === type)) return false;
    return !before.some((old) => old.type === type && old.status === status && old.reason === reason);
  });
  const lost = turned.find(({ status }) => status === "False");
  const [begun] = turned;
  if (lost !== undefined) return [conditionEvent(lost, lost.type)];
  return begun === undefined ? [] : [{ ...conditionEvent(begun, begun.type), type: "Normal" }];
}

/** They end by themselves, and soon; or a person wants them. */
const PASSING: ReadonlySet<string> = new Set<Reason>([
  "CoolingOff",
  "MoveLimit",
  "UnderWay",
  "InGrace",
  "Paused",
  "Stopped",
]);

/** No other condition has these reasons. */
const ONLY_READY: ReadonlySet<string> = new Set<Reason>(["Stopped", "InUse", "FirewallNotEmpty"]);

/** The resource is served, apart from a part of its spec. */
const IGNORED: ReadonlySet<string> = new Set<Reason>(["Invalid", "DuplicateAddress", "TooManyAddresses"]);

const LONGEST_MESSAGE = 32_768;

/** For `statusPatch`, which keeps the time of a status that is the same. */
export function stamped(
  planned: readonly PlannedCondition[],
  { now, generation }: { readonly now: number; readonly generation: number | undefined },
): readonly Condition[] {
  const lastTransitionTime = new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
  return planned.map(({ type, status, reason, message }) => ({
    type,
    status,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime,
    reason,
    message: cut(message, LONGEST_MESSAGE),
  }));
}

/** The text for a field of a status. */
export function cut(text: string, length: number): string {
  const shown = printable(text);
  return shown.length <= length ? shown : `${shown.slice(0, length - 3).replace(/\p{Cs}$/u, "")}...`;
}

type ConditionFacts = Pick<PlannedCondition, "type" | "status" | "reason">;

const VALUES = { True: 1, False: 0, Unknown: -1 } as const;

/** One series for each condition: 1 True, 0 False, -1 Unknown. A bad one has a second series, with its reason. */
export function conditionSamples(
  { condition, problem }: Pick<FlipopMetrics, "condition" | "problem">,
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
  conditions: readonly ConditionFacts[],
): readonly Sample[] {
  const resource = { kind, namespace, name };
  return conditions.flatMap(({ type, status, reason }): readonly Sample[] => {
    const shown = { gauge: condition, labels: { ...resource, type }, value: VALUES[status] };
    if (!isBad({ type, status, reason })) return [shown];
    return [shown, { gauge: problem, labels: { ...resource, type, reason }, value: 1 }];
  });
}

/** @param missing what it is that the provider does not have, as a reason. */
export function problemOf({ kind, reason, message: text }: ProviderError, missing: Reason): Problem {
  if (reason === "KindMissing") return providerMessages.kindMissing({ text });
  if (kind === "NotFound") return providerMessages.notFound({ missing, text });
  if (reason === "NodeOccupied") return providerMessages.nodeOccupied({ text });
  // Something of somebody else is in the way, and stays there: a CNAME of that name, a second zone.
  if (reason === "RecordExists") return providerMessages.recordInTheWay({ text });
  if (reason === "RecordsChanged") return providerMessages.recordsChanged({ text });
  if (reason === "Ambiguous") return providerMessages.ambiguous({ text });
  return MESSAGES[kind]({ text });
}

const MESSAGES = {
  Conflict: providerMessages.conflict,
  RateLimited: providerMessages.rateLimited,
  Unavailable: providerMessages.unavailable,
  Unauthorized: providerMessages.unauthorized,
  QuotaExceeded: providerMessages.quotaExceeded,
  Terminal: providerMessages.refused,
} as const satisfies Readonly<Record<Exclude<ProviderErrorKind, "NotFound">, unknown>>;

/** What an Event is about. A cluster-scoped resource has no namespace. */
export function regardingOf({ kind, namespace, name, uid }: Regarded): EventInput["regarding"] {
  return { apiVersion: GROUP_VERSION, kind, ...(namespace === undefined ? {} : { namespace }), name, uid };
}

type Regarded = Pick<ResourceRef, "kind" | "name" | "uid"> & Partial<Pick<ResourceRef, "namespace">>;

/** Reason and action of the Event, by what failed of that which pools and RoutedIPs both do. */
export const ADDRESS_FAILURES = {
  assign: ["AssignFailed", "Assign"],
  unassign: ["UnassignFailed", "Unassign"],
  release: ["ReleaseFailed", "Release"],
  poll: ["AssignFailed", "Assign"],
  "create-address": ["CreateFailed", "Create"],
  "record-intent": ["CreateFailed", "Create"],
  "settle-creation": ["StatusNotWritten", "WriteStatus"],
  "record-creation": ["StatusNotWritten", "WriteStatus"],
  "drop-intent-copy": ["AnnotationNotWritten", "Annotate"],
  "pass-on": ["StatusNotWritten", "WriteStatus"],
  "forget-created": ["StatusNotWritten", "WriteStatus"],
  "annotate-pool": ["AnnotationNotWritten", "Annotate"],
  "clear-forget-creation": ["AnnotationNotWritten", "Annotate"],
  "add-finalizer": ["FinalizerNotWritten", "WriteFinalizer"],
  "remove-finalizer": ["FinalizerNotWritten", "WriteFinalizer"],
  "label-holders": ["LabelNotWritten", "Label"],
  "taint-until": ["TaintNotWritten", "Taint"],
  "record-dns": ["StatusNotWritten", "WriteStatus"],
  "read-records": ["RecordsFailed", "ReadRecords"],
  "apply-records": ["RecordsFailed", "ChangeRecords"],
} as const satisfies Readonly<Record<string, FailureNames>>;

/** ms until a condition that shows a wait for the limits has to be made again: no event ends the wait, and a time that it names must not have passed. */
export function limitLookMs(conditions: readonly PlannedCondition[], now: number): number | undefined {
  const waiting = conditions.filter(({ status, reason }) => status === "Unknown" && reason === "RateLimited");
  const looks = waiting.map(({ said }) => {
    const until = untilOf(said?.values);
    return until !== undefined && until > now ? until - now : RATE_LIMIT_LOOK_MS;
  });
  return looks.length === 0 ? undefined : Math.min(...looks);
}

function untilOf(values: unknown): number | undefined {
  if (typeof values !== "object" || values === null || !("until" in values)) return undefined;
  return typeof values.until === "number" ? values.until : undefined;
}
