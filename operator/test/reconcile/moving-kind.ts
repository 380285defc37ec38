/** A kind whose plan and actions each test sets: it moves things, records them, and fails on demand. */

import type { ActionFailure, Outcome } from "../../src/addresses/call-outcomes.js";
import type { KubeObject } from "../../src/kube/objects.js";
import { failedEvent } from "../../src/messages/events.js";
import type { EventMessage } from "../../src/messages/message.js";
import type { RecoveringAccount } from "../../src/providers/account-recovery.js";
import { type PlannedCondition, yes } from "../../src/reconcile/conditions.js";
import type { ActionCall, Kind } from "../../src/reconcile/kind.js";
import type { Action, ActionSequence, Plan, SequenceResult, StatusFields } from "../../src/reconcile/plan.js";
import type { ResourceState } from "../../src/reconcile/resource-state.js";
import type { OneObject } from "./rig.js";

export interface Move extends Action {
  readonly do: "move" | "read" | "poll";
  readonly ip: string;
  readonly machine?: string;
}
export interface Mover {
  readonly object: KubeObject;
  readonly resource: KubeObject;
  readonly snapshot: { readonly moved: readonly string[]; readonly status: Readonly<Record<string, unknown>> };
  readonly action: Move;
  readonly plan: Plan<Move>;
  readonly memory: { moved: readonly string[] };
}

export function move(ip: string, machine?: string): Move {
  return { do: "move", ip, why: `${ip} should move`, ...(machine === undefined ? {} : { machine }) };
}

export function sequence(action: Move, more: Partial<ActionSequence<Move>> = {}): ActionSequence<Move> {
  return { lockKey: `address ${action.ip}`, steps: [{ actions: [action] }], ...more };
}

export class MovingKind {
  /** What is asked for, as long as it has not been moved. */
  wanted: (status: Mover["snapshot"]["status"]) => readonly ActionSequence<Move>[] = () => [];
  /** How an action ends. @default done */
  run: (action: Move, call: ActionCall<Mover>) => Promise<Outcome> = async () => ({ is: "done" });
  account: RecoveringAccount | undefined;
  /** Hooks of one test alone. */
  more: Pick<
    Kind<Mover>,
    | "recheckOf"
    | "priorityOf"
    | "reserve"
    | "mayRun"
    | "pendingWarnings"
    | "pendingWarningOf"
    | "statusEvents"
    | "statusChanges"
    | "statusRules"
    | "retained"
    | "prepare"
    | "readAgainMs"
  > = {};
  /** Event of an action that is done. */
  succeeds: EventMessage | undefined;
  conditions: readonly PlannedCondition[] = [yes("Ready", { reason: "Observed", message: "fine" })];
  /** Fields of the status beside those of the moves. */
  fields: StatusFields = {};
  hasAddress = true;
  showsMoves = true;
  readonly begun: string[] = [];
  readonly results: SequenceResult<Move>[] = [];
  state: ResourceState<Mover> | undefined;

  constructor(private readonly world: OneObject<KubeObject>) {}

  get kind(): Kind<Mover> {
    return {
      ...this.more,
      names: { kind: "Mover", plural: "movers", controller: "mover" },
      source: this.world.source,
      read: (object) => object,
      remember: () => ({ moved: [] }),
      gather: (state, { status }) => {
        this.state = state;
        return { moved: state.memory.moved, status: (status ?? {}) as Mover["snapshot"]["status"] };
      },
      plan: ({ moved, status }) => ({
        sequences: this.wanted(status).filter(({ lockKey }) => !moved.includes(lockKey)),
        conditions: this.conditions,
        explanation: "",
      }),
      actions: {
        move: (call, action) => this.attempt(call, action),
        read: (call, action) => this.attempt(call, action),
        poll: (call, action) => this.attempt(call, action),
      },
      status: ({ moved }) => ({ ...(this.showsMoves && { moved: [...moved] }), ...this.fields }),
      targetOf: ({ ip, machine }) => ({
        ip,
        ...(machine === undefined ? {} : { machine, node: `node of ${machine}` }),
      }),
      hasAddress: () => this.hasAddress,
      accountOf: () => this.account,
      recordOutcome: (state, _snapshot, result) => this.record(state, result),
      events: (_snapshot, _plan, { results }) => ({
        now: results.flatMap(({ outcome }) => (outcome.is === "done" ? (this.succeeds ?? []) : [])),
        deferred: results.flatMap(({ action, outcome }) => {
          if (outcome.is !== "refused") return [];
          const { failure } = outcome;
          return { ...failedEvent(["AssignFailed", "Assign"], failure.problem), do: action.do, failure };
        }),
      }),
    };
  }

  private async attempt(call: ActionCall<Mover>, action: Move): Promise<Outcome> {
    this.begun.push(`${action.do} ${action.ip}`);
    return this.run(action, call);
  }

  private record({ memory }: ResourceState<Mover>, result: SequenceResult<Move>): void {
    this.results.push(result);
    if (result.results.at(-1)?.outcome.is === "done") memory.moved = [...memory.moved, result.sequence.lockKey];
  }
}

export function refused(failure: Partial<ActionFailure> = {}): Outcome {
  const problem = { reason: "ProviderUnavailable", message: "no" } as const;
  return { is: "refused", failure: { kind: "Unavailable", problem, ...failure } };
}
