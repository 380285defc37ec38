/**
 * Which holders keep their address though another node waits: those that may recover, for a while. Pure: the clock's
 * time comes in, and what must survive a restart (`since`, `over`) goes to the status and comes back from there.
 */

import { type Refusal, refusal, type Verdict } from "./checks.js";

/** What the status remembers of a holder. */
export interface GraceMemory {
  /** When it was first seen not to match, ms since the epoch; from `graceSince`. Absent: it matched. */
  readonly since?: number;
  /** Its grace has ended (`no-match`): only a return begins another one. */
  readonly over?: boolean;
}

export interface GraceInput {
  /** `undefined`: no node of this cluster stands for the machine. */
  readonly verdict: Verdict | undefined;
  readonly memory: GraceMemory;
  /** `gracePeriodSeconds`, as ms. */
  readonly periodMs: number;
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  /**
   * When this process began to lead, ms since the epoch: another process recorded the earlier entries of `memory`,
   * and perhaps no process has watched since. @default the memory is of this process
   */
  readonly leadsSince?: number;
}

/**
 * `matches`: nothing to protect from; forget `since`. `protected`: it keeps its address until `until`, look again then.
 * `over`: another node may have its address; `refusals` say why, and `why` whether its time ran out or never began.
 */
export type Grace =
  | { readonly state: "matches" }
  | {
      readonly state: "protected";
      readonly since: number;
      readonly until: number;
      readonly refusals: readonly Refusal[];
    }
  | {
      readonly state: "over";
      readonly since: number;
      readonly why: "expired" | "unrecoverable" | "earlier";
      readonly refusals: readonly Refusal[];
    };

export function graceOf(input: GraceInput): Grace {
  const { verdict, periodMs, now } = input;
  const refusals = verdict?.refusals ?? GONE;
  if (refusals.length === 0) return { state: "matches" };
  const memory = ofThisFailure(input, refusals);
  // A time in the future is a clock that was set back: counting from now keeps the wait bounded by one period.
  const since = Math.min(memory.since ?? now, now);
  const until = since + periodMs;
  if (!refusals.every(({ recoverable }) => recoverable))
    return { state: "over", since, why: "unrecoverable", refusals };
  if (memory.over) return { state: "over", since, why: "earlier", refusals };
  if (now >= until) return { state: "over", since, why: "expired", refusals };
  return { state: "protected", since, until, refusals };
}

/**
 * The memory as far as it is of the failure that lasts now. A holder whose every refusal came about after the recorded
 * one was well in between, while no process watched: that failure must not shorten the grace of this one.
 */
function ofThisFailure({ memory, now, leadsSince }: GraceInput, refusals: readonly Refusal[]): GraceMemory {
  const { since } = memory;
  if (since === undefined || leadsSince === undefined || since >= leadsSince) return memory;
  const begun = Math.min(...refusals.map((refusal) => refusal.since ?? Number.POSITIVE_INFINITY));
  return begun > since && begun <= now ? { since: begun } : memory;
}

const GONE: readonly Refusal[] = [refusal("NodeGone", "no node of this cluster is the machine that holds the address")];
