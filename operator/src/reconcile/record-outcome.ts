/** What the end of a sequence changes in what this process remembers: whose failure it was, and when to try again. */

import { NODE_FAULTS } from "../addresses/calls/node-faults.js";
import type { ActionFailure, Outcome } from "../addresses/calls/outcomes.js";
import type { ProviderId } from "../providers/types.js";
import type { Start } from "./iteration.js";
import type { ActionTarget, Kind } from "./kind.js";
import type { ActionResult, KindTypes, SequenceResult } from "./plan.js";
import type { ResourceState } from "./resource-state.js";

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
  { key, start, last: { outcome } }: EndedStep<T>,
  { machine }: ActionTarget,
): void {
  // A confirmed read says nothing about the action that follows it.
  if (wasCarriedOut(outcome) && start.confirms === undefined) retries.succeeded(key);
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
  const machine = faultyMachine(failure, target);
  if (machine !== undefined) {
    state.retries.machineFailed(machine, failure, now);
    return;
  }
  const account = failure.ofAccount === true ? kind.accountOf?.(snapshot, last.action) : undefined;
  state.retries.failed(key, failure, { now, ...(account && { account }) });
  account?.onRecovery?.(state.ref.uid, () => state.enqueue());
}

function wasCarriedOut({ is }: Outcome): boolean {
  return is !== "skipped" && is !== "superseded";
}

export function failureOf(outcome: Outcome): ActionFailure | undefined {
  return outcome.is === "refused" || outcome.is === "unknown" ? outcome.failure : undefined;
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
  const { ip, machine, node } = kind.targetOf?.(action) ?? {};
  const missing = outcome.is === "refused" && outcome.failure.kind === "NotFound";
  if (!missing || ip === undefined || machine === undefined || kind.hasAddress?.(snapshot, ip) !== true) return result;
  const message = `node ${node ?? "unknown"}: the provider has no machine ${machine}; correct the node's providerID, or delete the node`;
  const problem = { reason: "NoCandidate", message } as const;
  return { action, outcome: { is: "refused", failure: { ...outcome.failure, noMachine: true, problem } } };
}
