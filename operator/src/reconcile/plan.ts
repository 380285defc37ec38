/** What a plan of any kind consists of, and how its actions end. Types, and functions of them. */

import type { ActionFailure, Outcome } from "../addresses/call-outcomes.js";
import type { KubeObject } from "../kube/objects.js";
import type { EventMessage, Problem } from "../messages/message.js";
import type { PlannedCondition } from "./conditions.js";

/** One thing to do, as a plan asks for it. */
export interface Action {
  /** The verb: a key of the kind's `actions`. */
  readonly do: string;
  /** For people; completes "... because". */
  readonly why: string;
  /** Of an action that gives a cleanup up: what a person has to remove by hand. Logged and counted once it is done. */
  readonly abandonedItems?: readonly string[];
}

/** Steps in a fixed order, each a chain of actions. Two sequences of one resource with the same `lockKey` never run at the same time. */
export interface ActionSequence<A extends Action = Action> {
  /** What the sequence touches: an address, the record set, the finalizer. Failures and retry times count by it, too. */
  readonly lockKey: string;
  readonly steps: readonly SequenceStep<A>[];
  /** ms since the epoch: not before. */
  readonly notBefore?: number;
  /** The plan stands on old data: this reads it anew. The engine runs it first, and plans again. */
  readonly confirmFirst?: A;
}

/** A failed action ends its step. The next step runs all the same, unless it relies on one that was not done. */
export interface SequenceStep<A extends Action = Action> {
  readonly name?: string;
  /** Names of earlier steps of the sequence. */
  readonly reliesOn?: readonly string[];
  /** Whose failures count against the step. @default the sequence's lockKey */
  readonly retryKey?: string;
  readonly actions: Chain<A>;
}

/** Actions in a fixed order: each runs only if the one before is done (not: started, refused, skipped). */
export type Chain<A extends Action = Action> = readonly A[];

/** A sequence of one chain. */
export function inOrder<A extends Action>(lockKey: string, actions: Chain<A>): readonly ActionSequence<A>[] {
  return actions.length === 0 ? [] : [{ lockKey, steps: [{ actions }] }];
}

export function actionsOf<A extends Action>({ steps }: ActionSequence<A>): readonly A[] {
  return steps.flatMap(({ actions }) => actions);
}

/** What keeps a resource that is being deleted. */
export interface Deletion {
  /** What the operator still has to remove, in words; empty: it removes its finalizer next. */
  readonly left: readonly string[];
  /** ms since the epoch: addresses stay until then, since resolvers may still have them. */
  readonly until?: number;
  /** Of the records, in seconds: why it waits until then. */
  readonly ttl?: number;
  /** Why the operator cannot remove it, if not for an action that failed. */
  readonly cause?: Problem;
}

/** The decision about one snapshot. Kinds add what their status needs. */
export interface Plan<A extends Action = Action> {
  /** Those with different lock keys run at the same time. */
  readonly sequences: readonly ActionSequence<A>[];
  /** All but the summary, which the engine adds. */
  readonly conditions: readonly PlannedCondition[];
  /** Keeps the resource from serving as requested, although its conditions are True. */
  readonly unserved?: Problem;
  /** Of a resource that is being deleted, for Ready. @default nothing is left */
  readonly deletion?: Deletion;
  /** Why parts of `match`, such as a toleration, do not count. @default all do */
  readonly ignoredOfMatch?: readonly string[];
  /** A node that serves the resource by its status is gone or refused: the status does not wait for the first reads. */
  readonly lostHolder?: boolean;
  /** ms since the epoch: when time alone may change the plan. Absent: only when something happens. */
  readonly requeueAt?: number;
  /** For the log: what the plan changes, and why. Empty: nothing. */
  readonly explanation: string;
}

/** The types of one kind. */
export interface KindTypes {
  /** As the API server sends it. */
  readonly object: KubeObject;
  /** As `read` makes it of an object. */
  readonly resource: unknown;
  readonly snapshot: unknown;
  readonly action: Action;
  readonly plan: Plan;
  /** What this process remembers of a resource beside the status. Losing it costs time, nothing else. */
  readonly memory: unknown;
}

export type PlanOf<T extends KindTypes> = T["plan"] & Plan<T["action"]>;

export interface KindNames {
  readonly kind: string;
  readonly plural: string;
  /** Of the controller: in logs, metrics and health checks. */
  readonly controller: string;
  /** Keeps a deleted resource until its cleanup is done. Absent: the kind has none. */
  readonly finalizer?: string;
}

/** How one action ended. */
export interface ActionResult<A extends Action = Action> {
  readonly action: A;
  readonly outcome: Outcome;
}

/** How a sequence ended: what was attempted, in order. */
export interface SequenceResult<A extends Action = Action> {
  readonly sequence: ActionSequence<A>;
  readonly results: readonly ActionResult<A>[];
}

/** The Event of a failure: it waits for the status, since a condition may say the same. */
export interface DeferredEvent extends EventMessage {
  /** The action that failed. */
  readonly do: string;
  /** Lets the kind find that condition. */
  readonly failure?: ActionFailure;
  /** The address whose status shows the failure. */
  readonly ip?: string;
}

/** Of the sequence with this lock key: while that runs again, no status can tell how it ends. */
export interface HeldEvent extends DeferredEvent {
  readonly lockKey: string;
}

/** What the engine may write into a status; `undefined` removes a field. */
export type StatusFields = Readonly<Record<string, unknown>>;

/** For a report, should somebody else remove the finalizer. Where the operator does, its action says what stays. */
export function uncleanedOf({ deletion, sequences }: Plan): readonly string[] {
  const ends = sequences.flatMap(actionsOf).some(({ do: verb }) => verb === "remove-finalizer");
  return ends ? [] : (deletion?.left ?? []);
}
