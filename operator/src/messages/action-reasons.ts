/** Why the operator did something, where an Event says it: the `why` of an action. */

import { Annotation, REFUSALS, type RefusalReason } from "cdk8s-flipop/api";
import { duration, secondsText, timeText } from "../clock.js";
import { notableRefusals, type Refusal } from "../match/checks.js";
import { listed, omitUndefined } from "../values.js";
import { refText } from "./claims.js";
import { type FailureText, REMEDIES, type Remedy } from "./failed-calls.js";

export const WHYS = {
  cleanedUp: "all is cleaned up",
  nothingToCleanUp: "there is nothing to clean up",
  cleanupLate: "the deadline of the cleanup has passed",
  finalizerRemoved: (finalizer: string) => `finalizer ${finalizer} was removed before the operator had cleaned up`,
  cleanupDisputed: "what is left may belong to somebody else: check that first",
  unwanted: "it is no longer wanted, and the reclaim policy is Delete",
  displaced: ({ ip, node, pool }: { readonly ip: string; readonly node: string; readonly pool: string }) =>
    `${pool} no longer asks for it, and ${ip} needs ${node}: no other node that matches is free`,
  noAddressNamed: "spec.routedIP names none",
  onItsNode: "it is on the node that it was created for",
  onlyNewAddress: "it is the only new address of the account that may be it",
  forgetRequested: `a person set annotation ${Annotation.forgetCreation}`,
  nothingCreated: "no address came of it",
  strayLeft: (ip: string) => `for an hour no fact has shown whether ${ip} is its address`,
  nowListed: (ip: string) => `spec.ips now lists ${ip}, which is the address`,
  /** @param next the resource that has or gets it. Absent: none */
  replaced: (ip: string, by: string | undefined, next?: Parameters<typeof refText>[0] | "gone") =>
    `spec.routedIP is ${by} now; ${ip} ${endOf(next)}`,
} as const;

function endOf(next: Parameters<typeof refText>[0] | "gone" | undefined): string {
  if (next === "gone") return "is no longer in the account";
  return next === undefined ? "stays in the account" : `goes to ${refText(next)}`;
}

/** What sets the chosen node apart from the best that was not. */
export const CHOICES = {
  only: () => "the only candidate",
  onlyFree: () => "the only candidate that is free",
  firstByName: (count: number) => `first by name of ${count} candidates`,
  firstOfEqual: (count: number) => `first by name among the most preferred of ${count} candidates`,
  last: (count: number) => `the last of ${count} candidates`,
  staying: (count: number) => `here to stay, of ${count} candidates`,
  newestKubelet: (count: number) => `newest kubelet of ${count} candidates`,
  youngest: (count: number) => `youngest of ${count} candidates`,
} as const;

interface MoveFacts {
  readonly ip: string;
  /** The holder, as `holderText` writes it. */
  readonly from: string | undefined;
  readonly node: string;
  readonly choice: string;
  /** Somebody else took the address off this node, which is well; ms since the epoch. */
  readonly taken?: { readonly node: string; readonly at: number };
}

/** `203.0.113.7 moves from node-3 (NodeNotReady for 12 s, grace 10 s over) to node-9 (youngest of 4 candidates)`. */
export function moveText({ ip, from, node, choice, taken }: MoveFacts): string {
  const cause =
    taken &&
    `: at ${timeText(taken.at)}, the operator saw that it was no longer on ${taken.node}: somebody else took it off, or destroyed the machine`;
  return `${ip} ${from === undefined ? "goes" : `moves from ${from}`} to ${node} (${choice})${cause ?? ""}`;
}

/** Why a node that does not match had no time to recover: the period is 0, or it covers none of these reasons. */
export type NoGrace = "zero" | readonly RefusalReason[];

/** `undefined`: they give it some time, or the period changes nothing. */
export function noGraceOf(refusals: readonly Refusal[], periodMs: number): NoGrace | undefined {
  const uncovered = refusals.filter(({ recoverable }) => !recoverable);
  if (uncovered.length === 0) return periodMs > 0 || refusals.length === 0 ? undefined : "zero";
  if (periodMs === 0) return undefined;
  const never = notableRefusals(refusals).filter(({ reason }) => !REFUSALS[reason].recoverable);
  return (never.length > 0 ? never : uncovered).map(({ reason }) => reason);
}

