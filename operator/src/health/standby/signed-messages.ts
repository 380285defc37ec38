/** What the leader asks the standby replica, and what it answers. Pure: signed values in, checked values out. */

import type { ProbeResult } from "../probe-state.js";
import { type Purpose, type Signer, signedValue } from "./signer.js";

export interface Question {
  /** Identities of the leader and of the standby: a process that restarts has another one. */
  readonly from: string;
  readonly to: string;
  /** Rises with each question of a leader, so that an old question or answer is recognized. */
  readonly number: number;
  /** Key of the target. The standby probes it only if it probes it anyway. */
  readonly target: string;
}

export interface Answer extends Question {
  /** ms since the probe began. */
  readonly ageMs: number;
  readonly result: ProbeResult;
}

export function questionToken(signer: Signer, question: Question): string {
  return signer.token("question", question);
}

export function answerToken(signer: Signer, answer: Answer): string {
  return signer.token("answer", answer);
}

/** A question that the owner of the key signed. */
export function readQuestion(token: string, publicKey: string): Question | undefined {
  const value = fieldsOf("question", token, publicKey);
  return value !== undefined && isQuestion(value) ? value : undefined;
}

/** The answer to this very question, signed by the owner of the key. @param elapsedMs since the question was sent */
export function readAnswer(
  token: string,
  publicKey: string,
  { question, elapsedMs }: { readonly question: Question; readonly elapsedMs: number },
): Answer | undefined {
  const value = fieldsOf("answer", token, publicKey);
  if (value === undefined || !isQuestion(value) || !isSame(value, question)) return undefined;
  const { ageMs, result } = value as Partial<Answer>;
  // A probe that began before the question may be older than the suspicion.
  if (typeof ageMs !== "number" || !(ageMs >= 0 && ageMs <= elapsedMs)) return undefined;
  return isResult(result) ? { ...question, ageMs, result } : undefined;
}

function fieldsOf(purpose: Purpose, token: string, publicKey: string): object | undefined {
  const value = signedValue(purpose, token, publicKey);
  return typeof value === "object" && value !== null ? value : undefined;
}

function isQuestion(value: object): value is Question {
  const { from, to, number, target } = value as Partial<Question>;
  return [from, to, target].every((text) => typeof text === "string") && Number.isSafeInteger(number);
}

function isSame(a: Question, b: Question): boolean {
  return a.from === b.from && a.to === b.to && a.number === b.number && a.target === b.target;
}

function isResult(value: unknown): value is ProbeResult {
  const { ok, error } = (value ?? {}) as { readonly ok?: unknown; readonly error?: unknown };
  return ok === true || (ok === false && typeof error === "string");
}
