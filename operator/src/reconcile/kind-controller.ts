/** Runs one kind: follows its objects, queues the keys of those that need a run, and gives each run to the engine. */

import type { Random } from "../async.js";
import { type KubeObject, keyOf } from "../kube/objects.js";
import type { Logger } from "../logging.js";
import { WHYS } from "../messages/action-reasons.js";
import { abandoned } from "../messages/events.js";
import type { RuntimeMetrics } from "../metrics/definitions.js";
import type { Notifier } from "../providers/account-recovery.js";
import { Controller, done, type Result } from "../runtime/controller.js";
import type { Drainable } from "../runtime/manager.js";
import { regardingOf } from "./conditions.js";
import { Engine, type EngineTools } from "./engine.js";
import type { Kind } from "./kind.js";
import type { KindTypes } from "./plan.js";
import type { SourceEvent } from "./resource-source.js";
import { ResourceState } from "./resource-state.js";

/** Runs of different resources at once: most of the time of one is spent waiting. */
const WORKERS = 8;

export interface KindTools extends EngineTools {
  readonly random: Random;
  readonly runtime: Pick<RuntimeMetrics, "queue" | "controller">;
  /** Uids of resources that something shared concerns. */
  readonly notifier: Notifier;
  readonly settings: EngineTools["settings"] & { readonly resyncMs: number };
}

export class KindController<T extends KindTypes> implements Drainable {
  readonly name: string;
  private readonly states: ResourceStates<T>;
  private readonly engine: Engine<T>;
  private readonly controller: Controller;
  private readonly ends: readonly (() => void)[];
  private logged: string | undefined;

  constructor(
    private readonly tools: KindTools,
    private readonly kind: Kind<T>,
  ) {
    const { clock, random, logger, runtime, settings, notifier } = tools;
    const { names, source, workers = WORKERS } = kind;
    this.name = names.controller;
    this.engine = new Engine(tools, kind);
    this.states = new ResourceStates({ kind, logger, enqueue: (key, afterMs) => this.enqueue(key, afterMs) });
    this.controller = new Controller({
      ...{ name: names.controller, clock, random, logger, workers, resyncMs: settings.resyncMs },
      reconcile: (key) => this.reconcile(key),
      keys: () => source.keys(),
      metrics: { queue: runtime.queue, controller: runtime.controller },
    });
    this.ends = [
      source.listen((event) => this.changed(event)),
      source.writers.onWrite((key) => this.written(key)),
      source.onRelist?.(() => this.relisted()) ?? (() => undefined),
      notifier.listen((uids) => (uids === undefined ? this.enqueueAll() : this.enqueueUids(uids))),
      ...(tools.stop === undefined ? [] : [tools.stop.onChange(() => this.enqueueAll())]),
    ];
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.controller.run(signal), this.engine.background.run(signal)]);
  }

  async drain(deadlineMs: number): Promise<boolean> {
    const ends = await Promise.all([this.controller.drain(deadlineMs), this.engine.background.drain(deadlineMs)]);
    return !ends.includes(false);
  }

  check(): string | undefined {
    return this.controller.check();
  }

  /** Asks for a run of one resource. */
  enqueue(key: string, afterMs = 0): void {
    this.controller.addAfter(key, afterMs);
  }

  /** Asks for a run of all: something that any of them may use has changed. */
  enqueueAll(): void {
    for (const key of this.kind.source.keys()) this.controller.add(key);
  }

  /** What all resources claim is worked out again. */
  seeAll(): void {
    for (const state of this.states.all()) this.indexResource(state);
  }

  all(): readonly ResourceState<T>[] {
    return this.states.all();
  }

  /** A readiness check: what the resources lack that an administrator has to give. */
  degradedReason(): string | undefined {
    const { pendingWarnings, pendingWarningOf } = this.kind;
    const states = this.states.all();
    if (pendingWarnings !== undefined && states.some(({ forbidden }) => forbidden)) return pendingWarnings.forbidden;
    const drops = states.some(({ statusWrites }) => statusWrites.droppedAt !== undefined);
    const olderCrd = drops ? pendingWarnings?.olderCrd : undefined;
    return olderCrd ?? states.map((state) => pendingWarningOf?.(state)).find((text) => text !== undefined);
  }

  async close(): Promise<void> {
    for (const end of this.ends) end();
    await this.states.close();
  }

  private async reconcile(key: string): Promise<Result> {
    const state = this.states.get(key);
    if (state === undefined) return done;
    const result = await this.engine.run(state);
    this.logDegradedReason();
    return result;
  }

  /** Once for each trouble: the refusals of the single writes are in the log anyway. */
  private logDegradedReason(): void {
    const degradedReason = this.degradedReason();
    if (degradedReason !== undefined && degradedReason !== this.logged) {
      this.tools.logger.error({ kind: this.kind.names.kind, degradedReason }, "Resources are served in part only");
    }
    this.logged = degradedReason;
  }

  private changed(event: SourceEvent<T["object"]>): void {
    const uncleaned = this.states.withUid(event.object.metadata.uid)?.uncleaned ?? [];
    const state = this.states.follow(event);
    if (state === undefined) {
      if (event.deleted && this.tools.leads()) this.reportRetained(event.object, uncleaned);
      return;
    }
    this.indexResource(state);
    this.controller.add(state.key);
    const untilCachedMs = this.kind.source.writers.untilCachedMs(state.key);
    if (untilCachedMs !== undefined) this.controller.addAfter(state.key, untilCachedMs);
  }

  private reportRetained(object: T["object"], uncleaned: readonly string[]): void {
    const { events, logger, metrics } = this.tools;
    const { kind, finalizer = "" } = this.kind.names;
    const { namespace = "", name, uid } = object.metadata;
    const regarding = regardingOf({ kind, name, uid, ...(namespace && { namespace }) });
    const left = abandoned(uncleaned, WHYS.finalizerRemoved(finalizer)) ?? [];
    if (uncleaned.length > 0) metrics.abandonedItems.count({ kind, namespace, name }, uncleaned.length);
    const retained = this.kind.retained?.(object, uncleaned.length === 0) ?? [];
    for (const { type, reason, action, note } of [left, retained].flat()) {
      logger.info(
        { kind, resource: keyOf({ namespace, name }), note },
        "Something of a deleted resource stays at the provider",
      );
      events.record({ regarding, type, reason, action, note });
    }
  }

  /** A new CRD may keep what the former one dropped. */
  private relisted(): void {
    const now = this.tools.clock.monotonic();
    for (const { key, statusWrites, retries } of this.states.all()) {
      const { droppedAt, factsDroppedAt, intentDroppedAt, optionalDroppedAt } = statusWrites;
      statusWrites.relistedAt = now;
      if ((droppedAt ?? factsDroppedAt ?? intentDroppedAt ?? optionalDroppedAt) === undefined) continue;
      retries.retryFixed();
      this.controller.add(key);
    }
  }

  private written(key: string): void {
    const state = this.states.get(key);
    if (state !== undefined) this.indexResource(state);
  }

  private indexResource(state: ResourceState<T>): void {
    const resource = state.read();
    if (resource !== undefined) this.kind.registerVersion?.(state, resource);
  }

  private enqueueUids(uids: readonly string[]): void {
    for (const uid of uids) {
      const state = this.states.withUid(uid);
      if (state !== undefined) this.controller.add(state.key);
    }
  }
}

