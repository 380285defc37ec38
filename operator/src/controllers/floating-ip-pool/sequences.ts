/** The chains of a plan as sequences for the engine: when each may start, and what fails alone. Pure. */

import {
  type ActionChain,
  type ConfirmAddress,
  lockKeyOf,
  movedAddress,
  type PlannedAction,
} from "../../addresses/actions.js";
import { retryKeyOf, stepsByName } from "../../addresses/dns-records.js";
import { stepsByEntry } from "../../addresses/release.js";
import type { ActionSequence } from "../../reconcile/plan.js";
import { MOVE_MAX_AGE_SECONDS } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import type { Snapshot } from "./snapshot.js";

/** An action of a chain runs only when the one before is done. */
export function sequenceOf(snapshot: Snapshot, chain: ActionChain): ActionSequence<PlannedAction> {
  const [first] = chain;
  const notBefore = first?.do === "poll" ? snapshot.memory.pollAt?.get(first.ip) : undefined;
  const confirmFirst = confirmation(snapshot, chain);
  const lockKey = lockKeyOf(chain);
  const steps = stepsByEntry(chain) ?? stepsByName(chain, retryKeyOf(snapshot.set, lockKey));
  return { lockKey, steps, ...omitUndefined({ notBefore, confirmFirst }) };
}

/** An address moves only on fresh data. */
function confirmation({ inventory }: Snapshot, chain: ActionChain): ConfirmAddress | undefined {
  const ip = movedAddress(chain);
  const facts = ip === undefined ? undefined : inventory.get(ip);
  if (facts === undefined || facts.ageSeconds <= MOVE_MAX_AGE_SECONDS) return undefined;
  return { do: "confirm-address", ip: facts.ip, why: "it is about to move" };
}
