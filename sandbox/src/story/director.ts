/** Plays the acts of a scenario, one step after the other. */

import { errorText } from "flipop-operator/logging";
import { playCloud } from "./acts/cloud-acts.js";
import { labelOfManifest, nameText, playCluster, refusalOf } from "./acts/cluster-acts.js";
import type { NodeActs } from "./acts/node-acts.js";
import type { Observer } from "./rules/observer.js";
import type { Act, Step } from "./scenario/scenario.js";
import type { Stage } from "./stage.js";

/** The operator of a story: one at a time. */
export interface Actor {
  start(): Promise<void>;
  /** As SIGKILL does: from this very moment nothing of it gets through. Resolves when it is gone. */
  kill(): Promise<void>;
}

/** Prints the acts. */
export interface Narrator {
  act(act: Act, number: number): void;
  /** What the story does to the world. */
  did(text: string): void;
  /** After an act. */
  curtain(): void;
}

export interface DirectorOptions {
  readonly stage: Stage;
  readonly observer: Observer;
  readonly nodes: NodeActs;
  readonly actor: Actor;
  readonly narrator: Narrator;
  /**
   * What keeps the world from rest; undefined: nothing.
   * @param since story ms of the story's last deed
   * @param refused labels of resources that are refused, as the scenario expects
   */
  readonly unsettled: (since: number, refused: ReadonlySet<string>) => string | undefined;
  /** Called before each step. */
  readonly before?: ((step: Step) => void) | undefined;
}

/** A step that can't be played, with its place in the scenario. */
export class StepError extends Error {
  override readonly name = "StepError";

  constructor({ place, do: name }: Step, cause: unknown) {
    super(`${place}: ${name}: ${errorText(cause)}`);
  }
}

const CLUSTER = ["apply", "patch", "delete", "rollout"] as const;
const CLOUD = ["outage", "lose-answer", "move-address", "edit-records", "edit-firewall"] as const;
const TIME = ["wait", "rest", "settle", "refused", "crash"] as const;

function isOneOf<K extends Step["do"]>(step: Step, kinds: readonly K[]): step is Extract<Step, { readonly do: K }> {
  return kinds.some((kind) => kind === step.do);
}

const LOOK_MS = 500;
/** Longer waits pass this many times as fast. */
const LONG_MS = 180_000;
const HURRY = 12;

export class Director {
  /** A crash that waits for its moment, and the work in flight after it. */
  private armed: Step | undefined;
  private restart: Promise<void> = Promise.resolve();
  /** Labels of resources that are refused, as the scenario expects. */
  private readonly refused = new Set<string>();

  constructor(private readonly options: DirectorOptions) {}

  /** Rejects with StepError where a step can't be played. */
  async play(acts: readonly Act[], signal: AbortSignal): Promise<void> {
    const { narrator, observer } = this.options;
    for (const [index, act] of acts.entries()) {
      narrator.act(act, index + 1);
      for (const step of act.steps) {
        signal.throwIfAborted();
        await this.step(step, signal);
      }
      await this.restart;
      if (this.armed !== undefined)
        observer.tell({ kind: "failure", what: `${this.armed.place}: the crash never came` });
      this.armed = undefined;
      narrator.curtain();
    }
  }

  private async step(step: Step, signal: AbortSignal): Promise<void> {
    const { narrator, observer, before } = this.options;
    try {
      before?.(step);
      const told = await this.perform(step, signal);
      if (told !== undefined) narrator.did(told);
      observer.look("story");
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw new StepError(step, error);
    }
  }

  private async perform(step: Step, signal: AbortSignal): Promise<string | undefined> {
    const { stage, nodes, narrator } = this.options;
    if (isOneOf(step, CLUSTER)) return this.changeCluster(step);
    if (isOneOf(step, CLOUD)) return playCloud(stage, step, (text) => narrator.did(text));
    if (isOneOf(step, TIME)) return this.pass(step, signal);
    if (step.do === "add") return `${nodes.add(step.group, step.count).join(", ")} boot`;
    if (step.do !== "upgrade") return nodes.play(step);
    await nodes.upgrade(step, signal, (text) => narrator.did(text));
    return undefined;
  }

  /** What a person has changed is expected to be served again. */
  private changeCluster(step: Extract<Step, { readonly do: (typeof CLUSTER)[number] }>): string | undefined {
    const changed = step.do === "apply" ? step.objects.map(labelOfManifest) : [nameText(step.object)];
    for (const label of changed) this.refused.delete(label);
    return playCluster(this.options.stage, step);
  }

  private async expectRefusal(step: Extract<Step, { readonly do: "refused" }>, signal: AbortSignal) {
    const { stage, observer } = this.options;
    const { object, reason, withinMs } = step;
    const label = nameText(object);
    const end = stage.clock.monotonic() + withinMs;
    await this.restart;
    for (;;) {
      const refusal = refusalOf(stage, object, reason);
      if (refusal !== undefined) {
        this.refused.add(label);
        return `${label} is refused: ${reason}: ${refusal}`;
      }
      if (stage.clock.monotonic() >= end) {
        observer.tell({ kind: "failure", what: `${label} has no ${reason} after ${withinMs / 1000} s` });
        return undefined;
      }
      await stage.clock.sleep(LOOK_MS, signal);
    }
  }

  private async pass(
    step: Extract<Step, { readonly do: (typeof TIME)[number] }>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { stage, observer } = this.options;
    if (step.do === "crash") return this.crash(step);
    if (step.do === "settle") return this.settle(step.withinMs, signal);
    if (step.do === "refused") return this.expectRefusal(step, signal);
    if (step.do === "rest") observer.tell({ kind: "rest-begins" });
    if (step.ms >= LONG_MS) stage.clock.hurry = HURRY;
    await stage.clock.sleep(step.ms, signal).finally(() => {
      stage.clock.hurry = 1;
    });
    if (step.do === "rest") observer.tell({ kind: "rest-ends" });
    return undefined;
  }

  private async settle(withinMs: number, signal: AbortSignal): Promise<undefined> {
    const { stage, observer, unsettled } = this.options;
    const start = stage.clock.monotonic();
    await this.restart;
    const { refused } = this;
    for (let why = unsettled(start, refused); why !== undefined; why = unsettled(start, refused)) {
      if (stage.clock.monotonic() >= start + withinMs) {
        observer.tell({ kind: "failure", what: `not settled after ${withinMs / 1000} s: ${why}` });
        return;
      }
      await stage.clock.sleep(LOOK_MS, signal);
    }
  }

  private crash(step: Extract<Step, { readonly do: "crash" }>): string | undefined {
    const { observer, narrator } = this.options;
    if (step.when === "now") {
      this.restart = this.killAndStart(step.downMs);
      return "the operator is killed";
    }
    this.armed = step;
    observer.onFact((fact) => {
      if (this.armed !== step || fact.kind !== "made") return;
      this.armed = undefined;
      this.restart = this.killAndStart(step.downMs);
      narrator.did(`the cloud has made ${fact.ip}; the operator is killed before it hears of that`);
    });
    return undefined;
  }

  private async killAndStart(downMs: number): Promise<void> {
    const { actor, narrator, stage } = this.options;
    await actor.kill();
    await stage.clock.sleep(downMs);
    narrator.did("another operator starts; it has to wait until the lease of the first one is over");
    await actor.start();
  }
}
