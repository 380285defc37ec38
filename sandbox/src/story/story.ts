/** Plays a scenario from beginning to end, with the real operator in a simulated world. */

import { GROUP_VERSION } from "cdk8s-flipop/api";
import type { Logger } from "flipop-operator/logging";
import type { ApiObject } from "../kubernetes/index.js";
import { at, listOf, textOf } from "../kubernetes/json.js";
import { NodeActs } from "./acts/node-acts.js";
import { StoryClock } from "./clock.js";
import { Kubelets } from "./controllers/node-heartbeats.js";
import { Workloads } from "./controllers/workloads.js";
import { Director } from "./director.js";
import { LiveNarrator } from "./narrator.js";
import { OperatorHost, type Scrape } from "./operator-host.js";
import type { Fact } from "./rules/facts.js";
import { Observer } from "./rules/observer.js";
import { type Conditioned, lastWrite, unsettled } from "./rules/settled.js";
import type { Scenario, Step } from "./scenario/scenario.js";
import { labelOf, Stage } from "./stage.js";
import type { Style } from "./terminal-text.js";

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
  /** Called before each step. */
  readonly before?: (step: Step) => void;
}

/** Kubernetes time of a story's start: the past, so that nothing in the cluster is younger than now. */
const LEAD_MS = 3_600_000;
const KINDS = ["FloatingIPPool", "NodeDNSRecordSet", "RoutedIP", "RoutedIPIssuer"];

/** Who takes part. */
interface Company {
  readonly stage: Stage;
  readonly observer: Observer;
  readonly workloads: Workloads;
  readonly kubelets: Kubelets;
  readonly nodes: NodeActs;
  readonly host: OperatorHost;
  readonly narrator: LiveNarrator;
}

export class Story {
  readonly stage: Stage;
  private readonly observer: Observer;

  private constructor(
    private readonly company: Company,
    private readonly speed: number,
    private readonly before: ((step: Step) => void) | undefined,
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
    const kubelets = new Kubelets(stage);
    const observer = new Observer({ world, zones, clock, operators: tokens, machines: kubelets });
    const lost = (what: string) => observer.tell({ kind: "failure", what });
    const host = new OperatorHost({
      world,
      clock,
      tokens,
      lost,
      probe: kubelets.probe,
      setup: scenario.operator,
      ...(operatorLogger && { logger: operatorLogger }),
    });
    observer.look("story");
    const workloads = new Workloads(world.kubernetes, clock);
    const nodes = new NodeActs(stage, workloads, kubelets);
    const narrator = new LiveNarrator({ stage, observer, style, print });
    return new Story({ stage, observer, workloads, kubelets, nodes, host, narrator }, speed, options.before);
  }

  /** What happened so far, in order. */
  get facts(): readonly Fact[] {
    return this.observer.facts;
  }

  /** Nodes by the address that they hold. */
  get holders(): ReadonlyMap<string, string | undefined> {
    return this.observer.holders;
  }

  /** A node that has an address now. */
  get aHolder(): string | undefined {
    return [...this.observer.holders.values()].find((node) => node !== undefined);
  }

  /** Resolves to whether all held that must hold. Rejects with StepError, or with the signal's reason. */
  async play(signal: AbortSignal): Promise<boolean> {
    const { stage, observer, narrator, host, nodes, kubelets } = this.company;
    narrator.open(this.speed);
    stage.clock.run();
    kubelets.start();
    await host.start();
    const director = new Director({
      stage,
      observer,
      nodes,
      actor: host,
      narrator,
      unsettled: (since, refused) => this.unsettled(since, refused),
      before: this.before,
    });
    await director.play(stage.scenario.acts, signal);
    return narrator.close();
  }

  /** The metrics of the operator; `undefined` while none runs. */
  scrape(): Promise<Scrape | undefined> {
    return this.company.host.scrape();
  }

  /** From now on at real speed, and by the real time. */
  toRealTime(): void {
    this.stage.clock.followRealTime();
  }

  /** Nothing of it is left. */
  async close(): Promise<void> {
    const { stage, observer, host, workloads, kubelets, nodes } = this.company;
    // What still waits has long been decided.
    stage.clock.leaveRealTime();
    stage.clock.speed = Math.max(stage.clock.speed, this.speed);
    stage.clock.run();
    workloads.stop();
    nodes.stop();
    kubelets.stop();
    observer.stop();
    await host.close();
    await stage.close();
    stage.clock.stop();
  }

  private unsettled(since: number, refused: ReadonlySet<string>): string | undefined {
    const { stage, observer } = this;
    return unsettled({
      now: stage.clock.monotonic(),
      resources: KINDS.flatMap((kind) => stage.world.kubernetes.list(GROUP_VERSION, kind)).map(conditioned),
      refused,
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
