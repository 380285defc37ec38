/** What messages say of nodes that take no address now: they do not match, or are occupied. */

import { canonicalIp } from "cdk8s-flipop/api";
import type { ResourceRef } from "../inventory/view.js";
import { notableRefusals } from "../match/checks.js";
import type { MatchIndex } from "../match/match-index.js";
import { type NoGrace, noGraceOf, holderText as textOfHolder } from "../messages/action-reasons.js";
import { addressMessages } from "../messages/addresses.js";
import type { Problem } from "../messages/message.js";
import { type BusyNode, type BusyNodes, busyNodes, type HeldAddress } from "../messages/nodes/busy-nodes.js";
import {
  type ChosenBy,
  type MarkKeys,
  NO_NODES_KNOWN,
  refusedNodes,
  repairOfHolder,
} from "../messages/nodes/refused-nodes.js";
import type { ProviderId } from "../providers/types.js";
import { isDue } from "../reconcile/retries.js";
import { omitUndefined } from "../values.js";
import { type AddressSnapshot, isPaused } from "./address-set.js";
import { freeNodesFor, hasMachine, type WaitingNode } from "./assignments.js";
import type { Desired } from "./desired-addresses.js";
import type { ResourceMarks } from "./marks/holder-labels-and-taints.js";
import { isIn, type Regions } from "./moves/addresses-by-region.js";
import type { Placement } from "./placements.js";

/**
 * @param index absent: the nodes are not known yet
 * @param marks that the resource asks for, and that its pods may depend on
 */
export function refusalsOf(
  index: MatchIndex | undefined,
  by: ChosenBy,
  marks: ResourceMarks & Pick<MarkKeys, "electedTaint"> = {},
): Pick<AddressSnapshot, "refusals" | "refusalsIn"> {
  if (index === undefined) return { refusals: NO_NODES_KNOWN };
  return {
    refusals: refusedNodes(index.tally(), by, {
      ...keysOf(marks, index),
      ...omitUndefined({ electedTaint: marks.electedTaint }),
    }),
    refusalsIn: (region) => {
      const there = new Set([region]);
      return refusedNodes(
        index.tallyOfMeant((node) => isIn(node, there)),
        by,
      );
    },
  };
}

/** Each look costs a verdict, and the message names a few. */
const BEARERS_LOOKED_AT = 20;

function keysOf({ holderLabel, untilTaint }: ResourceMarks, index: Pick<MatchIndex, "verdict">): MarkKeys {
  const lacksPod = (node: string) => index.verdict(node)?.refusals.some(({ reason }) => reason === "NoPod") === true;
  const bearers = untilTaint?.asked === true ? untilTaint.bearers.slice(0, BEARERS_LOOKED_AT) : [];
  const nodes = bearers.filter(lacksPod);
  return {
    ...(holderLabel?.asked === true && { holderLabel: holderLabel.key }),
    ...(untilTaint !== undefined && nodes.length > 0 && { untilTaint: { key: untilTaint.key, nodes } }),
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
    gracePeriodSeconds: snapshot.set.gracePeriodSeconds,
    repair: repairOfHolder(notableRefusals(grace.refusals), nameOf(placement), by),
  });
}

/** Of a paused resource, whose address stays where it is, also after the grace. */
export function pausedOn(snapshot: AddressSnapshot, placement: Placement): Problem {
  const { stop } = snapshot.set;
  if (stop !== undefined) return addressMessages.stopped(stop);
  const holder = placement.holder && steadyHolder(snapshot, placement);
  return addressMessages.pausedOn({ ip: placement.address.ip, holder });
}

/** `node-3 (NodeNotReady, grace until 2026-01-01T10:02:11Z)`, without what changes with time: the operator writes no status that says the same. */
export function steadyHolder(snapshot: AddressSnapshot, placement: Placement): string {
  const { grace } = placement;
  const now = grace === undefined || grace.state === "matches" ? snapshot.now : grace.since;
  return holderText({ ...snapshot, now }, placement);
}

/** Of a holder that its address leaves: also why it has, or had, no grace. */
export function leftHolderText({ now, set }: AddressSnapshot, placement: Placement): string {
  const { grace, verdict } = placement;
  const periodMs = set.gracePeriodSeconds * 1000;
  const none = verdict && grace?.state === "over" ? noGraceOf(grace.refusals, periodMs) : undefined;
  return holderText({ now, set }, placement, none);
}

