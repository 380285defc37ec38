/** One resource in this process: its latest version, what runs for it, what failed, and what the kind remembers. */

import type { ResourceRef } from "../inventory/view.js";
import { type Condition, type Patch, statusPatch } from "../kube/write/patch.js";
import { OwnSeries } from "../metrics/registry.js";
import type { PlannedCondition } from "./conditions.js";
import { withUnreadySummary } from "./early-summary.js";
import { FailedActions } from "./failed-actions.js";
import { ObjectGone, type ObjectWrite, type ObjectWriter } from "./object-writer.js";
import { type Fields, fieldsOf, PendingStatus } from "./pending-status.js";
import type { HeldEvent, KindTypes } from "./plan.js";
import type { ResourceSource } from "./resource-source.js";
import { type CleanupMemory, Retries } from "./retries.js";
import { StartWarnings } from "./warning-delay.js";

/** The part of a kind that a state needs. */
interface StatedKind<T extends KindTypes> {
  readonly names: { readonly kind: string };
  readonly source: ResourceSource<T["object"]>;
  read(object: T["object"]): T["resource"];
  remember(state: ResourceState<T>): T["memory"];
}

interface ResourceStateProps<T extends KindTypes> {
  readonly kind: StatedKind<T>;
  readonly key: string;
  /** Asks for a run. */
  readonly enqueue: (afterMs: number) => void;
}

/** What the last writes of the status showed. */
export interface StatusWrites {
  /** When the server last dropped a field of ours, monotonic ms. Absent: it keeps them, as far as is known. */
  droppedAt?: number;
  /** What it dropped then: fields, and parts of them as `field.part`. */
  dropped?: readonly string[];
  /** When it last dropped a fact, the intent of a creation, or an optional field, monotonic ms. */
  factsDroppedAt?: number;
  intentDroppedAt?: number;
  optionalDroppedAt?: number;
  sentAt: number; // When the status was last sent, monotonic ms.
  /** When the cache of the kind was last read anew, monotonic ms: the server does that to watches when the CRD changes. */
  relistedAt: number;
}

interface ReadCache<T extends KindTypes> {
  readonly object: T["object"];
  readonly version: number;
  readonly resource: T["resource"];
}

export class ResourceState<T extends KindTypes> {
  readonly ref: ResourceRef;
  readonly key: string;
  readonly createdAt: string; // RFC 3339; empty where unknown.
  readonly inFlight = new Set<string>(); // Lock keys of the sequences that run.
  readonly failedActions = new FailedActions();
  readonly retries = new Retries();
  readonly pendingStatus = new PendingStatus();
  readonly series = new OwnSeries();
  /** Events of failures that wait for the next status. */
  deferredEvents: readonly HeldEvent[] = [];
  readonly startWarnings = new StartWarnings((afterMs) => this.enqueue(afterMs));
  readonly statusWrites: StatusWrites = { sentAt: Number.NEGATIVE_INFINITY, relistedAt: Number.NEGATIVE_INFINITY };
  cleanup: CleanupMemory = { attempts: 0 };
  uncleaned: readonly string[] = []; // In words: what a cleanup that has begun has not removed yet.
  preparing: Promise<void> | undefined; // What `prepare` of an earlier run still reads.
  unreadySummary: readonly Condition[] | undefined; // Of the last decision, if it is not Ready: see `early-summary.ts`.
  reported: readonly PlannedCondition[] | undefined; // By Events, while the status could not be written.
  private firstStatusAt: number | undefined; // Monotonic ms.
  unsettledRuns = 0; // Runs in a row that reached the bound of iterations.
  slowSince: number | undefined; // Monotonic ms: since then, calls have outlasted runs.
  readonly memory: T["memory"];
  private readonly life = new AbortController();
  private readCache: ReadCache<T> | undefined;

