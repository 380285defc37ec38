/**
 * One iteration: gather, plan, and lock what the sequences touch, without an `await` in between. No other resource can
 * decide meanwhile, so no two choose the same node.
 */

import { isOwnFinalizer } from "cdk8s-flipop/api";
import { jsonEqual, type ObjectMeta } from "../kube/objects.js";
import type { Problem } from "../messages/message.js";
import { deletionMessages } from "../messages/summary.js";
import type { Recheck } from "../providers/call.js";
import type { Stop } from "../runtime/stop-switch.js";
import { RATE_LIMIT_SHOWN_SECONDS, RATE_PROBE_SECONDS, SECOND_MS } from "../timings.js";
import { omitUndefined } from "../values.js";
import type { PlannedCondition } from "./conditions.js";
import { readsOf } from "./dry-run.js";
import { unreadySummaryOf } from "./early-summary.js";
import type { Kind } from "./kind.js";
import {
  type Action,
  type ActionSequence,
  actionsOf,
  type HeldEvent,
  type KindNames,
  type KindTypes,
  type Plan,
  type PlanOf,
} from "./plan.js";
import type { ResourceState } from "./resource-state.js";
import { withSummary, withUnasked } from "./summary-conditions.js";

/** What the plan says at one moment. */
export interface Decision<T extends KindTypes> {
  readonly snapshot: T["snapshot"];
  readonly plan: PlanOf<T>;
}

export interface Iteration<T extends KindTypes> extends Decision<T> {
  /** To be started now: their lock keys are in flight from here on. */
  readonly starts: readonly Start<T>[];
  /** ms since the epoch: when a sequence that has to wait may start. */
  readonly startAt: number | undefined;
  /** The deferred Events whose failures the plan's conditions may show. */
  readonly shownFailures: readonly HeldEvent[];
}

export interface Start<T extends KindTypes> {
  readonly sequence: ActionSequence<T["action"]>;
  /** The sequence whose old data this one reads anew. Its failure counts against that sequence. */
  readonly confirms?: ActionSequence<T["action"]>;
  /** Whether the decision still holds, asked at the moment at which a call of the action may be sent. */
  readonly recheckOf: (action: T["action"]) => Recheck | undefined;
}

interface Moment {
  /** ms since the epoch. */
  readonly now: number;
  /** The operator is stopped, which the summary reports then. */
  readonly stop?: Stop | undefined;
}

/** `undefined`: the resource is gone. */
export function decide<T extends KindTypes>(
  kind: Kind<T>,
  state: ResourceState<T>,
  { now, stop }: Moment,
): Decision<T> | undefined {
  const decision = planNow(kind, state, stop);
  if (decision === undefined) return undefined;
  const { snapshot, plan } = decision;
  const conditions = state.failedActions.shownIn(plan, state.object()?.metadata.generation, now);
  return { snapshot, plan: { ...plan, conditions: withOthers(kind, state, { plan: { ...plan, conditions }, stop }) } };
}

/** As the kind plans it. */
function planNow<T extends KindTypes>(kind: Kind<T>, state: ResourceState<T>, stop?: Stop): Decision<T> | undefined {
  const resource = state.read();
  if (resource === undefined) return undefined;
  state.retries.followGeneration(state.object()?.metadata.generation);
  const snapshot = kind.gather(state, stop === undefined ? resource : (kind.paused?.(resource, stop) ?? resource));
  return { snapshot, plan: kind.plan(snapshot) };
}

/** All conditions of the status. */
function withOthers<T extends KindTypes>(
  { readyWhen, names }: Kind<T>,
  state: ResourceState<T>,
  { plan, stop }: Pick<Decision<T>, "plan"> & { readonly stop: Stop | undefined },
): readonly PlannedCondition[] {
  const { conditions, unserved, ignoredOfMatch } = plan;
  // A kind without a summary has no status either.
  if (readyWhen === undefined) return conditions;
  const deletionWait = keptBy(names, state.object()?.metadata) ?? deletionWaitOf(names, state, plan);
  const facts = { readyWhen, unserved, ignoredOfMatch, stop, deletionWait };
  return withUnasked(withSummary(conditions, facts), state.conditions());
}

/** What the deletion waits for; `undefined`: the resource is not being deleted. */
function deletionWaitOf<T extends KindTypes>(
  { kind, finalizer = "" }: KindNames,
  state: ResourceState<T>,
  { deletion: { left, until, ttl, cause } = { left: [] }, sequences }: Plan,
): Problem | undefined {
  if (!state.isDeleting()) return undefined;
  const keys = sequences.flatMap(({ lockKey, steps }) => steps.map(({ retryKey = lockKey }) => retryKey));
  const failure = left.length === 0 ? undefined : (cause ?? state.retries.cleanupProblem(keys));
  if (failure !== undefined) return deletionMessages.cleanupFails({ left, cause: failure, finalizer });
  return deletionMessages.underWay({ kind, left, ...omitUndefined({ until, ttl }) });
}

/** `undefined`: it is not being deleted, or the operator has something left to clean up. */
function keptBy({ plural }: KindNames, metadata: ObjectMeta | undefined): Problem | undefined {
  const { deletionTimestamp, finalizers = [], name = "", namespace = "" } = metadata ?? {};
  if (deletionTimestamp === undefined || finalizers.length === 0 || finalizers.some(isOwnFinalizer)) return undefined;
  return deletionMessages.keptByOthers({ plural, namespace, name, finalizers });
}

