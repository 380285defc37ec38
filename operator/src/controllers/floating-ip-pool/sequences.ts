/** The chains of moves, and all chains of a plan as sequences for the engine: when each may start, and what fails alone. Pure. */

import {
  type ActionChain,
  type ConfirmAddress,
  lockKeyOf,
  movedAddress,
  type PlannedAction,
} from "../../addresses/actions.js";
import { type Choice, moveText } from "../../addresses/address-status.js";
import { type Assignment, type Displacement, moveAction } from "../../addresses/assignments.js";
import { assignmentRecord } from "../../addresses/creation/creation-plan.js";
import type { Desired } from "../../addresses/desired-addresses.js";
import { retryKeyOf, stepsByName } from "../../addresses/dns-records.js";
import { stepsByEntry } from "../../addresses/release.js";
import { coolOffOf } from "../../addresses/safeguards.js";
import { WHYS } from "../../messages/action-reasons.js";
import type { ActionSequence } from "../../reconcile/plan.js";
import { MOVE_MAX_AGE_SECONDS } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import type { Snapshot } from "./snapshot.js";

interface MoveContext {
  readonly desired: Desired;
  readonly choice: Choice;
}

export function moveChain(snapshot: Snapshot, pair: Assignment, { desired, choice }: MoveContext): ActionChain {
  const why = moveText(snapshot, pair, choice);
  const move = moveAction(snapshot, pair, why);
  if (move.do === "unassign") return [move];
  const { ip, node } = move;
  const cooling = coolOffOf(snapshot) > 0 ? [assignmentRecord(snapshot, why)] : [];
  return [...cooling, move, { do: "annotate-node", node: node.name, ip, family: desired.family, why }];
}

/** The other address follows in a plan of its own, once the node is free. */
export function displacementChain(
  snapshot: Snapshot,
  { displaced: { address, holder: from = "" }, placement, node }: Displacement,
): ActionChain {
  const { ip } = placement.address;
  const why = WHYS.displaced({ ip, node: node.name, pool: snapshot.pool.metadata.name });
  return [{ do: "unassign", ip: address.ip, from, roomFor: ip, why }];
}

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
