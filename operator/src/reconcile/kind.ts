/**
 * What a kind is: one value that the engine runs. A kind reads its objects, gathers a snapshot of one moment, plans on
 * it without I/O, and carries out single actions. Everything else (when to run, locks, retries, background work, status,
 * Events, metrics) is the engine's. A kind never starts work by itself and never writes its own status.
 */

import type { ConditionType } from "cdk8s-flipop/api";
import type { Outcome } from "../addresses/call-outcomes.js";
import type { EventMessage } from "../messages/message.js";
import type { Sample } from "../metrics/registry.js";
import type { RecoveringAccount } from "../providers/account-recovery.js";
import type { CallContext, CallPriority, Recheck } from "../providers/call.js";
import type { ProviderId } from "../providers/types.js";
import type { Stop } from "../runtime/stop-switch.js";
import type { PlannedCondition, SeenCondition } from "./conditions.js";
import type {
  Action,
  ActionSequence,
  DeferredEvent,
  KindNames,
  KindTypes,
  PlanOf,
  SequenceResult,
  StatusFields,
} from "./plan.js";
import type { ResourceSource } from "./resource-source.js";
import type { ResourceState } from "./resource-state.js";

/** What an action works with. */
export interface ActionCall<T extends KindTypes> {
  readonly state: ResourceState<T>;
  /** That the plan was made of. */
  readonly snapshot: T["snapshot"];
  readonly plan: PlanOf<T>;
  /** For calls to a provider. */
  readonly context: CallContext;
  /** Aborts when the process has to end. A call that was sent is waited for, though the resource may be gone. */
  readonly signal: AbortSignal;
}

/** What it throws becomes an outcome by `outcomeOf`. */
export type RunAction<T extends KindTypes, A extends Action> = (call: ActionCall<T>, action: A) => Promise<Outcome>;

export type ActionTable<T extends KindTypes> = {
  readonly [Verb in T["action"]["do"]]: RunAction<T, Extract<T["action"], { readonly do: Verb }>>;
};

/** What a failed action was about, so that the engine can tell whose failure it is. */
export interface ActionTarget {
  /** The machine that an address goes to, and the name of its node. */
  readonly machine?: ProviderId;
  readonly node?: string;
  /** The address that moves. Absent while there is none: a creation. */
  readonly ip?: string;
}

export interface RecheckedDecision<T extends KindTypes> {
  readonly snapshot: T["snapshot"];
  readonly plan: PlanOf<T>;
  /** Gathers and plans anew: what a plan made now asks for; `undefined`: the resource is gone. */
  readonly plannedNow: () => readonly T["action"][] | undefined;
}

export interface SequenceEvents {
  readonly now: readonly EventMessage[];
  /** Failures: they wait for the status, since a condition may say the same. */
  readonly deferred?: readonly DeferredEvent[];
}

export interface Kind<T extends KindTypes> {
  readonly names: KindNames;
  /** Conditions that must be True for Ready. Absent: the kind has no summary, and writes no conditions. */
  readonly readyWhen?: readonly ConditionType[];
  readonly source: ResourceSource<T["object"]>;
  /** Parses an object; the engine does so once for each version. What is wrong with the object belongs into the result. */
  read(object: T["object"]): T["resource"];
  /** The same resource with `spec.paused`, for a stopped operator: its plan then moves nothing, and its status says so. */
  paused?(resource: T["resource"], stop: Stop): T["resource"];
  /** When the resource is first seen. */
  remember(state: ResourceState<T>): T["memory"];
  /** Whether a run may begin. Whatever changes the answer asks for a run. @default always */
  mayRun?(state: ResourceState<T>): boolean;
  /** Fetches what gather needs and the caches lack. Slow reads go on in the background. */
  prepare?(state: ResourceState<T>, context: (why: string) => CallContext): Promise<void>;
  /** The snapshot of one moment: no await. */
  gather(state: ResourceState<T>, resource: T["resource"]): T["snapshot"];
  /** Pure. */
  plan(snapshot: T["snapshot"]): PlanOf<T>;
  readonly actions: ActionTable<T>;
  /** All fields of the status but the conditions, which the engine adds. `undefined`: leave the status as it is. */
  status?(snapshot: T["snapshot"], plan: PlanOf<T>): StatusFields | undefined;

