/** What health checks may know of a node, and what must confirm it. Pure. */

import type { CheckSettings, Fact, History, NodeState, ProcessFact, Span } from "../history.js";
import { answers, overlaps } from "../truth.js";
import { BOUNDS, SECOND_MS } from "./bounds.js";

/** After a holder answers again, the operator may take it for failed for this long. */
export function recoveryMs({ intervalSeconds, successThreshold }: CheckSettings): number {
  return Math.max(BOUNDS.answerMs, (successThreshold + 1) * intervalSeconds * SECOND_MS) + SECOND_MS;
}

/** The nodes as the health check may see them: a service that is back may count as failed for a while. */
export function probedFacts(facts: readonly Fact<NodeState>[], check: CheckSettings): readonly Fact<NodeState>[] {
  const failedUntil = new Map<string, number>();
  return facts.map((fact) => {
    const { name, by, value } = fact;
    if (value !== undefined && !answers(check, value)) failedUntil.set(name, Number.POSITIVE_INFINITY);
    else if (failedUntil.get(name) === Number.POSITIVE_INFINITY) failedUntil.set(name, by + recoveryMs(check));
    const until = failedUntil.get(name) ?? 0;
    return Number.isFinite(until) ? { ...fact, by: Math.max(by, until) } : fact;
  });
}

/** Whether the leader's probes of a node may fail although the node is well. */
export function isCutOff(history: History, node: string, { from, to }: Pick<Span, "from" | "to">): boolean {
  return overlaps(
    history.cutOff.filter(({ what }) => what === node),
    from,
    to,
  );
}

/** Since when a node must have been a candidate, so that no health check keeps it waiting any more. */
export function candidateAfterMs(history: History, node: string, { check, at }: Seen): number {
  const probes = (check.successThreshold + 1) * BOUNDS.idleIntervals * check.intervalSeconds * SECOND_MS;
  const failures = failuresOf(history, node, { check, at });
  const { first, most } = BOUNDS.dampingMs;
  const damping = failures < 2 ? 0 : Math.min(most, first * 2 ** (failures - 2));
  return probes + damping + BOUNDS.answerMs;
}

interface Seen {
  readonly check: CheckSettings;
  readonly at: number;
}

/** How often the probes of a node may have begun to fail, at most. */
function failuresOf({ nodes, cutOff }: History, node: string, { check, at }: Seen): number {
  const from = at - BOUNDS.dampingMs.window;
  const own = nodes.filter(({ name }) => name === node);
  const fails = (fact: Fact<NodeState> | undefined) => fact?.value !== undefined && !answers(check, fact.value);
  const ends = own.filter((fact, place) => fails(fact) && !fails(own[place - 1]) && fact.by >= from && fact.from <= at);
  const cuts = cutOff.filter((span) => span.what === node && span.to >= from && span.from <= at);
  return ends.length + cuts.length;
}

/** Whether there was a moment at which a second replica could answer for a suspected node. */
export function hadStandby({ processes, until }: History, from: number, to: number): boolean {
  const lives = processes.map((process) => runningSpans(process, until));
  return lives.some((own, place) =>
    own.some((life) =>
      lives
        .slice(place + 1)
        .some((others) =>
          others.some((other) => Math.max(life.from, other.from, from) <= Math.min(life.to, other.to, to)),
        ),
    ),
  );
}

type Life = Pick<Span, "from" | "to">;

/** When a process ran and was not stopped. */
export function runningSpans({ startedAt, exit, signals }: ProcessFact, until: number): readonly Life[] {
  const end = exit?.at ?? until;
  const spans: Life[] = [];
  let from: number | undefined = startedAt;
  for (const { at, signal } of signals) {
    if (signal === "SIGCONT") from ??= at;
    if (signal !== "SIGSTOP" || from === undefined) continue;
    spans.push({ from, to: at });
    from = undefined;
  }
  return from === undefined ? spans : [...spans, { from, to: end }];
}
