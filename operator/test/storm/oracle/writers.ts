/** Who may write: the holder of the Lease alone, and no later than its renew deadline. */

import type { Call, History, LeaseFact, ProcessFact, Violation } from "../history.js";
import { isWrite, overlaps, settled } from "../truth.js";
import { BOUNDS, LEASE, SECOND_MS } from "./bounds.js";

export function oneWriter(history: History): readonly Violation[] {
  const identities = new Map(history.processes.map((process) => [process.name, process]));
  return settled(history)
    .filter(isWrite)
    .flatMap((call) => {
      const problem = problemOf(history, call, identities.get(call.caller));
      return problem === undefined
        ? []
        : [{ check: "one writer", at: call.at, message: `${textOf(call)}: ${problem}` }];
    });
}

function textOf({ caller, method, path }: Call): string {
  return `${caller} sent ${method} ${path}`;
}

function problemOf(history: History, call: Call, process: ProcessFact | undefined): string | undefined {
  if (process?.identity === undefined) return "this process never named itself in the log, so it cannot hold the Lease";
  const { identity } = process;
  const seen = history.leases.filter(({ at }) => at <= call.at - BOUNDS.wireMs);
  const other = seen.at(-1);
  if (other !== undefined && other.holder !== identity && hadBefore(seen, identity)) {
    return `the Lease had gone to ${other.holder || "no process"} ${call.at - other.at} ms before`;
  }
  return lateBy(history, call, identity);
}

function hadBefore(leases: readonly LeaseFact[], identity: string): boolean {
  return leases.some(({ holder }) => holder === identity);
}

/** The renew deadline counts from the last renewal; a gap in what the storm saw of the Lease proves nothing. */
function lateBy(history: History, call: Call, identity: string): string | undefined {
  const own = history.leases.filter(({ holder, renewedAt }) => holder === identity && renewedAt <= call.at);
  const renewedAt = own.at(-1)?.renewedAt;
  const from = renewedAt ?? call.at;
  if (overlaps(history.unsure, from, call.at + SECOND_MS)) return undefined;
  if (renewedAt === undefined) return "it had never held the Lease";
  const age = call.at - renewedAt;
  if (age <= LEASE.renewDeadline * SECOND_MS + BOUNDS.wireMs) return undefined;
  return `its last renewal was ${age} ms old, with a renew deadline of ${LEASE.renewDeadline} s`;
}