/** `gracePeriodSeconds does not cover Cordoned`. @param seconds to be named */
export function noGraceText(grace: NoGrace, seconds?: number): string {
  if (grace === "zero") return "gracePeriodSeconds is 0";
  const value = seconds === undefined ? "" : ` (${secondsText(seconds)})`;
  if (grace.every(isOfPods)) return `gracePeriodSeconds${value} does not apply when all pods of the node are ending`;
  return `gracePeriodSeconds${value} does not cover ${listed(grace.map(uncoveredText))}`;
}

/** Of a reason that nodes recover from, only pods that are all ending are not covered. */
function isOfPods(reason: RefusalReason): boolean {
  return REFUSALS[reason].recoverable;
}

function uncoveredText(reason: RefusalReason): string {
  return isOfPods(reason) ? "pods that are all ending" : reason;
}

interface HolderFacts {
  readonly name: string;
  /** Why it may not have an address any more; `undefined`: it is no node of this cluster. */
  readonly reasons: readonly string[] | undefined;
  /** ms since it last matched. */
  readonly age: number;
  /** ms since the epoch; `over`: ms that it lasted. */
  readonly grace?: { readonly until: number } | { readonly over: number } | { readonly none: NoGrace };
}

/** `node-3 (NodeNotReady for 12 s, grace 10 s over)`. */
export function holderText({ name, reasons, age, grace }: HolderFacts): string {
  const why = reasons === undefined ? "no node of this cluster" : reasons.join(", ");
  return `${name} (${why}${age >= 1000 ? ` for ${duration(age)}` : ""}${graceText(grace, why)})`;
}

function graceText(grace: HolderFacts["grace"], reasons: string): string {
  if (grace === undefined) return "";
  if ("none" in grace) {
    const coversNone = grace.none !== "zero" && grace.none.map(uncoveredText).join(", ") === reasons;
    return coversNone ? ", which gracePeriodSeconds does not cover" : `; ${noGraceText(grace.none)}`;
  }
  return "until" in grace ? `, grace until ${timeText(grace.until)}` : `, grace ${duration(grace.over)} over`;
}

/** @param others further addresses than those that move. */
export function coolingText(count: number, others: boolean, until: number | "unanswered"): string {
  const end = until === "unanswered" ? "after the answer" : `until ${timeText(until)}`;
  return `${waitingText(count, others)} for the cool-off ${end}`;
}

/** @param others further addresses than those that move. */
export function limitedText(count: number, others: boolean, until: number): string {
  return `${waitingText(count, others)} for the limit of moves per minute until ${timeText(until)}`;
}

function waitingText(count: number, others: boolean): string {
  const which = others ? `${count} other${count === 1 ? "" : "s"}` : `${count}`;
  return `${which} ${count === 1 ? "waits" : "wait"}`;
}

/** A pause that an API asks for. */
interface ProviderPause {
  /** ms since the epoch. */
  readonly until: number;
  /** It is for such calls alone: the API answers others. @default it is for all calls of the account */
  readonly alone?: boolean;
}

export function pauseText({ until, alone = false }: ProviderPause): string {
  const [held, tried] = alone ? ["such calls", "one such call"] : ["the account's calls", "one call"];
  return `the provider's rate limit holds ${held} until ${timeText(until)}, and meanwhile the operator tries ${tried} a minute`;
}

/** @param remedy of the answer that asks for the pause */
export function pauseRemedy(remedy: Remedy, pause: ProviderPause): Remedy {
  const person = typeof remedy === "string" ? remedy : remedy.person;
  return { operator: pauseText(pause), ...omitUndefined({ person }) };
}

/** The operator held a call back, because the API asks for a pause. */
export function heldBack(pause: ProviderPause): FailureText {
  return { seen: "the operator did not send the call", remedy: pauseRemedy(REMEDIES.RateLimited, pause) };
}
