/** What messages say of nodes that do not match: of those that hold an address, and of those that could take one. */

import { notableRefusals } from "../match/checks.js";
import type { MatchIndex } from "../match/match-index.js";
import { addressMessages } from "../messages/addresses.js";
import { holderText as textOfHolder } from "../messages/explanations.js";
import type { Problem } from "../messages/message.js";
import { type ChosenBy, NO_NODES_KNOWN, refusedNodes, repairOfHolder } from "../messages/refused-nodes.js";
import { omitUndefined } from "../values.js";
import { type AddressSnapshot, isPaused } from "./address-set.js";
import { freeNodesFor, isIn } from "./assignments.js";
import type { Placement } from "./observed.js";

/** @param index absent: the nodes are not known yet */
export function refusalsOf(
  index: MatchIndex | undefined,
  by: ChosenBy,
): Pick<AddressSnapshot, "refusals" | "refusalsIn"> {
  if (index === undefined) return { refusals: NO_NODES_KNOWN };
  return {
    refusals: refusedNodes(index.tally(), by),
    refusalsIn: (region) => {
      const there = new Set([region]);
      return refusedNodes(
        index.tallyOfMeant((node) => isIn(node, there)),
        by,
      );
    },
  };
}

/** `undefined`: the holder matches, or its grace is over. */
export function graceProblem(snapshot: AddressSnapshot, placement: Placement, by: ChosenBy): Problem | undefined {
  const { grace, address } = placement;
  if (grace?.state !== "protected") return undefined;
  if (isPaused(snapshot.set)) return pausedOn(snapshot, placement);
  return addressMessages.staysInGrace({
    ip: address.ip,
    node: steadyHolder(snapshot, placement),
    free: freeNodesFor(snapshot, placement).map(({ name }) => name),
    repair: repairOfHolder(notableRefusals(grace.refusals), nameOf(placement), by),
  });
}

/** Of a paused resource, whose address stays where it is, also after the grace. */
export function pausedOn(snapshot: AddressSnapshot, placement: Placement): Problem {
  const holder = placement.holder && steadyHolder(snapshot, placement);
  return addressMessages.pausedOn({ ip: placement.address.ip, holder });
}

/** `node-3 (NodeNotReady, grace until 2026-01-01T10:02:11Z)`, without what changes with time: the operator writes no status that says the same. */
export function steadyHolder(snapshot: AddressSnapshot, placement: Placement): string {
  const { grace } = placement;
  const now = grace === undefined || grace.state === "matches" ? snapshot.now : grace.since;
  return holderText({ ...snapshot, now }, placement);
}

export function holderText({ now, set }: AddressSnapshot, placement: Placement): string {
  const { verdict, grace } = placement;
  const name = nameOf(placement);
  if (grace === undefined || grace.state === "matches") return name;
  const reasons = verdict && notableRefusals(grace.refusals).map(({ reason }) => reason);
  const over = set.gracePeriodSeconds * 1000;
  const had = grace.state === "over" && grace.why !== "unrecoverable" && over > 0;
  const shownGrace = grace.state === "protected" ? { until: grace.until } : had ? { over } : undefined;
  return textOfHolder({ name, reasons, age: now - grace.since, ...omitUndefined({ grace: shownGrace }) });
}

function nameOf({ verdict, holder }: Placement): string {
  return verdict?.node.name ?? `${holder}`;
}
