/** Carries out the sequences of a plan, one step after the other, and attributes each failure: to a machine, an address or the account, whose next try it sets. */

import { setMaxListeners } from "node:events";
import {
  type ActionFailure,
  failureOf,
  NODE_FAULTS,
  type Outcome,
  outcomeOf,
  skipped,
} from "../addresses/call-outcomes.js";
import { settlesWithin } from "../async.js";
import type { Clock } from "../clock.js";
import { includesEntry } from "../messages/message.js";
import { providerMessages } from "../messages/provider.js";
import type { CallContext } from "../providers/call.js";
import type { ProviderId } from "../providers/types.js";
import { omitUndefined } from "../values.js";
import { isRead } from "./dry-run.js";
import type { Decision, Start } from "./iteration.js";
import type { ActionCall, ActionTarget, Kind, RunAction } from "./kind.js";
import type { ActionResult, KindTypes, SequenceResult } from "./plan.js";
import type { ResourceState } from "./resource-state.js";

export class Background {
  private readonly work = new Set<Promise<unknown>>();
  private readonly life = new AbortController();
  private draining = false;

  constructor(private readonly clock: Clock) {
    // Each call under way listens to it.
    setMaxListeners(0, this.life.signal);
  }

  /** Aborts when what runs has to end. */
  get signal(): AbortSignal {
    return this.life.signal;
  }

  /** Nothing new should begin. */
  get over(): boolean {
    return this.draining || this.life.signal.aborted;
  }

  /** @param work never rejects. */
  start<T>(work: Promise<T>): Promise<T> {
    this.work.add(work);
    return work.finally(() => this.work.delete(work));
  }

  /** Ends with the signal, and with what runs then. */
  async run(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = () => {
        this.life.abort(signal.reason);
        resolve();
      };
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    });
    await Promise.allSettled(this.work);
  }

  /** Resolves to whether all has ended in time. */
  drain(deadlineMs: number): Promise<boolean> {
    this.draining = true;
    return settlesWithin(this.clock, deadlineMs, Promise.allSettled(this.work));
  }
}

interface ActionTools<T extends KindTypes> {
  readonly kind: Kind<T>;
  readonly state: ResourceState<T>;
  readonly signal: AbortSignal;
  readonly contextOf: (action: T["action"]) => CallContext;
  /** A person has stopped all changes. */
  readonly isStopped: () => boolean;
}

/** Never rejects. */
export async function runActions<T extends KindTypes>(
  tools: ActionTools<T>,
  decision: Decision<T>,
  { sequence }: Start<T>,
): Promise<readonly ActionResult<T["action"]>[]> {
  const results: ActionResult<T["action"]>[] = [];
  const failed = new Set<string | undefined>();
  for (const { name, reliesOn = [], actions } of sequence.steps) {
    if (reliesOn.some((other) => failed.has(other))) {
      failed.add(name);
      continue;
    }
    const done = await runStep(tools, { decision, actions }, results);
    if (!done) failed.add(name);
  }
  return results;
}

interface Step<T extends KindTypes> {
  readonly decision: Decision<T>;
  readonly actions: readonly T["action"][];
}

async function runStep<T extends KindTypes>(
  tools: ActionTools<T>,
  { decision, actions }: Step<T>,
  results: ActionResult<T["action"]>[],
): Promise<boolean> {
  for (const action of actions) {
    const outcome = await attempt(tools, callOf(tools, decision, action), action);
    results.push({ action, outcome });
    if (outcome.is !== "done") return false;
  }
  return true;
}

async function attempt<T extends KindTypes>(
  { kind, state, signal, isStopped }: ActionTools<T>,
  call: ActionCall<T>,
  action: T["action"],
): Promise<Outcome> {
  if (signal.aborted) return skipped("the operator is shutting down");
  if (state.signal.aborted) return skipped("the resource is gone");
  if (isStopped() && !isRead(action)) return skipped("the operator is stopped");
  try {
    const table: Readonly<Record<string, RunAction<T, never> | undefined>> = kind.actions;
    const run = table[action.do];
    if (run === undefined) throw new Error(`${kind.names.kind}: the kind has no action "${action.do}"`);
    return await run(call, action as never);
  } catch (error) {
    return outcomeOf(error);
  }
}

function callOf<T extends KindTypes>(
  { state, signal, contextOf }: ActionTools<T>,
  { snapshot, plan }: Decision<T>,
  action: T["action"],
): ActionCall<T> {
  return { state, snapshot, plan, signal, context: contextOf(action) };
}

/** Whether the world is another one now, so that a plan made at once may say more. A superseded action shows that it is. */
export function didAnything({ results }: Pick<SequenceResult, "results">): boolean {
  return results.some(({ outcome }) => outcome.is !== "skipped");
}

export interface Ended<T extends KindTypes> {
  readonly snapshot: T["snapshot"];
  readonly start: Start<T>;
  readonly result: SequenceResult<T["action"]>;
  readonly now: number;
}

export function recordOutcome<T extends KindTypes>(kind: Kind<T>, state: ResourceState<T>, ended: Ended<T>): void {
  const { start, result, snapshot } = ended;
  state.failedActions.ended(result);
  for (const step of start.sequence.steps) {
    const last = result.results.findLast(({ action }) => step.actions.includes(action));
    const key = step.retryKey ?? (start.confirms ?? start.sequence).lockKey;
    if (last !== undefined) recordStep(kind, state, { ...ended, last, key });
  }
  if (start.confirms === undefined) kind.recordOutcome?.(state, snapshot, result);
}

interface EndedStep<T extends KindTypes> extends Ended<T> {
  readonly last: ActionResult<T["action"]>;
  readonly key: string;
}