  /** A newer version is known, of the cache or by an own write: what it claims counts from here on. */
  registerVersion?(state: ResourceState<T>, resource: T["resource"]): void;
  /** The resource is gone: nothing of it counts from here on. */
  forget?(state: ResourceState<T>): unknown;
  /** Of a resource that is gone and forgotten: what stays in an account or a zone. @param cleanedUp `false`: the cleanup had begun */
  retained?(object: T["object"], cleanedUp: boolean): readonly EventMessage[];
  /** Ends what `remember` began: the resource is gone, or the process ends. */
  close?(state: ResourceState<T>): Promise<void>;
  /** What others may know of the decision, in the synchronous turn in which it is made; of each decision of a run. */
  register?(state: ResourceState<T>, snapshot: T["snapshot"], plan: PlanOf<T>): void;
  /** Takes what a sequence needs that other resources want, too, in the same turn: a node, the account's turn to create. */
  reserve?(state: ResourceState<T>, snapshot: T["snapshot"], sequence: ActionSequence<T["action"]>): void;
  /** Takes back what a sequence did in advance for a call that was refused. */
  afterSequence?(call: ActionCall<T>, result: SequenceResult<T["action"]>): Promise<void>;
  /**
   * Of an action that calls a provider: why the call must not be sent any more, asked when the rate limit admits it. Called
   * in the turn of the decision, so that it can remember the facts of that moment. `undefined`: no check; a change is then
   * sent within 2 s, or not at all. @default the engine plans again, and looks for the same action, its `why` aside
   */
  recheckOf?(state: ResourceState<T>, action: T["action"], decision: RecheckedDecision<T>): Recheck | undefined;
  /** The work class of the calls of an action. @default `priority` */
  priorityOf?(action: T["action"]): CallPriority | undefined;
  /** What the kind itself remembers of the end of a sequence: a running action, a failed creation, a counter. */
  recordOutcome?(state: ResourceState<T>, snapshot: T["snapshot"], result: SequenceResult<T["action"]>): void;
  /** What an action was about. @default nothing: each failure counts against the lock key */
  targetOf?(action: T["action"]): ActionTarget;
  /** Whether the provider still has the address: what it did not find is the machine then. */
  hasAddress?(snapshot: T["snapshot"], ip: string): boolean;
  /** The name of the node of a machine, for messages. @default unknown, unless `targetOf` names it */
  nodeOf?(snapshot: T["snapshot"], machine: ProviderId): string | undefined;
  /** The account whose failure a failure of this action may be. What failed for it is retried when it recovers. */
  accountOf?(snapshot: T["snapshot"], action: T["action"]): RecoveringAccount | undefined;
  /** Whether the cleanup of a deleted resource can go on: each run then counts as an attempt. @default it has its finalizer */
  isCleaningUp?(state: ResourceState<T>): boolean;
  /** ms until the kind has something to read again. */
  readAgainMs?(state: ResourceState<T>, snapshot: T["snapshot"]): number | undefined;

  /** What people should know of the end of a sequence. @default nothing */
  events?(snapshot: T["snapshot"], plan: PlanOf<T>, result: SequenceResult<T["action"]>): SequenceEvents;
  /**
   * What people should know once the status is written, or the API server has refused it.
   * @default the conditions that turned bad, then the deferred ones
   */
  statusEvents?(
    before: readonly SeenCondition[],
    planned: readonly PlannedCondition[],
    deferred: readonly DeferredEvent[],
    state: ResourceState<T>,
  ): readonly EventMessage[];
  /** Changes of the status that people should know of, once it is written. @default none */
  statusChanges?(state: ResourceState<T>, before: StatusFields, written: StatusFields): readonly EventMessage[];
  /** Gauges of the resource, beside those of its conditions. @default none */
  metrics?(state: ResourceState<T>, snapshot: T["snapshot"], plan: PlanOf<T>): readonly Sample[];

  readonly statusRules?: StatusRules;
  /** For /readyz and the log: what the resources lack that an administrator has to give. */
  readonly pendingWarnings?: { readonly forbidden: string; readonly olderCrd?: string };
  /** The same for what the kind alone notices. @default nothing */
  pendingWarningOf?(state: ResourceState<T>): string | undefined;
  /** Of its calls to providers. @default "assignment" */
  readonly priority?: CallPriority;
  /** Runs of different resources at once. @default 8 */
  readonly workers?: number;
}

/** What is special about the status of a kind. */
export interface StatusRules {
  /** Fields that an older CRD drops, or of which it drops a part. @default ["conditions"] */
  readonly newFields?: readonly string[];
  /** The fields as an older CRD keeps them. @default without what it dropped; needed where it drops parts of entries */
  readonly forOlderCrd?: (fields: StatusFields) => StatusFields;
  /** The Event of a server that drops fields, for example `dns.deletionPolicy`. @default none */
  readonly olderCrdEvent?: (what: { readonly dropped: readonly string[] }) => EventMessage;
  /** Fields that the kind can do without: if an older CRD drops one, it is sent again only now and then. @default none */
  readonly optionalFields?: readonly string[];
  /** ms that a change may wait: it is not urgent. @default none */
  readonly holdMs?: (seen: StatusFields, fields: StatusFields, sinceLastMs: number) => number | undefined;
}