interface ResourceStatesProps<T extends KindTypes> {
  readonly kind: Kind<T>;
  readonly logger: Logger;
  readonly enqueue: (key: string, afterMs: number) => void;
}

class ResourceStates<T extends KindTypes> {
  private readonly byKey = new Map<string, ResourceState<T>>();
  private readonly byUid = new Map<string, ResourceState<T>>();
  private readonly closing = new Set<Promise<void>>();

  constructor(private readonly props: ResourceStatesProps<T>) {}

  /** The state of the object that the cache has now; made where it is new. `undefined`: there is none. */
  get(key: string): ResourceState<T> | undefined {
    const object = this.props.kind.source.cached(key);
    if (object !== undefined) return this.met(key, object);
    const known = this.byKey.get(key);
    if (known !== undefined) this.drop(known);
    return undefined;
  }

  withUid(uid: string): ResourceState<T> | undefined {
    return this.byUid.get(uid);
  }

  all(): readonly ResourceState<T>[] {
    return [...this.byKey.values()];
  }

  /** Follows the cache. @returns `undefined`: the resource is gone. */
  follow({ key, object, deleted }: SourceEvent<T["object"]>): ResourceState<T> | undefined {
    if (!deleted) return this.met(key, object);
    const known = this.byKey.get(key);
    if (known?.ref.uid === object.metadata.uid) this.drop(known);
    return undefined;
  }

  async close(): Promise<void> {
    for (const state of this.all()) state.close();
    await Promise.all([...this.all().map((state) => this.props.kind.close?.(state)), ...this.closing]);
  }

  /** Another object under a known name is another resource. */
  private met(key: string, object: KubeObject): ResourceState<T> {
    const known = this.byKey.get(key);
    if (known?.ref.uid === object.metadata.uid) return known;
    if (known !== undefined) this.drop(known);
    const { kind, enqueue } = this.props;
    const made = new ResourceState<T>({ kind, key, enqueue: (afterMs) => enqueue(key, afterMs) }, object);
    this.byKey.set(key, made);
    this.byUid.set(made.ref.uid, made);
    return made;
  }

  private drop(state: ResourceState<T>): void {
    this.byKey.delete(state.key);
    this.byUid.delete(state.ref.uid);
    state.close();
    const { kind, logger } = this.props;
    const closed = Promise.all([kind.forget?.(state), kind.close?.(state)])
      .then(() => undefined)
      .catch((error: unknown) => logger.error({ resource: state.key, error }, "Failed to forget a deleted resource"))
      .finally(() => this.closing.delete(closed));
    this.closing.add(closed);
  }
}
