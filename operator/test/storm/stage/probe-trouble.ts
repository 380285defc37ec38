/** Trouble that health checks are there for: what runs on a holder fails for a while, or the leader alone does not reach it. */

import { setTimeout as delay } from "node:timers/promises";
import type { Happening, LifeAct } from "../schedule/steps.js";
import { type Nodes, slotName } from "./nodes.js";
import type { Recorder } from "./recorder.js";
import type { Replicas } from "./replicas.js";

export interface ProbeTroubleOptions {
  readonly nodes: Nodes;
  readonly recorder: Recorder;
  readonly replicas: Replicas;
  /** Does something to the cluster when its turn has come. */
  readonly queue: (act: () => Promise<void>) => void;
}

type ProbeTrouble = Extract<Happening, { readonly kind: "probe" }>;

/** Until an answer that the standby gave before it was stopped counts no more. */
const UNWITNESSED_MS = 6_500;
const MARGIN_MS = 3_500;

export class ProbeTroubles {
  /** One after the other: a leader is cut off from one node at a time. */
  private cuts: Promise<void> = Promise.resolve();
  private others: Promise<unknown> = Promise.resolve();
  private readonly calming = new AbortController();

  constructor(private readonly options: ProbeTroubleOptions) {}

  async runActions({ act, pick, ms }: ProbeTrouble): Promise<void> {
    const { holders } = this.options.nodes;
    const slot = holders[Math.floor(pick * holders.length)];
    if (slot === undefined) return;
    if (act === "cut off") {
      this.cuts = this.cuts.then(() => this.cut(slot, ms));
      return this.cuts;
    }
    const done = act === "close unwitnessed" ? this.closeUnwitnessed(slot, ms) : this.strike(slot, ACTS[act], ms);
    this.others = Promise.all([this.others, done]);
    await done;
  }

  /** Every node lives again as far as this class struck it, and every path is open, once what it queued is done. */
  async calm(): Promise<void> {
    this.calming.abort();
    await Promise.all([this.cuts, this.others]);
  }

  private async strike(slot: number, act: LifeAct, ms: number): Promise<void> {
    const { nodes, queue } = this.options;
    let mend: (() => Promise<void>) | undefined;
    queue(async () => {
      mend = await nodes.strike(slot, act);
    });
    await this.pause(ms);
    queue(async () => mend?.());
  }

  private async closeUnwitnessed(slot: number, ms: number): Promise<void> {
    await this.options.replicas.hit("standby", "stop", UNWITNESSED_MS + ms + MARGIN_MS);
    await this.pause(UNWITNESSED_MS);
    await this.strike(slot, "close", ms);
  }

  private async cut(slot: number, ms: number): Promise<void> {
    if (this.calming.signal.aborted) return;
    const { nodes, recorder, replicas } = this.options;
    const over = recorder.runActions(recorder.cutOff, slotName(slot));
    const mend = await replicas.cutOff([nodes.addressOf(slot)]);
    await this.pause(ms);
    await mend?.();
    over();
  }

  private async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.calming.signal }).catch(() => undefined);
  }
}

const ACTS: Readonly<Record<"flap" | "close" | "hang" | "die", LifeAct>> = {
  flap: "close",
  close: "close",
  hang: "hang",
  die: "die",
};
