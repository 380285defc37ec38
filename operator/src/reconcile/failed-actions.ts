/** Actions that failed when they were tried last, and the conditions that go on saying so while they are tried again. */

import type { Reason } from "cdk8s-flipop/api";
import { failureOf } from "../addresses/call-outcomes.js";
import { CLOUD_CALL_SECONDS, SECOND_MS } from "../timings.js";
import type { PlannedCondition } from "./conditions.js";
import type { ActionSequence, Plan, SequenceResult } from "./plan.js";

interface Failed {
  /** Of its sequence. */
  readonly lockKey: string;
  readonly reason: Reason;
  /** ms since the epoch: since then its sequence runs again. Absent: it waits. */
  readonly againSince?: number;
}

interface Decided {
  /** Of the spec. */
  readonly generation: number | undefined;
  readonly conditions: readonly PlannedCondition[];
}

/** Of one resource. */
export class FailedActions {
  private readonly failed = new Map<string, Failed>();
  private last: Decided | undefined;

  /** @param now ms since the epoch. */
  begun({ lockKey }: ActionSequence, now: number): void {
    this.each(lockKey, (failed) => ({ ...failed, againSince: now }));
  }

  ended({ sequence: { lockKey }, results }: SequenceResult): void {
    this.each(lockKey, ({ reason }) => ({ lockKey, reason }));
    for (const { action, outcome } of results) {
      const key = `${action.do} ${lockKey}`;
      const failure = failureOf(outcome);
      if (failure !== undefined) this.failed.set(key, { lockKey, reason: failure.problem.reason });
      else if (outcome.is !== "skipped") this.failed.delete(key);
    }
  }

  /**
   * While an action that has failed is tried again, or is about to be, nothing shows that it will end better. A condition that
   * says how it failed stays until then: it does not turn with each try of a slow API.
   * @param now ms since the epoch.
   */
  shownIn(
    { conditions, sequences }: Pick<Plan, "conditions" | "sequences">,
    generation: number | undefined,
    now: number,
  ) {
    const before = this.last?.generation === generation ? (this.last?.conditions ?? []) : [];
    const reasons = this.reasons(new Set(sequences.map(({ lockKey }) => lockKey)), now);
    const shown = conditions.map((condition) => {
      const failed = before.find(({ type }) => type === condition.type);
      return failed?.status === "False" && reasons.has(failed.reason) && isOpen(condition) ? failed : condition;
    });
    this.last = { generation, conditions: shown };
    return shown;
  }

  /** Of a try that outlasts a call with all its attempts, the plan says what it waits for. */
  private reasons(planned: ReadonlySet<string>, now: number): ReadonlySet<Reason> {
    const isShown = ({ lockKey, againSince }: Failed) =>
      againSince === undefined ? planned.has(lockKey) : now - againSince < CLOUD_CALL_SECONDS * SECOND_MS;
    return new Set([...this.failed.values()].filter(isShown).map(({ reason }) => reason));
  }

  private each(lockKey: string, change: (failed: Failed) => Failed): void {
    for (const [key, failed] of this.failed) if (failed.lockKey === lockKey) this.failed.set(key, change(failed));
  }
}

/**
 * Accepted knows of no action that is under way. Other conditions are True only where their subject is seen to be in order.
 * That a call waits for a limit is news.
 */
function isOpen({ type, status, reason }: PlannedCondition): boolean {
  if (reason === "UnderWay") return true;
  return (status === "Unknown" && reason !== "RateLimited") || (type === "Accepted" && status === "True");
}
