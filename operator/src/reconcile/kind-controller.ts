/** Runs one kind: follows its objects, queues the keys of those that need a run, and gives each run to the engine. */

import type { Random } from "../async/backoff.js";
import type { RuntimeMetrics } from "../metrics/runtime.js";
import { Controller } from "../runtime/controller.js";
import type { Drainable } from "../runtime/manager.js";
import { done, type Result } from "../runtime/result.js";
import { Engine, type EngineTools } from "./engine.js";
import type { Kind } from "./kind.js";
import type { Notifier } from "./notifier.js";
import type { SourceEvent } from "./objects/source.js";
import type { KindTypes } from "./plan.js";
import type { ResourceState } from "./resource-state.js";
import { ResourceStates } from "./resource-states.js";
import { isDropping } from "./write-status.js";

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
      notifier.listen((uids) => this.enqueueUids(uids)),
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
    const now = this.tools.clock.monotonic();
    const olderCrd = states.some((state) => isDropping(state, now)) ? pendingWarnings?.olderCrd : undefined;
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
    const state = this.states.follow(event);
    if (state === undefined) return;
    this.indexResource(state);
    this.controller.add(state.key);
    const untilCachedMs = this.kind.source.writers.untilCachedMs(state.key);
    if (untilCachedMs !== undefined) this.controller.addAfter(state.key, untilCachedMs);
  }

  private written(key: string): void {
    const state = this.states.get(key);
    if (state !== undefined) this.indexResource(state);
  }

  private indexResource(state: ResourceState<T>): void {
    const resource = state.read();
    if (resource !== undefined) this.kind.seen?.(state, resource);
  }

  private enqueueUids(uids: readonly string[]): void {
    for (const uid of uids) {
      const state = this.states.withUid(uid);
      if (state !== undefined) this.controller.add(state.key);
    }
  }
}
