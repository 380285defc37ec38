/** Which addresses one object should show: those of the oldest resource that names it, and none without one. Pure. */

import { undonePauseUntil } from "../../addresses/undone-writes.js";
import type { Problem } from "../../messages/message.js";
import { publishingMessages } from "../../messages/services.js";
import type { PublishingResource } from "../../publishing/publications.js";
import { shownAddresses } from "../../publishing/published.js";
import { type Action as EngineAction, type Plan as EnginePlan, inOrder } from "../../reconcile/plan.js";

export interface Snapshot {
  /** `Service web/shop` */
  readonly target: string;
  readonly uid: string;
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  /** Addresses in its status, sorted. */
  readonly shown: readonly string[];
  /** The oldest first. */
  readonly resources: readonly PublishingResource[];
  /** When somebody else changed what the operator had written, ms since the epoch. */
  readonly undone: readonly number[];
}

export interface Action extends EngineAction {
  readonly do: "publish";
  readonly uid: string;
  readonly ips: readonly string[];
}

export interface Plan extends EnginePlan<Action> {
  /** What keeps the operator from writing. */
  readonly problem?: Problem;
}

export function plan(snapshot: Snapshot): Plan {
  const { target, uid, shown, now, undone } = snapshot;
  const ips = desiredOf(snapshot);
  if (ips === undefined || ips.join() === shown.join()) return NOTHING;
  const until = undonePauseUntil(undone, now);
  if (until !== undefined) return { ...NOTHING, requeueAt: until, problem: publishingMessages.undone({ target }) };
  const [owner] = snapshot.resources;
  const why = owner === undefined ? "no resource publishes there" : `${owner.ref.kind} ${owner.ref.name} names it`;
  const explanation = `${target} shows ${ips.length === 0 ? "no address" : ips.join(", ")}: ${why}`;
  return { ...NOTHING, sequences: inOrder("addresses", [{ do: "publish", uid, ips, why }]), explanation };
}

/** `undefined`: it stays as it is. */
function desiredOf({ resources: [owner], shown }: Snapshot): readonly string[] | undefined {
  if (owner === undefined) return [];
  return owner.addresses && shownAddresses(owner.addresses, shown);
}

const NOTHING: Plan = { sequences: [], conditions: [], explanation: "" };
