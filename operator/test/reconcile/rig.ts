/** What a kind needs to run in memory: one object at a server, a source for the engine, and what the engine reports. */

import { type KubeClient, type KubeRequest, StatusError } from "../../src/kube/client.js";
import { jsonEqual, type KubeObject } from "../../src/kube/objects.js";
import type { EventInput } from "../../src/kube/write/events.js";
import { type Logger, silentLogger } from "../../src/logging.js";
import { noControllerMetrics, noQueueMetrics } from "../../src/metrics/controller.js";
import { flipopMetrics, type RuntimeMetrics } from "../../src/metrics/definitions.js";
import { MetricsRegistry } from "../../src/metrics/registry.js";
import { Notifier } from "../../src/providers/account-recovery.js";
import type { Kind } from "../../src/reconcile/kind.js";
import { KindController, type KindTools } from "../../src/reconcile/kind-controller.js";
import { ObjectWriters } from "../../src/reconcile/object-writer.js";
import type { KindTypes } from "../../src/reconcile/plan.js";
import type { ResourceSource, SourceEvent } from "../../src/reconcile/resource-source.js";
import { clientThat } from "../support/kube/partial.js";
import { FakeClock } from "../support/time/fake-clock.js";

export const KEY = "default/one";

/** One object `default/one`, as a server has it and as a cache has it that may lag behind. */
export class OneObject<O extends KubeObject> {
  readonly clock = new FakeClock();
  readonly events: EventInput[] = [];
  readonly patches: unknown[] = [];
  readonly notifier = new Notifier();
  readonly source: ResourceSource<O>;
  leads = true;
  dryRun = false;
  /** The cache gets no change while this is set. */
  lagging = false;
  /** The server refuses patches for want of a right. */
  forbids = false;
  /** So many of the next patches are taken, and their answers get lost. */
  answersToLose = 0;
  /** Fields of the status that the server does not know, and fields of those and of their entries, as `field.part`. */
  dropped: readonly string[] = [];
  /** The cache reads all anew, as when the CRD has changed. */
  relist: () => void = () => undefined;
  onError: (fields: object) => void = () => undefined;
  /** Goes on while the server takes a patch. */
  whilePatching: () => Promise<void> = () => Promise.resolve();
  private cached: O | undefined;
  private stored: O | undefined;
  private readonly listeners = new Set<(event: SourceEvent<O>) => void>();
  private readonly stop = new AbortController();
  private running: Promise<void> | undefined;

  constructor() {
    const writers = new ObjectWriters<O>(
      this.client,
      () => this.cached,
      (key) => `/${key}`,
      this.clock,
    );
    this.source = {
      writers,
      keys: () => (this.cached === undefined ? [] : [KEY]),
      cached: (key) => (key === KEY ? this.cached : undefined),
      listen: (listener) => {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
      },
      onRelist: (listener) => {
        this.relist = listener;
        return () => undefined;
      },
    };
  }

  get object(): O | undefined {
    return this.stored;
  }

  /** What is stored under `status`. */
  status(): Readonly<Record<string, unknown>> {
    return (this.stored?.status ?? {}) as Readonly<Record<string, unknown>>;
  }

  condition(type: string): string | undefined {
    const conditions = (this.status()["conditions"] ?? []) as readonly {
      type: string;
      status: string;
      reason: string;
    }[];
    const found = conditions.find((condition) => condition.type === type);
    return found && `${found.status}/${found.reason}`;
  }

  /** Replaces the spec, or the metadata beside it. */
  put(object: O): void {
    const version = Number(this.stored?.metadata.resourceVersion ?? 0) + 1;
    const generation = (this.stored?.metadata.generation ?? 0) + 1;
    const metadata = { ...object.metadata, generation, resourceVersion: `${version}` };
    this.store({ ...object, metadata, status: this.stored?.status });
  }

