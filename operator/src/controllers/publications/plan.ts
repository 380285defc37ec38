/** Which addresses one object should show: those of the oldest resource that names it, and none without one. Pure. */

import { undonePauseUntil } from "../../addresses/undone-writes.js";
import type { Problem } from "../../messages/message.js";
import { publishingMessages } from "../../messages/publishing.js";
import type { PublishingResource } from "../../publishing/publications.js";
import { shownAddresses } from "../../publishing/published-addresses.js";
import { type Action as EngineAction, type Plan as EnginePlan, inOrder } from "../../reconcile/plan.js";
import { CONTESTED_PAUSE_MS } from "../../timings.js";
import { listed, omitUndefined } from "../../values.js";
import type { Conflict } from "./memory.js";

export interface Snapshot {
  /** `Service web/shop` */
  readonly target: string;
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  /** Addresses in its status that count as the operator's, sorted. */
  readonly shown: readonly string[];
  /** How many addresses it can show. */
  readonly most: number;
  /** The oldest first. */
  readonly resources: readonly PublishingResource[];
  /** When somebody else changed what the operator had written, ms since the epoch. */
  readonly undone: readonly number[];
  /** Whether resources may show addresses there. */
  readonly allowed: boolean;
  /** Another writer owns its addresses. */
  readonly conflict?: Conflict;
  /** Until then, `shown` is what the operator has written, whatever the cache shows; ms since the epoch. Absent: the cache shows it. */
  readonly unseenUntil?: number;
}

export interface Action extends EngineAction {
  readonly do: "publish";
  readonly ips: readonly string[];
}

export interface Plan extends EnginePlan<Action> {
  /** What keeps the operator from writing. */
  readonly problem?: Problem;
}

export function plan(snapshot: Snapshot): Plan {
  const { target, shown, unseenUntil } = snapshot;
  const ips = desiredOf(snapshot);
  // Somebody may have replaced the addresses before the cache could show them: no event follows.
  if (ips === undefined || ips.join() === shown.join())
    return { ...NOTHING, ...omitUndefined({ requeueAt: unseenUntil }) };
  const pause = pauseOf(snapshot);
  if (pause !== undefined) return { ...NOTHING, ...pause };
  const why = reasonOf(snapshot);
  const explanation = `${target} shows ${ips.length === 0 ? "no address" : listed(ips)}: ${why}`;
  return { ...NOTHING, sequences: inOrder("addresses", [{ do: "publish", ips, why }]), explanation };
}

/** Another writer stands in the way: the operator tries again now and then. */
function pauseOf({ target, now, undone, conflict }: Snapshot): Pick<Plan, "requeueAt" | "problem"> | undefined {
  const until = undonePauseUntil(undone, now);
  if (until !== undefined) return { requeueAt: until, problem: publishingMessages.undone({ target }) };
  // A conflict further ahead is of a clock that was set back since.
  if (conflict === undefined || conflict.at > now || now >= conflict.at + CONTESTED_PAUSE_MS) return undefined;
  return { requeueAt: conflict.at + CONTESTED_PAUSE_MS, problem: conflict.problem };
}

function reasonOf({ resources: [owner], allowed }: Snapshot): string {
  if (!allowed) return "it does not allow addresses any more";
  return owner === undefined ? "no resource publishes there" : `${owner.ref.kind} ${owner.ref.name} names it`;
}

/** `undefined`: it stays as it is. */
function desiredOf({ resources: [owner], allowed, ...object }: Snapshot): readonly string[] | undefined {
  if (owner === undefined || !allowed) return [];
  return owner.addresses && shownAddresses(owner.addresses, object);
}

const NOTHING: Plan = { sequences: [], conditions: [], explanation: "" };