/** An action that runs again is under way for the conditions, which say nothing of its last failure. */
export function shownFailuresOf<T extends KindTypes>(state: ResourceState<T>): readonly HeldEvent[] {
  return state.deferredEvents.filter(({ lockKey }) => !state.inFlight.has(lockKey));
}

export function startIteration<T extends KindTypes>(
  kind: Kind<T>,
  state: ResourceState<T>,
  { now, dryRun, stop }: Moment & { readonly dryRun: boolean },
): Iteration<T> | undefined {
  const decision = decide(kind, state, { now, stop });
  if (decision === undefined) return undefined;
  const { snapshot, plan } = decision;
  state.unreadySummary = unreadySummaryOf(plan.conditions, now);
  kind.register?.(state, snapshot, plan);
  const shownFailures = shownFailuresOf(state);
  const starts: Start<T>[] = [];
  const waits: number[] = [];
  for (const planned of plan.sequences) {
    if (state.inFlight.has(planned.lockKey)) continue;
    const at = startTime(state, planned, now);
    if (at > now) {
      waits.push(at);
      continue;
    }
    const due = dueSteps(state, planned, now);
    lock(kind, state, { ...decision, now, planned: dryRun || stop !== undefined ? readsOf(due) : due, starts });
  }
  return { ...decision, starts, startAt: earliest(waits), shownFailures };
}

/** ms since the epoch, now or later: when a step of the sequence may start. */
export function startTime<T extends KindTypes>(
  state: ResourceState<T>,
  sequence: ActionSequence<T["action"]>,
  now: number,
): number {
  return Math.max(now, sequence.notBefore ?? 0, earliest(stepTimes(state, sequence, now)) ?? now);
}

/** ms since the epoch, now or later: when each step may start. A step waits for those that it relies on. */
function stepTimes<T extends KindTypes>(
  { retries }: ResourceState<T>,
  { lockKey, steps }: ActionSequence<T["action"]>,
  now: number,
): readonly number[] {
  const byName = new Map<string | undefined, number>();
  return steps.map(({ name, retryKey = lockKey, reliesOn = [] }) => {
    const at = Math.max(retries.dueAt(retryKey, now), ...reliesOn.map((other) => byName.get(other) ?? now));
    byName.set(name, at);
    return at;
  });
}

export function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** The sequence without the steps that have to wait. */
function dueSteps<T extends KindTypes>(
  state: ResourceState<T>,
  sequence: ActionSequence<T["action"]>,
  now: number,
): ActionSequence<T["action"]> {
  const times = stepTimes(state, sequence, now);
  return { ...sequence, steps: sequence.steps.filter((_, index) => (times[index] ?? now) <= now) };
}

interface Locked<T extends KindTypes> extends Decision<T> {
  readonly planned: ActionSequence<T["action"]>;
  readonly starts: Start<T>[];
  readonly now: number;
}

/** The sequence itself, or the read that confirms its data. */
function lock<T extends KindTypes>(
  kind: Kind<T>,
  state: ResourceState<T>,
  { snapshot, plan, planned, starts, now }: Locked<T>,
): void {
  const { confirmFirst, lockKey } = planned;
  if (confirmFirst === undefined) {
    if (planned.steps.length === 0) return;
    state.inFlight.add(lockKey);
    state.failedActions.begun(planned, now);
    kind.reserve?.(state, snapshot, planned);
    const plannedNow = () => plannedActions(kind, state, lockKey);
    const recheckOf = (action: T["action"]) =>
      kind.recheckOf === undefined
        ? () => supersededBecause(plannedNow(), action)
        : kind.recheckOf(state, action, { snapshot, plan, plannedNow });
    const rechecks = new Map(actionsOf(planned).map((action) => [action, recheckOf(action)]));
    starts.push({ sequence: planned, recheckOf: (action) => rechecks.get(action) });
    return;
  }
  const reading = `confirm ${lockKey}`;
  if (state.inFlight.has(reading)) return;
  state.inFlight.add(reading);
  starts.push({
    sequence: { lockKey: reading, steps: [{ actions: [confirmFirst] }] },
    confirms: planned,
    recheckOf: () => undefined,
  });
}

/** The actions of a plan made now, the lock of the sequence itself aside; `undefined`: the resource is gone. */
function plannedActions<T extends KindTypes>(
  kind: Kind<T>,
  state: ResourceState<T>,
  lockKey: string,
): readonly T["action"][] | undefined {
  const held = state.inFlight.delete(lockKey);
  try {
    return planNow(kind, state)?.plan.sequences.flatMap(actionsOf);
  } finally {
    if (held) state.inFlight.add(lockKey);
  }
}

/** Whether the plan of now lacks the action; its reason may have changed meanwhile. */
export function supersededBecause(
  now: readonly Action[] | undefined,
  { why: _then, ...action }: Action,
): string | undefined {
  if (now === undefined) return "the resource is gone";
  const same = now.some(({ why: _now, ...planned }) => jsonEqual(planned, action));
  return same ? undefined : "the plan has changed since the decision";
}

/** Calls that wait for a limit can take minutes: meanwhile the status says how far they are, and what they wait for. */
export function slowLookMs<T extends KindTypes>(state: ResourceState<T>, monotonic: number): number | undefined {
  state.slowSince = state.inFlight.size === 0 ? undefined : (state.slowSince ?? monotonic);
  if (state.slowSince === undefined || state.isDeleting()) return undefined;
  const least = RATE_LIMIT_SHOWN_SECONDS * SECOND_MS;
  return Math.min(Math.max(least, monotonic - state.slowSince), RATE_PROBE_SECONDS * SECOND_MS);
}
