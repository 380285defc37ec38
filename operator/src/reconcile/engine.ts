/**
 * The engine: one run of one resource, the same for all kinds.
 * A run prepares, then iterates: gather a snapshot, plan on it, lock what each action sequence touches, run the
 * sequences, record their outcomes; until no action is left. Then it writes one status patch, emits Events, updates
 * metrics and says when the next run is due. Slow sequences and slow reads go on in the background, and ask for a run
 * when they end. The engine decides nothing about addresses, records or nodes: kinds do, as values (`kind.ts`).
 */

import { settlesWithin } from "../async.js";
import type { Clock } from "../clock.js";
import type { EventRecorder } from "../kube/write/events.js";
import type { Logger } from "../logging.js";
import type { FlipopMetrics } from "../metrics/definitions.js";
import type { CallContext } from "../providers/call.js";
import { done, failed, type Result, requeueAfter } from "../runtime/controller.js";
import type { StopView } from "../runtime/stop-switch.js";
import { CALLS_PATIENCE_MS, MAX_ITERATIONS, MAX_UNSETTLED_RUNS, SKIPPED_RETRY_MS } from "../timings.js";
import { listedClauses } from "../values.js";
import { limitLookMs } from "./conditions.js";
import type { PlanViewer } from "./dry-run.js";
import { heldAfterStartMs, unreadySummaryOf } from "./early-summary.js";
import {
  type Decision,
  decide,
  earliest,
  type Iteration,
  type Start,
  shownFailuresOf,
  slowLookMs,
  startIteration,
  startTime,
} from "./iteration.js";
import type { Kind } from "./kind.js";
import { fieldsOf } from "./pending-status.js";
import { actionsOf, type KindTypes, type SequenceResult, uncleanedOf } from "./plan.js";
import { emitStatusEvents, reportSequence, showMetrics } from "./report.js";
import type { ResourceState } from "./resource-state.js";
import { nextAttempt, resultOfError } from "./retries.js";
import { attributeFailure, Background, didAnything, recordOutcome, runActions } from "./run-actions.js";
import { statusFields, writeStatus } from "./write-status.js";

export interface EngineTools {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly metrics: FlipopMetrics;
  /** Whether this process may write now. */
  readonly leads: () => boolean;
  readonly settings: { readonly dryRun: boolean };
  /** A person can stop all changes. @default never */
  readonly stop?: StopView;
  /** Only on a dry run: shows what it would do. */
  readonly dryRunPlans?: Omit<PlanViewer, "close">;
}

/** What the iterations of a run came to. */
interface Settled<T extends KindTypes> {
  readonly last: Iteration<T> | undefined;
  /** More is to be done at once. */
  readonly unsettled: boolean;
  /** A call goes on in the background, so that the run took at least its patience. */
  readonly slow?: boolean;
}

export class Engine<T extends KindTypes> {
  readonly background: Background;

  constructor(
    private readonly tools: EngineTools,
    private readonly kind: Kind<T>,
  ) {
    this.background = new Background(tools.clock);
  }

  async run(state: ResourceState<T>): Promise<Result> {
    if (this.kind.mayRun?.(state) === false) return done;
    this.noteCleanup(state);
    try {
      await this.prepare(state);
      const { last, unsettled, slow } = await this.iterate(state);
      if (last === undefined) return done;
      this.noteWait(state, last);
      this.show(state, last, unsettled);
      const waitMs = await this.writeStatus(state, last);
      // Each slow run has waited for its calls: only runs without such a wait could become a busy loop.
      if (unsettled && slow) return requeueAfter(0);
      if (unsettled) return this.unsettled(state, last);
      state.unsettledRuns = 0;
      await state.probeRights(this.background.signal);
      const nextMs = this.nextMs(state, last, waitMs);
      return nextMs === undefined ? done : requeueAfter(nextMs);
    } catch (error) {
      return resultOfError(error);
    }
  }

  private show(state: ResourceState<T>, last: Iteration<T>, unsettled: boolean): void {
    const { metrics, dryRunPlans } = this.tools;
    const reading = unsettled || state.inFlight.size > 0 || state.preparing !== undefined;
    dryRunPlans?.ended?.(state.ref, { conditions: last.plan.conditions, reading });
    showMetrics(metrics, this.kind, state, last);
  }

  /** Each run of a deleted resource is one attempt to clean up. */
  private noteCleanup(state: ResourceState<T>): void {
    const { names, isCleaningUp = (one) => one.hasFinalizer(names.finalizer) } = this.kind;
    if (!state.isDeleting() || !isCleaningUp(state)) return;
    // A stopped operator tries nothing: the time of the stop must not end the cleanup.
    if (this.tools.stop?.current !== undefined) state.cleanup = { attempts: 0 };
    else state.cleanup = nextAttempt(state.cleanup, this.tools.clock.now());
  }

