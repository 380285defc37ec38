/** The leader's side: it asks the standby replica about the targets of suspected holders, until they are no longer suspected. */

import { pause } from "../../async.js";
import type { Clock } from "../../clock.js";
import type { Logger } from "../../logging.js";
import { STANDBY_ASK_MS, STANDBY_MARGIN_MS, STANDBY_TIMINGS } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import type { ProbeResult } from "../probe-state.js";
import { keyOf, type ProbeTarget } from "../target.js";
import type { Ask } from "./ask-standby.js";
import type { StandbyFacts } from "./evidence.js";
import type { OwnReplica, Replica } from "./own-replica.js";
import { type Question, questionToken, readAnswer } from "./signed-messages.js";

export interface StandbyWitnessProps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly self: OwnReplica;
  readonly leads: () => boolean;
  /** Reads which replica stands by. */
  readonly readStandby: () => Promise<Replica | undefined>;
  readonly ask: Ask;
  /** There is a new answer, or the wait for one is over. @param failure why the standby does not reach the target */
  readonly onAnswer: (target: ProbeTarget, failure?: string) => void;
}

interface Suspected {
  readonly target: ProbeTarget;
  readonly controller: AbortController;
  isAsked: boolean;
  answer?: NonNullable<StandbyFacts["answer"]>;
}

const UNASKED: Pick<Suspected, "isAsked" | "answer"> = { isAsked: false };

export class StandbyWitness {
  private readonly suspected = new Map<string, Suspected>();
  private standby: Replica | undefined;
  private readAt = Number.NEGATIVE_INFINITY;
  private number = 0;

  constructor(private readonly props: StandbyWitnessProps) {}

  get ownNode(): string {
    return this.props.self.node;
  }

  facts(target: ProbeTarget): StandbyFacts {
    const { isAsked, answer } = this.suspected.get(keyOf(target)) ?? UNASKED;
    return { isAsked, ...omitUndefined({ answer, fallen: this.props.self.fallen }) };
  }

  /** Asks about these targets and no others. */
  suspect(targets: readonly ProbeTarget[]): void {
    const wanted = new Map(this.props.leads() ? targets.map((target) => [keyOf(target), target]) : []);
    for (const [key, { controller }] of [...this.suspected]) {
      if (wanted.has(key)) continue;
      controller.abort(new Error("no longer suspected"));
      this.suspected.delete(key);
    }
    for (const [key, target] of wanted) if (!this.suspected.has(key)) this.start(key, target);
  }

  /** Call it every second while holders are probed, so that the standby is known when a question is due. */
  refresh(): void {
    const { clock, leads, readStandby, logger } = this.props;
    if (!leads() || clock.monotonic() - this.readAt < STANDBY_TIMINGS.retryMs) return;
    this.readAt = clock.monotonic();
    readStandby().then(
      (standby) => {
        this.standby = standby;
      },
      (error: unknown) => logger.debug({ error }, "Failed to read the Lease of the standby replica, retrying"),
    );
  }

  close(): void {
    this.suspect([]);
  }

  private start(key: string, target: ProbeTarget): void {
    const suspected: Suspected = { target, controller: new AbortController(), isAsked: true };
    this.suspected.set(key, suspected);
    void this.follow(key, suspected);
  }

  private async follow(key: string, suspected: Suspected): Promise<void> {
    const { clock, onAnswer } = this.props;
    const { signal } = suspected.controller;
    while (!signal.aborted) {
      const sentAt = clock.monotonic();
      const result = await this.askOnce(key, suspected, sentAt);
      if (signal.aborted) return;
      suspected.isAsked = false;
      onAnswer(suspected.target, result?.ok === false ? result.error : undefined);
      await pause(clock, sentAt + STANDBY_ASK_MS - clock.monotonic(), signal);
    }
  }

  /** Never rejects. Without an answer, the former one counts as long as it is valid. */
  private async askOnce(key: string, suspected: Suspected, sentAt: number): Promise<ProbeResult | undefined> {
    const { clock, logger, self, ask } = this.props;
    const { standby } = this;
    if (standby === undefined || standby.identity === self.identity) return undefined;
    const question: Question = { from: self.identity, to: standby.identity, number: ++this.number, target: key };
    const call = this.deadline(suspected);
    try {
      const token = await ask(standby.address, questionToken(self.signer, question), call.signal);
      const elapsedMs = clock.monotonic() - sentAt;
      const answer = readAnswer(token, standby.publicKey, { question, elapsedMs });
      if (answer === undefined) throw new Error("the answer is not one of the standby replica to this question");
      suspected.answer = { ok: answer.result.ok, began: sentAt, node: standby.node };
      return answer.result;
    } catch (error) {
      // Another replica may stand by now.
      this.readAt = Number.NEGATIVE_INFINITY;
      logger.debug({ error, standby: standby.identity }, "The standby replica did not answer");
      return undefined;
    } finally {
      call.dispose();
    }
  }

  /** Aborts when the suspicion ends, or when an answer is overdue. */
  private deadline({ target, controller }: Suspected): { readonly signal: AbortSignal; dispose(): void } {
    const { clock } = this.props;
    const call = new AbortController();
    const abort = () => call.abort(controller.signal.reason);
    controller.signal.addEventListener("abort", abort, { once: true });
    const timer = clock.setTimer(target.timeoutMs + STANDBY_MARGIN_MS, () =>
      call.abort(new Error("no answer in time")),
    );
    const dispose = () => {
      timer.cancel();
      controller.signal.removeEventListener("abort", abort);
    };
    return { signal: call.signal, dispose };
  }
}
