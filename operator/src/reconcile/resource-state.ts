/** One resource in this process: its latest version, what runs for it, what failed, and what the kind remembers. */

import type { ResourceRef } from "../inventory/types.js";
import type { Patch } from "../kube/patch.js";
import { OwnSeries } from "../metrics/series.js";
import type { CleanupMemory } from "./cleanup.js";
import { ObjectGone, type ObjectWrite, type ObjectWriter } from "./objects/object-writer.js";
import type { ResourceSource } from "./objects/source.js";
import { PendingStatus } from "./pending-status.js";
import type { DeferredEvent, KindTypes } from "./plan.js";
import { Retries } from "./retries/retries.js";

/** The part of a kind that a state needs. */
export interface StatedKind<T extends KindTypes> {
  readonly names: { readonly kind: string };
  readonly source: ResourceSource<T["object"]>;
  read(object: T["object"]): T["resource"];
  remember(state: ResourceState<T>): T["memory"];
}

export interface ResourceStateProps<T extends KindTypes> {
  readonly kind: StatedKind<T>;
  readonly key: string;
  /** Asks for a run. */
  readonly enqueue: (afterMs: number) => void;
}

/** What the last writes of the status showed. */
export interface StatusWrites {
  /** When the server last dropped a field of ours, monotonic ms. Absent: it keeps them, as far as is known. */
  droppedAt?: number;
  /** The fields that it dropped then. */
  dropped?: readonly string[];
  /** When the status was last sent, monotonic ms. */
  sentAt: number;
}

interface ReadCache<T extends KindTypes> {
  readonly object: T["object"];
  readonly version: number;
  readonly resource: T["resource"];
}

export class ResourceState<T extends KindTypes> {
  readonly ref: ResourceRef;
  readonly key: string;
  /** RFC 3339; empty where unknown. */
  readonly createdAt: string;
  /** Lock keys of the sequences that run. */
  readonly inFlight = new Set<string>();
  readonly retries = new Retries();
  readonly pendingStatus = new PendingStatus();
  readonly series = new OwnSeries();
  /** Events of failures that wait for the next status. */
  readonly deferredEvents: DeferredEvent[] = [];
  readonly statusWrites: StatusWrites = { sentAt: Number.NEGATIVE_INFINITY };
  cleanup: CleanupMemory = { attempts: 0 };
  /** What `prepare` of an earlier run still reads. */
  preparing: Promise<void> | undefined;
  /** Runs in a row that reached the bound of iterations. */
  unsettledRuns = 0;
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

  /** The API server refuses our writes: a right is missing. */
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

  /** The latest version as the kind reads it, with the status as this process knows it. */
  read(): T["resource"] | undefined {
    const object = this.object();
    if (object === undefined) return undefined;
    const { version } = this.pendingStatus;
    if (this.readCache?.object !== object || this.readCache.version !== version) {
      const known = version === 0 ? object : { ...object, status: this.pendingStatus.over(fieldsOf(object.status)) };
      this.readCache = { object, version, resource: this.props.kind.read(known) };
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
      return write.patch(object);
    };
    return this.writer.write({ ...write, patch });
  }

  enqueue(afterMs = 0): void {
    this.props.enqueue(afterMs);
  }

  close(): void {
    this.life.abort(new Error(`${this.ref.kind} ${this.key} is gone`));
    this.series.clear();
  }

  private get writer(): ObjectWriter<T["object"]> {
    return this.props.kind.source.writers.of(this.key);
  }
}

function fieldsOf(status: unknown): Readonly<Record<string, unknown>> {
  return typeof status === "object" && status !== null ? { ...status } : {};
}