function recordStep<T extends KindTypes>(kind: Kind<T>, state: ResourceState<T>, step: EndedStep<T>): void {
  const { action, outcome } = step.last;
  const target = kind.targetOf?.(action) ?? {};
  const failure = failureOf(outcome);
  if (failure === undefined) recordSuccess(state, step, target);
  else recordFailure(kind, state, { ...step, failure, target });
}

function recordSuccess<T extends KindTypes>(
  { retries }: ResourceState<T>,
  { key, start, last: { action, outcome } }: EndedStep<T>,
  { machine }: ActionTarget,
): void {
  // A confirmed read says nothing about the action that follows it, nor does its start about its end.
  if (isSuccess(outcome) && start.confirms === undefined) {
    if (isLook(action)) retries.readSucceeded(key);
    else retries.succeeded(key);
  }
  if (outcome.is === "done" && machine !== undefined) retries.machineSucceeded(machine);
}

function recordFailure<T extends KindTypes>(
  kind: Kind<T>,
  state: ResourceState<T>,
  {
    failure,
    target,
    key,
    now,
    snapshot,
    last,
  }: EndedStep<T> & { readonly failure: ActionFailure; readonly target: ActionTarget },
): void {
  if (target.machine !== undefined) state.retries.attemptFailed(target.machine, now);
  const machine = faultyMachine(failure, target);
  if (machine !== undefined) {
    state.retries.machineFailed(machine, failure, now);
    return;
  }
  const account = isOfAccount(failure) ? kind.accountOf?.(snapshot, last.action) : undefined;
  const suspect = suspectMachine(failure, target);
  // Of two possible causes, neither has to wait until a person has removed it.
  const counted = suspect === undefined ? failure : { ...failure, kind: "Unavailable" as const };
  if (suspect !== undefined) state.retries.machineFailed(suspect, counted, now);
  const [ofRead, ofCleanup] = [isLook(last.action), state.isDeleting()];
  state.retries.failed(key, counted, { now, ofRead, ofCleanup, ...(account && { account }) });
  account?.onRecovery?.(state.ref.uid, () => state.enqueue());
}

/** The account has a limit, and room again when the operator releases something; or it lacks a zone, and others find that. */
function isOfAccount({ ofAccount, kind, problem }: ActionFailure): boolean {
  return ofAccount === true || kind === "QuotaExceeded" || problem?.reason === "ZoneNotFound";
}

/** A poll shows how a change ended. */
function isLook(action: Parameters<typeof isRead>[0]): boolean {
  return isRead(action) && action.do !== "poll";
}

/** An address that was created exists, whatever comes of its assignment. */
function isSuccess(outcome: Outcome): boolean {
  return outcome.is === "done" || (outcome.is === "started" && outcome.ip !== undefined);
}

/** The machine that an address did not get to, where the machine is at fault: another one may have the address at once. */
export function faultyMachine(
  { detail, kind, noMachine }: ActionFailure,
  { machine, ip }: ActionTarget,
): ProviderId | undefined {
  if (machine === undefined) return undefined;
  if (detail !== undefined && NODE_FAULTS.has(detail)) return machine;
  // There is no address yet that could be missing.
  const creating = kind === "NotFound" && ip === undefined;
  return noMachine === true || creating ? machine : undefined;
}

/** The machine or the address is the cause, and the provider does not say which. `undefined`: another thing is. */
function suspectMachine(
  { detail, kind, ofAccount, ofEither }: ActionFailure,
  { machine, ip }: ActionTarget,
): ProviderId | undefined {
  const isUnclear = ip !== undefined && ofAccount !== true && detail === undefined && UNCLEAR.has(kind);
  return ofEither === true || isUnclear ? machine : undefined;
}

/** Other kinds name what is missing or used up. */
const UNCLEAR: ReadonlySet<ActionFailure["kind"]> = new Set(["Conflict", "Terminal"]);

/**
 * Distinguishes a vanished machine from a vanished address: the provider answers "not found" to both. Where it still has the
 * address, the machine is missing, and the failure says so.
 */
export function attributeFailure<T extends KindTypes>(
  kind: Kind<T>,
  snapshot: T["snapshot"],
  result: ActionResult<T["action"]>,
): ActionResult<T["action"]> {
  const { action, outcome } = result;
  const { machine, ip, node = machine && kind.nodeOf?.(snapshot, machine) } = kind.targetOf?.(action) ?? {};
  if (outcome.is !== "refused" || machine === undefined) return result;
  const exists = ip !== undefined && kind.hasAddress?.(snapshot, ip) === true;
  const target = { machine, ...omitUndefined({ ip, node }) };
  return { action, outcome: { is: "refused", failure: attributed(outcome.failure, target, exists) } };
}

/** @param exists the provider has the address that moves */
function attributed(failure: ActionFailure, { machine = "", node, ip }: ActionTarget, exists: boolean): ActionFailure {
  const { kind, problem, ofAccount } = failure;
  if (kind === "NotFound" && (exists || ip === undefined)) {
    return { ...failure, ...(exists && { noMachine: true }), problem: providerMessages.noMachine({ node, machine }) };
  }
  if (node === undefined) return failure;
  if (isOfMachine(failure)) return { ...failure, problem: providerMessages.ofNode({ node, cause: problem }) };
  if (kind === "NotFound" || ofAccount === true) return failure;
  return { ...failure, problem: providerMessages.addressFor({ node, cause: problem }) };
}

/** The provider knows machines, and people know nodes. */
function isOfMachine({ detail, problem }: ActionFailure): boolean {
  return (detail !== undefined && NODE_FAULTS.has(detail)) || includesEntry(problem, [providerMessages.actionFailed]);
}
