/** The standby's side: it probes a target that it follows anyway when the leader asks for it, and signs what it saw. */

import type { Clock } from "../../clock.js";
import type { Route } from "../../runtime/http-server.js";
import type { Probe } from "../probe.js";
import type { ProbeTarget } from "../target.js";
import type { OwnReplica } from "./own-replica.js";
import { probeRepeatedly } from "./repeated-probe.js";
import { answerToken, type Question, readQuestion } from "./signed-messages.js";

export interface AnswersProps {
  readonly clock: Clock;
  readonly self: OwnReplica;
  readonly probe: Probe;
  /** A target that this process probes for its own resources, by key. */
  readonly targetOf: (key: string) => ProbeTarget | undefined;
  /** Its own network is at fault, so that its probes prove nothing. */
  readonly controlFailed: () => boolean;
}

/** Path and parameter of a question. */
export const QUESTION_PATH = "/probe";
export const QUESTION_PARAMETER = "question";

const OK = 200;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const CONFLICT = 409;
const UNAVAILABLE = 503;
/** Less than every number. */
const NO_NUMBER = -1;

type Reply = Awaited<ReturnType<Route>>;

export class Answers {
  /** Numbers of the latest questions of a leader, by target that this process probes. */
  private readonly numbers = new Map<string, number>();
  /** The latest number of the targets that it no longer probes. */
  private floor = NO_NUMBER;
  /** The key whose questions are counted. */
  private leaderKey = "";

  constructor(private readonly props: AnswersProps) {}

  readonly route: Route = async (query) => {
    const { self, controlFailed, targetOf } = this.props;
    const question = this.questionOf(query.get(QUESTION_PARAMETER) ?? "");
    if (question === undefined) return reply(FORBIDDEN, "not a question of the leader to this replica");
    const target = targetOf(question.target);
    if (target === undefined) return reply(NOT_FOUND, "this replica does not probe the target");
    if (!this.isNew(question)) return reply(CONFLICT, "the question is not new");
    if (controlFailed()) return reply(UNAVAILABLE, "this replica does not rely on its probes");
    const { clock } = this.props;
    const began = clock.monotonic();
    const result = await probeRepeatedly(target, this.props);
    if (result === undefined) return reply(UNAVAILABLE, "this replica was too slow to tell");
    return reply(OK, answerToken(self.signer, { ...question, ageMs: clock.monotonic() - began, result }));
  };

  /** Of the leader, to this process. */
  private questionOf(token: string): Question | undefined {
    const { self } = this.props;
    const { leader, identity } = self;
    if (leader === undefined) return undefined;
    const question = readQuestion(token, leader.publicKey);
    if (question?.from !== leader.identity || question.to !== identity) return undefined;
    if (leader.publicKey !== this.leaderKey) this.countAnew(leader.publicKey);
    return question;
  }

  private countAnew(leaderKey: string): void {
    this.leaderKey = leaderKey;
    this.numbers.clear();
    this.floor = NO_NUMBER;
  }

  /** Somebody who sends a question again gets no answer, and causes no probe. */
  private isNew({ number, target }: Question): boolean {
    for (const [key, latest] of [...this.numbers]) {
      if (this.props.targetOf(key) !== undefined) continue;
      this.floor = Math.max(this.floor, latest);
      this.numbers.delete(key);
    }
    if (number <= (this.numbers.get(target) ?? this.floor)) return false;
    this.numbers.set(target, number);
    return true;
  }
}

function reply(status: number, body: string): Reply {
  return { status, contentType: "text/plain; charset=utf-8", body };
}
