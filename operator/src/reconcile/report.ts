/** Reports a run: Events, log lines, and the gauges of the resource. */

import { hasFailed } from "../addresses/call-outcomes.js";
import type { Clock } from "../clock.js";
import type { ResourceRef } from "../inventory/view.js";
import type { EventRecorder } from "../kube/write/events.js";
import type { Logger } from "../logging.js";
import { conditionEvent } from "../messages/events.js";
import type { EventMessage } from "../messages/message.js";
import type { FlipopMetrics } from "../metrics/definitions.js";
import {
  conditionSamples,
  type PlannedCondition,
  pauseEvents,
  regardingOf,
  type SeenCondition,
  turnedBad,
} from "./conditions.js";
import type { Decision, Start } from "./iteration.js";
import type { Kind } from "./kind.js";
import type { ActionResult, DeferredEvent, HeldEvent, KindTypes, SequenceResult, StatusFields } from "./plan.js";
import type { ResourceState } from "./resource-state.js";

export interface ReportTools {
  readonly events: EventRecorder;
  readonly logger: Logger;
  readonly metrics: FlipopMetrics;
  readonly clock: Pick<Clock, "monotonic">;
}

export interface EndedSequence<T extends KindTypes> extends Decision<T> {
  readonly start: Start<T>;
  readonly result: SequenceResult<T["action"]>;
}

/** What was done is reported at once, also where a later step ends the process. */
export function reportSequence<T extends KindTypes>(
  tools: ReportTools,
  kind: Kind<T>,
  state: ResourceState<T>,
  { snapshot, plan, start, result }: EndedSequence<T>,
): void {
  for (const each of result.results) logResult(tools, state, each);
  if (start.confirms !== undefined) return;
  const { now = [], deferred = [] } = kind.events?.(snapshot, plan, result) ?? {};
  const { lockKey } = result.sequence;
  // No later status shows how an action failed that has succeeded since.
  const succeeded = new Set(result.results.flatMap(({ action, outcome }) => (outcome.is === "done" ? action.do : [])));
  const overcome = takeDeferred(state, (event) => event.lockKey === lockKey && succeeded.has(event.do));
  emit(tools, state, [...overcome, ...now]);
  state.deferredEvents = [...state.deferredEvents, ...deferred.map((event) => ({ ...event, lockKey }))];
}

function takeDeferred<T extends KindTypes>(
  state: ResourceState<T>,
  isTaken: (event: HeldEvent) => boolean,
): readonly HeldEvent[] {
  const taken = state.deferredEvents.filter(isTaken);
  state.deferredEvents = state.deferredEvents.filter((event) => !taken.includes(event));
  return taken;
}

export interface WrittenConditions {
  readonly before: readonly SeenCondition[];
  readonly planned: readonly PlannedCondition[];
  /** See `Iteration`. All others wait for the next status, which may say the same. */
  readonly shownFailures: readonly HeldEvent[];
  /** What the server has begun to drop of the status. */
  readonly drops?: readonly string[] | undefined;
  /** Absent: the status was not written. */
  readonly fields?: { readonly before: StatusFields; readonly written: StatusFields };
}

/** Once the status says it, or never will. */
export function emitStatusEvents<T extends KindTypes>(
  tools: ReportTools,
  kind: Kind<T>,
  state: ResourceState<T>,
  { before, planned, shownFailures, drops = [], fields }: WrittenConditions,
): void {
  const { statusEvents = conditionsAndDeferred, statusRules } = kind;
  const seen = { before, planned, deferred: takeDeferred(state, (event) => shownFailures.includes(event)) };
  const compared = state.startWarnings.compared(seen, tools.clock.monotonic());
  const warnings = statusEvents(compared.before, compared.planned, compared.deferred, state);
  const changes = fields && kind.statusChanges?.(state, fields.before, fields.written);
  emit(tools, state, eachOnce([...warnings, ...pauseEvents(before, planned), ...(changes ?? [])]));
  if (drops.length > 0 && statusRules?.olderCrdEvent !== undefined)
    emit(tools, state, [statusRules.olderCrdEvent({ dropped: drops })]);
}

/** One cause may turn several conditions. */
function eachOnce(messages: readonly EventMessage[]): readonly EventMessage[] {
  const isSame = (a: EventMessage, b: EventMessage) => a.reason === b.reason && a.note === b.note;
  return messages.filter((message, index) => messages.findIndex((other) => isSame(message, other)) === index);
}

export function showMetrics<T extends KindTypes>(
  metrics: FlipopMetrics,
  kind: Kind<T>,
  state: ResourceState<T>,
  { snapshot, plan }: Decision<T>,
): void {
  const own = kind.metrics?.(state, snapshot, plan) ?? [];
  const abandoned = kind.names.finalizer === undefined ? [] : [abandonedSample(metrics, state.ref)];
  state.series.show([...own, ...abandoned, ...conditionSamples(metrics, state.ref, plan.conditions)]);
}

function abandonedSample({ abandonedItems }: FlipopMetrics, { kind, namespace, name }: ResourceRef) {
  return { gauge: abandonedItems, labels: { kind, namespace, name }, value: 0 };
}

function conditionsAndDeferred(
  before: readonly SeenCondition[],
  planned: readonly PlannedCondition[],
  deferred: readonly DeferredEvent[],
): readonly EventMessage[] {
  const turned = turnedBad(before, planned).map((condition) => conditionEvent(condition, condition.type));
  return [...turned, ...deferred];
}

function emit<T extends KindTypes>(
  { events }: ReportTools,
  { ref }: ResourceState<T>,
  messages: readonly EventMessage[],
): void {
  const { namespace, ...named } = ref;
  const regarding = regardingOf(namespace === "" ? named : ref);
  for (const { type, reason, action, note } of messages) events.record({ regarding, type, reason, action, note });
}

function logResult<T extends KindTypes>(
  { logger, metrics }: ReportTools,
  { ref, key }: ResourceState<T>,
  { action, outcome }: ActionResult<T["action"]>,
): void {
  const fields = { kind: ref.kind, resource: key, action: action.do, why: action.why, outcome };
  if (hasFailed(outcome)) logger.warn(fields, "Action failed");
  else if (outcome.is === "skipped" || outcome.is === "superseded") logger.debug(fields, "Action skipped");
  else logger.info(fields, "Action done");
  const { abandonedItems = [] } = action;
  if (outcome.is !== "done" || abandonedItems.length === 0) return;
  const { labels } = abandonedSample(metrics, ref);
  metrics.abandonedItems.count(labels, abandonedItems.length);
  logger.error(
    { kind: ref.kind, resource: key, abandonedItems },
    "Cleanup given up; remove by hand what is left behind",
  );
}