  /** A wait with a known end is no attempt: it must not end the cleanup either. */
  private noteWait(state: ResourceState<T>, { plan }: Iteration<T>): void {
    if (plan.deletion?.until !== undefined) state.cleanup = { attempts: 0 };
  }

  /** One at a time: what an earlier run still reads is not read twice. */
  private async prepare(state: ResourceState<T>): Promise<void> {
    if (this.kind.prepare === undefined) return;
    state.preparing ??= this.kind
      .prepare(state, (why) => this.contextOf(state, why))
      .catch((error: unknown) => {
        this.tools.logger.error({ resource: state.key, error }, "Failed to read all that the resource needs, retrying");
      })
      .finally(() => {
        state.preparing = undefined;
      });
    const { preparing } = state;
    if (!(await settlesWithin(this.tools.clock, CALLS_PATIENCE_MS, preparing))) enqueueAfter(state, preparing);
  }

  private async iterate(state: ResourceState<T>): Promise<Settled<T>> {
    const { dryRun } = this.tools.settings;
    for (let left = MAX_ITERATIONS; left > 0; left--) {
      const { clock, stop } = this.tools;
      const iteration = startIteration(this.kind, state, { now: clock.now(), dryRun, stop: stop?.current });
      if (iteration === undefined) return { last: undefined, unsettled: false };
      state.uncleaned = uncleanedOf(iteration.plan);
      this.explain(state, iteration);
      const running = iteration.starts.map((start) => this.background.start(this.carryOut(state, iteration, start)));
      if (running.length === 0 || this.background.over) return { last: iteration, unsettled: false };
      const { slow, progress } = await this.outcomes(state, running);
      // While a slow one runs, what the others have changed is planned on in a run of its own.
      if (slow || !progress) return { last: this.finalEvaluation(state), unsettled: slow && progress, slow };
    }
    return { last: this.finalEvaluation(state), unsettled: true };
  }

  /** @returns whether any of them goes on in the background, and whether any of the others has changed the world. */
  private async outcomes(state: ResourceState<T>, running: readonly Promise<boolean>[]) {
    let progress = false;
    const noted = running.map(async (each) => {
      progress = (await each) || progress;
    });
    const inTime = await settlesWithin(this.tools.clock, CALLS_PATIENCE_MS, Promise.all(noted));
    const ended = progress;
    if (!inTime) for (const each of noted) enqueueAfter(state, each);
    return { slow: !inTime, progress: ended };
  }

  private explain(state: ResourceState<T>, { plan, starts }: Iteration<T>): void {
    const { dryRunPlans, logger } = this.tools;
    const { explanation, sequences } = plan;
    if (dryRunPlans !== undefined) dryRunPlans.show(state.ref, { explanation, actions: sequences.flatMap(actionsOf) });
    else if (explanation !== "" && starts.length > 0)
      logger.info({ kind: state.ref.kind, resource: state.key, plan: explanation }, "Planned");
  }

  /** What the plan says now, though nothing is begun: for the status. */
  private finalEvaluation(state: ResourceState<T>): Iteration<T> | undefined {
    const stop = this.tools.stop?.current;
    const now = this.tools.clock.now();
    const decision = decide(this.kind, state, { now, stop });
    if (decision === undefined) return undefined;
    state.unreadySummary = unreadySummaryOf(decision.plan.conditions, now);
    this.kind.register?.(state, decision.snapshot, decision.plan);
    state.uncleaned = uncleanedOf(decision.plan);
    const again = this.tools.settings.dryRun || stop !== undefined ? [] : [now + SKIPPED_RETRY_MS];
    const times = decision.plan.sequences
      .filter(({ lockKey }) => !state.inFlight.has(lockKey))
      .map((sequence) => startTime(state, sequence, now))
      .flatMap((at) => (at > now ? at : again));
    return { ...decision, starts: [], startAt: earliest(times), shownFailures: shownFailuresOf(state) };
  }

  /** Resolves to whether the world has changed. Never rejects. */
  private async carryOut(state: ResourceState<T>, decision: Decision<T>, start: Start<T>): Promise<boolean> {
    const { kind, tools, background } = this;
    const { signal } = background;
    const contextOf = (action: T["action"]) => {
      const recheck = start.recheckOf(action);
      const priority = kind.priorityOf?.(action);
      const { why } = action;
      return { ...this.contextOf(state, why), ...(recheck && { recheck }), ...(priority && { priority }) };
    };
    const isStopped = () => tools.stop?.current !== undefined;
    const ended = await runActions({ kind, state, signal, contextOf, isStopped }, decision, start);
    const { snapshot, plan } = decision;
    const results = ended.map((each) => attributeFailure(kind, snapshot, each));
    const result: SequenceResult<T["action"]> = { sequence: start.sequence, results };
    await this.takeBack(state, { snapshot, plan }, result);
    state.inFlight.delete(start.sequence.lockKey);
    try {
      recordOutcome(kind, state, { snapshot, start, result, now: tools.clock.now() });
      reportSequence(tools, kind, state, { snapshot, plan, start, result });
    } catch (error) {
      tools.logger.error({ resource: state.key, error }, "Failed to record the outcome of an action");
    }
    return didAnything(result);
  }