  /** Another writer changes fields of the status. */
  overwrite(fields: object): void {
    const { stored } = this;
    if (stored === undefined) throw new Error("there is no object whose status could be overwritten");
    const resourceVersion = `${Number(stored.metadata.resourceVersion) + 1}`;
    this.store({
      ...{ ...stored, metadata: { ...stored.metadata, resourceVersion } },
      status: { ...this.status(), ...fields },
    });
  }

  /** A backup of the server is restored: versions begin again. */
  restore(object: O): void {
    this.lagging = false;
    this.store({ ...object, metadata: { ...object.metadata, resourceVersion: "1" } });
  }

  /** The cache catches up. */
  catchUp(): void {
    this.lagging = false;
    if (this.stored !== undefined) this.emit(this.stored, false);
  }

  start<T extends KindTypes & { readonly object: O }>(kind: Kind<T>): KindController<T> {
    const controller = new KindController<T>(this.tools(), kind);
    this.running = controller.run(this.stop.signal);
    this.end = async () => {
      this.stop.abort();
      await this.clock.flush();
      await this.running;
      await controller.close();
    };
    return controller;
  }

  end: () => Promise<void> = () => Promise.resolve();

  private tools(): KindTools {
    const logger: Logger = { ...silentLogger, error: (fields) => this.onError(fields), child: () => logger };
    return {
      clock: this.clock,
      logger,
      random: () => 0,
      events: { record: (event) => this.events.push(event) },
      metrics: flipopMetrics(new MetricsRegistry()),
      runtime: { queue: noQueueMetrics, controller: noControllerMetrics } as RuntimeMetrics,
      notifier: this.notifier,
      leads: () => this.leads,
      settings: { dryRun: this.dryRun, resyncMs: 86_400_000 },
    };
  }

  private get client(): KubeClient {
    return clientThat(async (request) => {
      if (request.method !== "GET") await this.whilePatching();
      return this.answer(request);
    });
  }

  private answer({ method, body }: KubeRequest): O {
    const { stored } = this;
    if (stored === undefined) throw new StatusError({ code: 404, reason: "NotFound", message: "gone" });
    if (method === "GET") return stored;
    this.patches.push(body);
    if (this.forbids) throw new StatusError({ code: 403, reason: "Forbidden", message: "no right to patch" });
    const version = (body as Partial<KubeObject>).metadata?.resourceVersion;
    if (version !== undefined && version !== stored.metadata.resourceVersion) {
      throw new StatusError({ code: 409, reason: "Conflict", message: "changed meanwhile" });
    }
    const merged = mergePatch(stored, body) as O;
    const resourceVersion = `${Number(stored.metadata.resourceVersion) + 1}`;
    const status = this.known(merged.status ?? {});
    if (jsonEqual({ ...merged, status }, { ...stored, status: stored.status ?? {} })) return stored;
    return this.answered(this.store({ ...merged, status, metadata: { ...merged.metadata, resourceVersion } }));
  }

  private answered(object: O): O {
    if (this.answersToLose-- <= 0) return object;
    throw new StatusError({ code: 504, reason: "Timeout", message: "the answer got lost" });
  }

  private known(fields: object, path = ""): object {
    const kept = Object.entries(fields).filter(([field]) => !this.dropped.includes(`${path}${field}`));
    const isMap = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
    return Object.fromEntries(
      kept.map(([field, value]) => {
        const known = (part: unknown) => (isMap(part) ? this.known(part as object, `${path}${field}.`) : part);
        return [field, Array.isArray(value) ? value.map(known) : known(value)];
      }),
    );
  }

  private store(object: O): O {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    const gone = deletionTimestamp !== undefined && finalizers.length === 0;
    this.stored = gone ? undefined : object;
    if (!this.lagging) this.emit(object, gone);
    return object;
  }

  private emit(object: O, deleted: boolean): void {
    this.cached = deleted ? undefined : object;
    for (const listener of [...this.listeners]) listener({ key: KEY, object, deleted });
  }
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const merged: Record<string, unknown> = typeof target === "object" && target !== null ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}
