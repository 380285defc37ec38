/** When to look again though nothing happens: the earliest of all that is waited for. */

import { contestedUntil } from "../contested.js";
import type { Creation } from "./creation.js";
import type { Standing } from "./grace.js";
import type { Pairing } from "./pairs.js";
import { drainUntil } from "./reclaim.js";
import type { Snapshot } from "./snapshot.js";
import type { Supply } from "./supply.js";

export interface Waits {
  readonly standings: readonly Standing[];
  readonly supply: Supply;
  readonly pairing: Pairing;
  readonly creation: Creation;
}

/** ms since the epoch; `undefined`: only for what happens. */
export function lookAgainAt(snapshot: Snapshot, waits: Waits): number | undefined {
  const { now, inventory, dns, memory } = snapshot;
  const { standings, supply, pairing, creation } = waits;
  // An account that does not answer is asked at its own times.
  const doubt = snapshot.providerFailure === undefined ? inventory.lookAgainSeconds : undefined;
  const times = [
    ...standings.map(({ grace }) => (grace?.state === "protected" ? grace.until : undefined)),
    ...standings.map((standing) => drainUntil(snapshot, standing)),
    ...supply.later.map(({ until }) => until),
    pairing.cooling.length > 0 && pairing.coolUntil !== "unanswered" ? pairing.coolUntil : undefined,
    creation.lookAgainAt,
    doubt === undefined ? undefined : now + doubt * 1000,
    ...(supply.free.length > 0 ? memory.nodeRetryAt.values() : []),
    dns?.retryAt,
    dns?.readAgainAt,
    contestedUntil(memory.reverts.get("records"), now),
  ];
  const ahead = times.filter((time) => time !== undefined).filter((time) => time >= now);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