function holderText({ now, set }: Pick<AddressSnapshot, "now" | "set">, placement: Placement, none?: NoGrace): string {
  const { verdict, grace } = placement;
  const name = nameOf(placement);
  if (grace === undefined || grace.state === "matches") return name;
  const reasons = verdict && notableRefusals(grace.refusals).map(({ reason }) => reason);
  const over = set.gracePeriodSeconds * 1000;
  const had = grace.state === "over" && grace.why !== "unrecoverable" && over > 0;
  const ended = had ? { over } : none && { none };
  const shownGrace = grace.state === "protected" ? { until: grace.until } : ended;
  return textOfHolder({ name, reasons, age: now - grace.since, ...omitUndefined({ grace: shownGrace }) });
}

function nameOf({ verdict, holder }: Placement): string {
  return verdict?.node.name ?? `${holder}`;
}

interface NodesAsked {
  /** Addresses that a node may hold. */
  readonly limit: number;
  readonly desired: Pick<Desired, "addresses" | "missing">;
  /** Nodes of other regions are of no use. @default any */
  readonly regions?: Regions;
}

/** Nodes that match and take no address of the set now, each with what occupies it. Nodes with an address that the set asks for are not among them: these serve it. */
export function busyNodesOf(snapshot: AddressSnapshot, { limit, desired, regions = "any" }: NodesAsked): BusyNodes {
  const unwanted = new Set(desired.addresses.filter(({ wanted }) => !wanted).map(({ ip }) => ip));
  const there = snapshot.candidates.filter(hasMachine).filter((node) => isIn(node, regions));
  const busy = there.filter(({ machine }) => !holdsOwn(snapshot, unwanted, machine));
  const taken = busy.length === 0 ? undefined : snapshot.takenBefore?.(desired.missing);
  const roomOf = ({ machine }: WaitingNode) => ({ limit, unwanted, first: taken?.get(machine) });
  return busyNodes(busy.flatMap((node) => busyNode(snapshot, node, roomOf(node)) ?? []));
}

function holdsOwn(
  { inventory, ownerOf, set }: AddressSnapshot,
  unwanted: ReadonlySet<string>,
  machine: ProviderId,
): boolean {
  const held = inventory.heldBy(machine);
  return held.some(({ ip }) => ownerOf(ip)?.uid === set.metadata.uid && !unwanted.has(ip));
}

interface Room {
  readonly limit: number;
  /** Addresses that the set no longer asks for. */
  readonly unwanted: ReadonlySet<string>;
  readonly first: ResourceRef | undefined;
}

/** `undefined`: nothing is known that occupies it. */
function busyNode(
  snapshot: AddressSnapshot,
  node: WaitingNode,
  { limit, first, unwanted }: Room,
): BusyNode | undefined {
  const { name, machine } = node;
  const { inventory, memory, now } = snapshot;
  const held = inventory.heldBy(machine).map(({ ip }) => heldAddress(snapshot, ip, unwanted));
  if (held.length >= limit) return { node: name, limit, held };
  const target = inventory.reservedFor(machine) ?? creationOn(snapshot, machine);
  // The set's own address is on its way there.
  if (target?.uid === snapshot.set.metadata.uid) return undefined;
  if (target !== undefined) return { node: name, target };
  const retryAt = memory.nodeRetryAt.get(machine);
  if (retryAt !== undefined && !isDue(retryAt, now)) {
    return { node: name, retryAt, ...omitUndefined({ cause: memory.nodeProblems?.get(machine) }) };
  }
  return first === undefined ? undefined : { node: name, first };
}

function heldAddress(snapshot: AddressSnapshot, ip: string, unwanted: ReadonlySet<string>): HeldAddress {
  const owner = snapshot.ownerOf(ip);
  const isUnwanted = owner?.uid === snapshot.set.metadata.uid && unwanted.has(ip);
  const unseen = owner === undefined && snapshot.hasUnseenOwners === true;
  const refusedTo = owner === undefined ? snapshot.refusedTo?.(ip) : undefined;
  return {
    ip,
    ...omitUndefined({ owner, refusedTo }),
    ...(isUnwanted && { unwanted: true }),
    ...(unseen && { unseen }),
  };
}

/** The resource whose new address is, or may be, on the node. */
function creationOn({ otherCreations }: AddressSnapshot, machine: ProviderId): ResourceRef | undefined {
  return otherCreations.find(({ node }) => node === machine)?.resource;
}

/** Of an address that the spec lists. */
export function goneFrom({ clusterNodes = () => [] }: Pick<AddressSnapshot, "clusterNodes">, ip: string): Problem {
  for (const { name: node, addresses } of clusterNodes()) {
    const own = addresses.find((each) => canonicalIp(each.address) === ip);
    if (own !== undefined) return addressMessages.nodesOwn({ ip, node, type: own.type });
  }
  return addressMessages.notInAccount({ ips: [ip] });
}
