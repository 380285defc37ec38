/** Which obstacles of a new resource wait before a Warning reports them: its nodes and pods may still start, and a limit may end. */

import type { Reason } from "cdk8s-flipop/api";
import type { ActionFailure } from "../addresses/call-outcomes.js";
import { START_WARNING_MS } from "../timings.js";
import type { PlannedCondition, SeenCondition } from "./conditions.js";
import type { DeferredEvent } from "./plan.js";

/** They end by themselves when the nodes and pods of the resource have started, or when the limit of calls allows the next one. */
const OF_START: ReadonlySet<Reason> = new Set([
  "NoCandidate",
  "TooFewCandidates",
  "KeptLastKnown",
  "NoneActive",
  "FirewallNotFound",
  "RateLimited",
]);

/** They wait in a new resource even after a success: calls are limited at any time. */
const OF_LIMITS: ReadonlySet<Reason> = new Set(["RateLimited"]);

interface Compared {
  readonly before: readonly SeenCondition[];
  readonly planned: readonly PlannedCondition[];
  /** Failures of actions. */
  readonly deferred: readonly DeferredEvent[];
}

export class StartWarnings {
  /** Monotonic ms until which the resource is new; `undefined` before its first status. */
  private until: number | undefined;
  /** Types of conditions that no Warning has reported yet. */
  private readonly held = new Set<string>();
  /** Types of conditions that have been True: what they are about has started, so a loss is reported at once. */
  private readonly started = new Set<string>();

  /** @param wake asks for a run after the time. */
  constructor(private readonly wake: (afterMs: number) => void) {}

  /**
   * What to compare for Warnings. A condition that was held back and lasts then looks as if it had just turned bad.
   * An action that truly failed ends the wait: then the cause is not that the nodes start.
   */
  compared({ before, planned, deferred }: Compared, monotonic: number): Compared {
    if (!deferred.every(isWait)) this.until = Number.NEGATIVE_INFINITY;
    this.until ??= before.length === 0 ? monotonic + START_WARNING_MS : Number.NEGATIVE_INFINITY;
    for (const { type, status } of before) if (status === "True") this.started.add(type);
    const ofStart = planned.filter((condition) => this.isOfStart(condition));
    if (monotonic < this.until) return this.withheld({ before, planned }, ofStart, this.until - monotonic);
    const late = ofStart.filter(({ type }) => this.held.has(type));
    this.held.clear();
    const rest = before.filter(({ type }) => !late.some((condition) => condition.type === type));
    return { before: rest, planned, deferred };
  }

  private isOfStart({ type, reason }: PlannedCondition): boolean {
    return OF_START.has(reason) && (OF_LIMITS.has(reason) || !this.started.has(type));
  }

  private withheld(
    { before, planned }: Pick<Compared, "before" | "planned">,
    ofStart: readonly PlannedCondition[],
    leftMs: number,
  ): Compared {
    this.held.clear();
    for (const { type } of ofStart) this.held.add(type);
    if (ofStart.length > 0) this.wake(leftMs);
    return { before, planned: planned.filter(({ type }) => !this.held.has(type)), deferred: [] };
  }
}

/** The operator waited for a limit of calls, or for its Lease: nothing refused the action. */
function isWait({ failure }: DeferredEvent): boolean {
  return failure !== undefined && (failure.kind === "RateLimited" || wasNotSent(failure));
}

function wasNotSent({ detail, mayBeAccepted }: ActionFailure): boolean {
  return mayBeAccepted !== true && (detail === "DeadlineExceeded" || detail === "LeaseEnding");
}
