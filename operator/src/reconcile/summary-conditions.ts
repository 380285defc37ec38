/**
 * The conditions Ready, Reconciling and Stalled of any kind, computed from its other conditions. Exactly one of the three is
 * True at any time, so that tools which read only one of them (kstatus, Flux, Argo CD, `kubectl wait`) agree. Pure.
 */

import { type ConditionType, PASSING_REASONS, type Reason } from "cdk8s-flipop/api";
import type { Condition } from "../kube/write/patch.js";
import { addressMessages } from "../messages/addresses.js";
import { creationMessages } from "../messages/creation.js";
import { includesEntry, type Problem } from "../messages/message.js";
import { publishingMessages } from "../messages/publishing.js";
import { recordMessages } from "../messages/records.js";
import { specMessages } from "../messages/spec.js";
import { summaryMessages } from "../messages/summary.js";
import type { Stop } from "../runtime/stop-switch.js";
import { no, type PlannedCondition, unknown, yes } from "./conditions.js";

export interface SummaryFacts {
  /** Conditions that must be True, where the kind plans them. */
  readonly readyWhen: readonly ConditionType[];
  /** Keeps the resource from serving as requested, although its conditions are True. */
  readonly unserved?: Problem | undefined;
  /** What the deletion of the resource waits for. */
  readonly deletionWait?: Problem | undefined;
  /** See `Plan`. */
  readonly ignoredOfMatch?: readonly string[] | undefined;
  /** The operator is stopped. */
  readonly stop?: Stop | undefined;
}

/** The planned conditions, with the summary in front of them. */
export function withSummary(planned: readonly PlannedCondition[], facts: SummaryFacts): readonly PlannedCondition[] {
  const { stop } = facts;
  if (stop === undefined) return [...summary(planned, facts), ...planned];
  const stopped = addressMessages.stopped(stop);
  // A stopped operator plans as if each resource were paused, whatever its spec says.
  const others = planned.map((each) => (each.reason === "Paused" ? { ...each, ...stopped, said: stopped } : each));
  return [
    no("Ready", stopped),
    no("Reconciling", summaryMessages.waitsForPerson()),
    yes("Stalled", summaryMessages.stalled({ cause: stopped })),
    ...others,
  ];
}

export function summary(
  planned: readonly PlannedCondition[],
  { readyWhen, unserved, deletionWait, ignoredOfMatch = [] }: Omit<SummaryFacts, "stop">,
): readonly PlannedCondition[] {
  // What it would need to serve does not matter any more.
  if (deletionWait !== undefined) return notReady(no("Ready", unserved ?? deletionWait));
  const required = readyWhen.flatMap((type) => planned.find((condition) => condition.type === type) ?? []);
  const [unmet = required.find(({ status }) => status === "Unknown"), ...others] = required.filter(
    ({ status }) => status === "False",
  );
  if (unmet !== undefined) return notReady(withIgnored(unmet, ignoredOfMatch), others);
  if (unserved !== undefined) return notReady(no("Ready", unserved));
  // What a person should know of a resource that serves: it is paused, or a part of its spec is ignored.
  const restriction = required.find(({ reason }) => reason !== "Observed");
  const done = restriction === undefined ? summaryMessages.nothingToDo() : summaryMessages.nothingMoreToDo();
  const said = restriction === undefined ? summaryMessages.serves() : shortened(restriction);
  return [yes("Ready", said), no("Reconciling", done), no("Stalled", done)];
}

const LACKS_NODES: readonly Reason[] = ["NoCandidate", "TooFewCandidates"];

/** A toleration that does not count may be all that keeps the nodes away: a person must correct it first. */
function withIgnored(unmet: PlannedCondition, ignored: readonly string[]): PlannedCondition {
  if (ignored.length === 0 || unmet.status !== "False" || !LACKS_NODES.includes(unmet.reason)) return unmet;
  return no("Ready", summaryMessages.partOfMatchIgnored({ ignored, cause: unmet.said ?? unmet }));
}

/** @param others required conditions that are False, too */
function notReady(unmet: PlannedCondition, others: readonly PlannedCondition[] = []): readonly PlannedCondition[] {
  const second = others.find((other) => other.reason !== unmet.reason && needsPerson(other));
  const cause = unmet.said ?? unmet;
  const all = second === undefined ? shortened(unmet) : bothOf(unmet, second);
  const ready = isUnobserved(unmet) ? unknown("Ready", all) : no("Ready", all);
  const stalling = needsPerson(unmet) ? cause : (second?.said ?? second);
  return stalling === undefined
    ? [ready, yes("Reconciling", summaryMessages.waits({ cause })), no("Stalled", summaryMessages.notStalled())]
    : [
        ready,
        no("Reconciling", summaryMessages.waitsForPerson()),
        yes("Stalled", summaryMessages.stalled({ cause: stalling })),
      ];
}

type Said = Pick<PlannedCondition, "type" | "reason" | "message" | "said">;

/** Ready names the obstacle. A long remedy is in the condition that Ready repeats, so that `kubectl describe` prints it once. */
export function shortened(condition: Said): Problem {
  const { type } = condition;
  const cause = causeOf(condition);
  // No other condition has this remedy.
  if (type === "Ready") return cause;
  return shorter(cause, summaryMessages.remedyElsewhere({ causes: [cause], types: [type] }));
}

function bothOf(first: Said, second: Said): Problem {
  const causes = [causeOf(first), causeOf(second)] as const;
  const both = { causes, types: [first.type, second.type] };
  const whole = summaryMessages.twoCauses(both);
  return first.type === "Ready" ? whole : shorter(whole, summaryMessages.remedyElsewhere(both));
}

function causeOf({ reason, message, said = { reason, message } }: Said): Problem {
  return said;
}

/** A short remedy is better than a reference to it. */
const WORTH_A_REFERENCE = 60;

function shorter(whole: Problem, short: Problem): Problem {
  return whole.message.length - short.message.length < WORTH_A_REFERENCE ? whole : short;
}

function isUnobserved({ status, reason }: PlannedCondition): boolean {
  return status === "Unknown" && reason === "NotObserved";
}

function needsPerson({ reason, said }: PlannedCondition): boolean {
  if (!PASSING_REASONS.includes(reason)) return true;
  // The operator settles most lost answers by itself, and classes are often created after their RoutedIPs.
  return said !== undefined && includesEntry(said, FOR_PERSONS);
}

const FOR_PERSONS = [
  creationMessages.severalMayBeIt,
  creationMessages.sentElsewhere,
  specMessages.classNamedOtherwise,
] as const;

/**
 * Adds DNSReady and Published where the last status has them and the spec no longer asks for them: the old value is not true
 * any more.
 */
export function withUnasked(
  planned: readonly PlannedCondition[],
  seen: readonly Pick<Condition, "type">[] = [],
): readonly PlannedCondition[] {
  if (planned.length === 0) return planned;
  const has = (conditions: readonly Pick<Condition, "type">[], wanted: ConditionType) =>
    conditions.some(({ type }) => type === wanted);
  return [...planned, ...unasked().filter(({ type }) => has(seen, type) && !has(planned, type))];
}

function unasked(): readonly PlannedCondition[] {
  return [unknown("DNSReady", recordMessages.notAsked()), unknown("Published", publishingMessages.notAsked())];
}
