/** Plays a scenario from beginning to end, with the real operator in a simulated world. */

import { GROUP_VERSION } from "cdk8s-flipop/api";
import type { Logger } from "flipop-operator/logging";
import type { ApiObject } from "../kubernetes/index.js";
import { at, listOf, textOf } from "../kubernetes/json.js";
import { StoryClock } from "./clock.js";
import { Director } from "./director.js";
import { LiveNarrator } from "./narrator.js";
import { NodeActs } from "./node-acts.js";
import { Observer } from "./observer.js";
import { OperatorHost } from "./operator-host.js";
import type { Scenario } from "./scenario.js";
import { type Conditioned, lastWrite, unsettled } from "./settled.js";
import { labelOf, Stage } from "./stage.js";
import type { Style } from "./text.js";
import { Workloads } from "./workloads.js";

export interface StoryOptions {
  readonly scenario: Scenario;
  /** Story seconds in a real one, at most. */
  readonly speed: number;
  /** Of the Kubernetes API; 0: any free one. */
  readonly port: number;
  readonly style: Style;
  /** Takes lines, without the newline at their end. */
  readonly print: (text: string) => void;
  /** For the simulators' own mistakes. */
  readonly logger: Logger;
  /** Of the operators. @default silent */
  readonly operatorLogger?: Logger;
}

/** Kubernetes time of a story's start: the past, so that nothing in the cluster is younger than now. */
const LEAD_MS = 3_600_000;
const KINDS = ["FloatingIPPool", "NodeDNSRecordSet", "RoutedIP", "RoutedIPIssuer"];

/** Who takes part. */
interface Company {
  readonly stage: Stage;
  readonly observer: Observer;
  readonly workloads: Workloads;
  readonly host: OperatorHost;
  readonly narrator: LiveNarrator;
}

export class Story {
  readonly stage: Stage;
  private readonly observer: Observer;

  private constructor(
    private readonly company: Company,
    private readonly speed: number,
  ) {
    this.stage = company.stage;
    this.observer = company.observer;
  }

  /** Sets the scene; time stands still yet. Rejects when the port can't be had. */
  static async prepare(options: StoryOptions): Promise<Story> {
    const { scenario, speed, port, logger, style, print, operatorLogger } = options;
    const clock = new StoryClock({ start: Date.now() - LEAD_MS, speed });
    const stage = await Stage.set({ scenario, clock, port, logger });
    const { world, zones } = stage;
    const tokens = new Set<string>();
    const observer = new Observer({ world, zones, clock, operators: tokens });
    const lost = (what: string) => observer.tell({ kind: "failure", what });
    const { issuerNamespaces } = scenario.operator;
    const host = new OperatorHost({
      world,
      clock,
      tokens,
      lost,
      issuerNamespaces,
      ...(operatorLogger && { logger: operatorLogger }),
    });
    observer.look("story");
    const workloads = new Workloads(world.kubernetes, clock);
    const narrator = new LiveNarrator({ stage, observer, style, print });
    return new Story({ stage, observer, workloads, host, narrator }, speed);
  }

  /** A node that has an address now. */
  get aHolder(): string | undefined {
    return [...this.observer.holders.values()].find((node) => node !== undefined);
  }

  /** Resolves to whether all held that must hold. Rejects with StepError, or with the signal's reason. */
  async play(signal: AbortSignal): Promise<boolean> {
    const { stage, observer, narrator, host, workloads } = this.company;
    narrator.open(this.speed);
    stage.clock.run();
    await host.start();
    const nodes = new NodeActs(stage, workloads);
    const director = new Director({
      stage,
      observer,
      nodes,
      actor: host,
      narrator,
      unsettled: (since) => this.unsettled(since),
    });
    await director.play(stage.scenario.acts, signal);
    return narrator.close();
  }

  /** From now on at real speed, and by the real time. */
  toRealTime(): void {
    this.stage.clock.speed = 1;
    this.stage.clock.setTime(Date.now());
  }

  /** After the story: another operator where the last one has ended by itself. Resolves to why it had. */
  revive(): Promise<string | undefined> {
    return this.company.host.revive();
  }

  /** Nothing of it is left. */
  async close(): Promise<void> {
    const { stage, observer, host, workloads } = this.company;
    // What still waits has long been decided.
    stage.clock.speed = Math.max(stage.clock.speed, this.speed);
    stage.clock.run();
    workloads.stop();
    observer.stop();
    await host.close();
    await stage.close();
    stage.clock.stop();
  }

  private unsettled(since: number): string | undefined {
    const { stage, observer } = this;
    return unsettled({
      now: stage.clock.monotonic(),
      resources: KINDS.flatMap((kind) => stage.world.kubernetes.list(GROUP_VERSION, kind)).map(conditioned),
      pools: observer.pools,
      holders: observer.holders,
      running: stage.world.digitalocean.state.runningActions.length,
      quietSince: Math.max(since, lastWrite(observer.facts)),
    });
  }
}

function conditioned(object: ApiObject): Conditioned {
  const observed = at(object, "status", "observedGeneration");
  return {
    label: labelOf(object),
    generation: object.metadata.generation,
    observedGeneration: typeof observed === "number" ? observed : undefined,
    conditions: listOf(at(object, "status", "conditions")).map((one) => ({
      type: textOf(at(one, "type")),
      status: textOf(at(one, "status")),
      message: textOf(at(one, "message")),
    })),
  };
}
