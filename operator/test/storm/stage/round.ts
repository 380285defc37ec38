/** One round: a storm, then no more faults, then the world must come to rest, and a last failover must be quick. */

import { setTimeout as delay } from "node:timers/promises";
import type { History, Violation } from "../history.js";
import { BOUNDS, SECOND_MS } from "../oracle/bounds.js";
import { judge } from "../oracle/index.js";
import type { Picture } from "../oracle/picture.js";
import { logProblems } from "../oracle/processes.js";
import { unsettled } from "../oracle/rest.js";
import type { Schedule } from "../schedule/steps.js";
import { isWrite } from "../truth.js";
import { failover } from "./failover.js";
import { photograph } from "./photograph.js";
import { Stage } from "./stage.js";

export interface RoundOptions {
  readonly schedule: Schedule;
  readonly round: number;
  /** Go on after a violation, to the end of the round. */
  readonly keepGoing: boolean;
  readonly say: (text: string) => void;
}

export interface RoundResult {
  readonly history: History;
  readonly violations: readonly Violation[];
  /** Mistakes of the storm itself. */
  readonly mistakes: readonly string[];
  readonly logs: readonly { readonly name: string; readonly text: string }[];
  readonly picture?: Picture;
  readonly struck: number;
}

const LEADER_MS = 40_000;
const JUDGE_EVERY_MS = 5_000;
/** The storm's own watches may be this far behind. */
const LAG_MS = 4_000;
const LOOK_MS = 1_000;
/** How long the world may take to stop writing once it is as it should be. */
const LAST_WRITES_MS = 30_000;

export async function playRound(options: RoundOptions): Promise<RoundResult> {
  const stage = await Stage.create(options);
  const round = new Round(stage, options);
  try {
    await round.play();
  } finally {
    await round.end();
  }
  return round.result();
}

class Round {
  private readonly found = new Map<string, Violation>();
  private picture: Picture | undefined;
  private logs: RoundResult["logs"] = [];
  private history: History | undefined;

  constructor(
    private readonly stage: Stage,
    private readonly options: RoundOptions,
  ) {}

  async play(): Promise<void> {
    const { replicas, recorder } = this.stage.parts;
    await replicas.start();
    const end = Date.now() + LEADER_MS;
    while (recorder.leases.length === 0 && Date.now() < end) await delay(LOOK_MS / 10);
    recorder.step("the storm begins");
    await this.storm();
    await this.stage.calm();
    recorder.step("the faults have ended");
    if (this.mayGoOn()) await this.converge();
    if (this.mayGoOn()) await this.rest();
    if (this.mayGoOn()) await this.failOver();
  }

  /** Replicas end here, too, so that their last words count. */
  async end(): Promise<void> {
    const { replicas, recorder } = this.stage.parts;
    await replicas.close();
    await delay(BOUNDS.observationMs);
    await replicas.learnIdentities();
    this.history = recorder.history();
    this.add(judge(this.history));
    this.logs = await replicas.logs();
    const secrets = replicas.secrets;
    const said = this.logs.flatMap(({ name, text }) => logProblems(name, text, secrets));
    this.add(said.map((message) => ({ check: "log", at: Date.now(), message })));
    await this.stage.close();
  }

  result(): RoundResult {
    const { history, logs, picture, found, stage } = this;
    if (history === undefined) throw new Error("the round has not ended: call end() first");
    const violations = [...found.values()].sort((a, b) => a.at - b.at);
    const { struck } = stage.parts.recorder;
    return { history, violations, mistakes: stage.mistakes, logs, struck, ...(picture !== undefined && { picture }) };
  }

  private async failOver(): Promise<void> {
    const { seed } = this.options.schedule;
    const options = { short: seed % 2 === 1, silent: seed % 3 > 0 };
    this.add(await failover(this.stage, options));
  }

  private mayGoOn(): boolean {
    return this.options.keepGoing || this.found.size === 0;
  }

  private add(violations: readonly Violation[]): void {
    for (const violation of violations) {
      const key = `${violation.check}/${violation.message}`;
      if (this.found.has(key)) continue;
      this.found.set(key, violation);
      this.options.say(`VIOLATION ${violation.check}: ${violation.message}`);
    }
  }

  private async storm(): Promise<void> {
    const startedAt = Date.now();
    let judgedAt = startedAt;
    for (const step of this.options.schedule.steps) {
      const wait = startedAt + step.at - Date.now();
      if (wait > 0) await delay(wait);
      this.stage.perform(step);
      if (Date.now() - judgedAt < JUDGE_EVERY_MS) continue;
      judgedAt = Date.now();
      await this.stage.parts.replicas.learnIdentities();
      this.add(judge(this.stage.parts.recorder.history(Date.now() - LAG_MS)));
      if (!this.mayGoOn()) return;
    }
  }

  /** Polls until two pictures in a row are as they should be. */
  private async converge(): Promise<void> {
    const startedAt = Date.now();
    let problems: readonly string[] = ["not checked yet"];
    for (let good = 0; good < 2; ) {
      this.picture = await photograph(this.stage);
      problems = unsettled(this.picture, this.stage.parts.recorder.history());
      good = problems.length === 0 ? good + 1 : 0;
      if (good === 0 && Date.now() - startedAt > BOUNDS.convergenceMs) break;
      await delay(LOOK_MS);
    }
    const at = Date.now();
    const seconds = Math.round((at - startedAt) / SECOND_MS);
    this.options.say(`${problems.length === 0 ? "at rest" : "not at rest"} ${seconds} s after the faults ended`);
    this.add(problems.map((message) => ({ check: "convergence", at, message })));
  }

  /** Nothing is written any more. */
  private async rest(): Promise<void> {
    const end = Date.now() + LAST_WRITES_MS;
    let versions = JSON.stringify((await photograph(this.stage)).versions);
    let quietSince = Date.now();
    while (Date.now() - quietSince < BOUNDS.restMs) {
      await delay(LOOK_MS);
      const now = JSON.stringify((await photograph(this.stage)).versions);
      const written = this.stage.parts.recorder
        .history()
        .calls.filter((call) => isWrite(call) && call.at >= quietSince);
      if (now === versions && written.length === 0) continue;
      if (Date.now() > end) return this.add([this.restless(written.at(-1)?.path, versions, now)]);
      versions = now;
      quietSince = Date.now();
    }
  }

  private restless(path: string | undefined, before: string, after: string): Violation {
    const [old, young] = [before, after].map((text) => JSON.parse(text) as Record<string, string>);
    const changed = Object.keys(young ?? {}).filter((name) => old?.[name] !== young?.[name]);
    const what = [...(path === undefined ? [] : [`call ${path}`]), ...changed].join(", ");
    return {
      check: "no writes at rest",
      at: Date.now(),
      message: `${LAST_WRITES_MS} ms after convergence still: ${what}`,
    };
  }
}