  constructor(
    private readonly props: ResourceStateProps<T>,
    { metadata }: T["object"],
  ) {
    const { namespace = "", name, uid, creationTimestamp = "" } = metadata;
    this.ref = { kind: props.kind.names.kind, namespace, name, uid };
    this.key = props.key;
    this.createdAt = creationTimestamp;
    this.memory = props.kind.remember(this);
  }

  /** Aborts when the resource is gone. */
  get signal(): AbortSignal {
    return this.life.signal;
  }

  /** The API server refuses our writes. */
  get forbidden(): boolean {
    return this.writer.forbidden;
  }

  /** ms until a missing right is tried again; `undefined`: none is missing. */
  get rightsProbeMs(): number | undefined {
    return this.writer.probeMs;
  }

  /** Finds out whether a missing right has been granted, where that is due. */
  probeRights(signal: AbortSignal): Promise<void> {
    return this.writer.probe(signal);
  }

  /** The latest version that is known; `undefined`: it is gone, or another object bears its name. */
  object(): T["object"] | undefined {
    const object = this.props.kind.source.writers.get(this.key);
    return object?.metadata.uid === this.ref.uid ? object : undefined;
  }

  /** Since this process had its first status to write. */
  sinceFirstStatusMs(monotonic: number): number {
    this.firstStatusAt ??= monotonic;
    return monotonic - this.firstStatusAt;
  }

  /** As the last status has them. */
  conditions(): readonly Condition[] {
    const { conditions } = this.pendingStatus.over(fieldsOf(this.object()?.status));
    return Array.isArray(conditions) ? (conditions as readonly Condition[]) : [];
  }

  /** The latest version as the kind reads it, with the status as this process knows it. */
  read(): T["resource"] | undefined {
    const object = this.object();
    if (object === undefined) return undefined;
    const { version } = this.pendingStatus;
    if (this.readCache?.object !== object || this.readCache.version !== version) {
      this.readCache = { object, version, resource: this.props.kind.read(this.asKnown(object)) };
    }
    return this.readCache.resource;
  }

  isDeleting(): boolean {
    return this.object()?.metadata.deletionTimestamp !== undefined;
  }

  hasFinalizer(finalizer: string | undefined): boolean {
    return finalizer !== undefined && this.object()?.metadata.finalizers?.includes(finalizer) === true;
  }

  /** Writes on top of the latest version. Rejects with StatusError, or with ObjectGone. */
  write(write: ObjectWrite<T["object"]>): Promise<T["object"]> {
    const patch = (object: T["object"]): Patch | undefined => {
      if (object.metadata.uid !== this.ref.uid) throw new ObjectGone(`${this.key} is another object now`);
      const made = write.patch(object);
      return write.subresource === "status" ? withUnreadySummary(made, object, this.unreadySummary) : made;
    };
    return this.writer.write({ ...write, patch });
  }

  /** Writes facts that must not get lost into the status. What an older CRD drops of them, this process remembers. */
  async keep(change: (object: T["object"]) => Fields): Promise<void> {
    let facts: Fields = {};
    const patch = (object: T["object"]): Patch | undefined => {
      facts = change(this.asKnown(object));
      return statusPatch(object, facts);
    };
    // Not ended by a shutdown: it takes one call, and says what has already happened.
    const { status } = await this.write({ patch, subresource: "status", fact: true });
    this.pendingStatus.setFacts(facts, fieldsOf(status));
  }

  enqueue(afterMs = 0): void {
    this.props.enqueue(afterMs);
  }

  close(): void {
    this.life.abort(new Error(`${this.ref.kind} ${this.key} is gone`));
    this.series.clear();
  }

  private asKnown(object: T["object"]): T["object"] {
    if (this.pendingStatus.version === 0) return object;
    return { ...object, status: this.pendingStatus.over(fieldsOf(object.status)) };
  }

  get writer(): ObjectWriter<T["object"]> {
    return this.props.kind.source.writers.of(this.key);
  }
}