  private async takeBack(
    state: ResourceState<T>,
    { snapshot, plan }: Decision<T>,
    result: SequenceResult<T["action"]>,
  ): Promise<void> {
    const { signal } = this.background;
    const context = this.contextOf(state, "the call that it was for was refused");
    try {
      await this.kind.afterSequence?.({ state, snapshot, plan, signal, context }, result);
    } catch (error) {
      this.tools.logger.warn({ resource: state.key, error }, "Failed to take back what a refused action had recorded");
    }
  }

  private contextOf({ ref }: ResourceState<T>, why: string): CallContext {
    const { kind, namespace, name } = ref;
    const { signal } = this.background;
    return { requester: { kind, namespace, name }, why, priority: this.kind.priority ?? "assignment", signal };
  }

  /** ms until what could not be written now is to be. Rejects as the API server does. */
  private async writeStatus(state: ResourceState<T>, last: Iteration<T>): Promise<number | undefined> {
    const { clock, leads } = this.tools;
    const object = state.object();
    if (object === undefined || !leads() || isReleased(object.metadata)) return undefined;
    const [now, monotonic] = [clock.now(), clock.monotonic()];
    const fields = statusFields(this.kind, state, { ...last, now });
    if (fields === undefined) return undefined;
    const before = state.reported ?? state.conditions();
    const { shownFailures } = last;
    const planned = last.plan.conditions;
    const change = { before: fieldsOf(object.status), written: fields };
    const sinceMs = state.sinceFirstStatusMs(monotonic);
    const heldMs = heldAfterStartMs({ plan: last.plan, fields, stored: change.before, sinceMs });
    if (heldMs !== undefined) return heldMs;
    const { signal } = this.background;
    const written = writeStatus(this.kind, state, fields, { now, monotonic, signal });
    const { waitMs, drops, left } = await written.catch((error: unknown) => {
      // Where the status cannot be written, no condition says what is wrong: Events do, each once.
      if (resultOfError(error).kind === "error") {
        emitStatusEvents(this.tools, this.kind, state, { before, planned, shownFailures });
        state.reported = planned;
      }
      throw error;
    });
    const fieldsWritten = left === true ? {} : { fields: change };
    emitStatusEvents(this.tools, this.kind, state, { before, planned, shownFailures, drops, ...fieldsWritten });
    state.reported = left === true ? planned : undefined;
    return waitMs;
  }

  private unsettled(state: ResourceState<T>, { plan: { sequences } }: Iteration<T>): Result {
    state.unsettledRuns += 1;
    if (state.unsettledRuns <= MAX_UNSETTLED_RUNS) return requeueAfter(0);
    const runs = state.unsettledRuns;
    const more = sequences.flatMap(actionsOf).map((action) => `${action.do}, because ${action.why}`);
    return failed(
      new Error(`${state.ref.kind} ${state.key}: the plan asks for more after ${runs} runs: ${listedClauses(more)}`),
    );
  }

  /** ms until the next run; `undefined`: only when something happens. */
  private nextMs(state: ResourceState<T>, last: Iteration<T>, waitMs: number | undefined): number | undefined {
    const now = this.tools.clock.now();
    const due = [last.plan.requeueAt, last.startAt].map((at) => (at === undefined ? undefined : at - now));
    const next = earliest([
      ...due,
      waitMs,
      limitLookMs(last.plan.conditions, now),
      slowLookMs(state, this.tools.clock.monotonic()),
      state.rightsProbeMs,
      // What is being read asks for a run when it ends.
      state.preparing === undefined ? this.kind.readAgainMs?.(state, last.snapshot) : undefined,
    ]);
    return next === undefined ? undefined : Math.max(0, next);
  }
}

/** What ends after the run asks for another one. */
function enqueueAfter<T extends KindTypes>(state: ResourceState<T>, work: Promise<unknown>): void {
  const enqueue = () => state.enqueue();
  work.then(enqueue, enqueue);
}

/** The server deletes it at this moment. */
function isReleased({ deletionTimestamp, finalizers = [] }: KindTypes["object"]["metadata"]): boolean {
  return deletionTimestamp !== undefined && finalizers.length === 0;
}
