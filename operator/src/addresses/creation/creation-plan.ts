/** Creates what is missing, one address at a time, and never twice. */

import { Annotation, canonicalIp, type PendingCreation } from "cdk8s-flipop/api";
import { timestamp } from "../../clock.js";
import { WHYS } from "../../messages/action-reasons.js";
import { refText } from "../../messages/claims.js";
import { creationMessages, missingText } from "../../messages/creation.js";
import type { Problem } from "../../messages/message.js";
import type { CoolOffEnd } from "../../messages/nodes/candidates.js";
import { SEEN_KEPT } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import type { Action, ActionChain } from "../actions.js";
import { type AddressSet, type AddressSnapshot, refOf } from "../address-set.js";
import type { AssignmentPlan, WaitingNode } from "../assignments.js";
import type { Desired } from "../desired-addresses.js";
import { isInSetRegion, regionOf } from "../moves/addresses-by-region.js";
import { coolOffOf } from "../safeguards.js";
import { busyNodesOf } from "../unavailable-nodes.js";
import { type CreationRecovery, settle } from "./creation-recovery.js";
import type { CreationResult } from "./creation-result.js";
import { blockage, heldUp, holdUpOf, regionsText, withHolders } from "./obstacles.js";

export interface Creation {
  readonly chain: ActionChain;
  /** Why nothing is created though something is missing, or an open creation stays open. */
  readonly problem?: Problem;
  readonly requeueAt?: number;
  /** The node of an address that is created on it. */
  readonly node?: WaitingNode;
}

/** @param armed the finalizer is there, or not needed. */
export function creationOf(
  snapshot: AddressSnapshot,
  desired: Desired,
  assignmentPlan: AssignmentPlan,
  armed: boolean,
): Creation {
  if (snapshot.creating === true) return RUNNING;
  const settled = creationRecoveryOf(snapshot);
  if (settled !== undefined) return settled;
  if (desired.missing === 0) return NOTHING;
  const obstacle = blockage(snapshot, desired);
  if (obstacle !== undefined) return withHolders(snapshot, obstacle);
  if (!armed) return NOTHING;
  return create(snapshot, desired, assignmentPlan);
}

/** The end of an open creation, or of one that no status shows yet; `undefined`: there is neither. */
export function creationRecoveryOf(snapshot: AddressSnapshot): Creation | undefined {
  const { pendingCreation: intent, metadata } = snapshot.set;
  const { creationResult } = snapshot.memory;
  if (creationResult !== undefined)
    return { chain: [recording(creationResult)], problem: creationMessages.notRecorded() };
  const forget = metadata.annotations?.[Annotation.forgetCreation] !== undefined;
  if (forget) return { chain: intent === undefined ? [SERVED] : [ended(intent, WHYS.forgetRequested), SERVED] };
  return intent === undefined ? undefined : recoveredBy(snapshot, intent, settle(snapshot, intent));
}

const SERVED: Action = {
  do: "clear-forget-creation",
  why: "it has been served; left there, it would hit the next creation",
};

function recoveredBy(snapshot: AddressSnapshot, intent: PendingCreation, end: CreationRecovery): Creation {
  switch (end.is) {
    case "ours":
      return { chain: [ended(intent, end.why, end.ip)] };
    case "listed":
      return { chain: [ended(intent, WHYS.nowListed(end.ip))] };
    case "nothing":
      return { chain: [ended(intent, WHYS.nothingCreated)] };
    case "stray":
      return { chain: [{ ...ended(intent, WHYS.strayLeft(end.ip)), stray: end.ip }] };
    case "several": {
      const { ips, why: doubt, until } = end;
      return heldUp(creationMessages.severalMayBeIt({ ...lostOf(snapshot, intent), ips, doubt, until }), until);
    }
    case "elsewhere": {
      const { provider, family } = intent;
      return heldUp(creationMessages.sentElsewhere({ ...lostOf(snapshot, intent), provider, family }));
    }
    case "wait":
      return heldUp(creationMessages.answerLost(lostOf(snapshot, intent)), end.until);
  }
}

function lostOf({ set }: AddressSnapshot, { startedAt }: PendingCreation) {
  return { startedAt, resource: { ...refOf(set), deleting: set.metadata.deletionTimestamp !== undefined } };
}

function recording(result: CreationResult): Action {
  return { do: "record-creation", result, why: "the API server did not take it when it was known" };
}

/** The condition of a creation whose answer was lost. `undefined`: there is none, or its end is known. */
export function unsettledOf(snapshot: AddressSnapshot): Problem | undefined {
  if (snapshot.creating === true || snapshot.set.pendingCreation === undefined) return undefined;
  return creationRecoveryOf(snapshot)?.problem;
}

const NOTHING: Creation = { chain: [] };

/** An address that was found, and not answered, is ours to use and not to release. */
function ended(
  { startedAt }: PendingCreation,
  why: string,
  ip?: string,
): Extract<Action, { readonly do: "settle-creation" }> {
  const status = { state: "unassigned" } as const;
  const created = ip === undefined ? {} : { created: { ip, createdTime: startedAt, status, inferred: true as const } };
  return { do: "settle-creation", result: { startedAt, ...created }, why };
}

/** How many of the missing addresses look for a node. Those that can't be created now leave the nodes to others. */
export function creatable(snapshot: AddressSnapshot, desired: Desired): number {
  return desired.missing === 0 || blockage(snapshot, desired) !== undefined ? 0 : desired.missing;
}

function create(snapshot: AddressSnapshot, desired: Desired, assignmentPlan: AssignmentPlan): Creation {
  const { capabilities, set } = snapshot;
  const { node, region } = placeOf(snapshot, desired, assignmentPlan);
  const turn = holdUpOf(snapshot, desired, node?.machine);
  if (turn !== undefined) return turn;
  if (node !== undefined) return createOnNode(snapshot, { desired, node }, assignmentPlan.coolUntil);
  if (region === "" && capabilities?.regional === true) return heldUp(withoutRegion(snapshot, desired));
  const why = whyOf(set, desired);
  const intent = intentOf(snapshot, desired.family, { region });
  return {
    chain: [
      { do: "record-intent", intent, why },
      { do: "create-address", desired: { family: desired.family, region }, startedAt: intent.startedAt, why },
    ],
  };
}

/** On a node if possible, else in the region of the set. */
function placeOf(
  snapshot: AddressSnapshot,
  { family }: Desired,
  { leftover }: AssignmentPlan,
): { readonly node?: WaitingNode; readonly region: string } {
  const { capabilities, set } = snapshot;
  const region = set.region ?? "";
  const node = leftover.find((one) => isInSetRegion(snapshot, one));
  if (node === undefined || capabilities?.createsOnNode.includes(family) !== true) return { region };
  const instead = region || regionOf(node);
  return isRefusedByQuota(snapshot) && instead !== "" ? { region: instead } : { node, region };
}

/** Such a RoutedIP opens no firewall on a node for an address that is probably refused again: it creates one without a node. */
function isRefusedByQuota({ memory, set }: AddressSnapshot): boolean {
  return set.kind === "RoutedIP" && memory.creationFailure?.reason === "QuotaExceeded";
}

function withoutRegion(snapshot: AddressSnapshot, desired: Desired): Problem {
  const { family } = desired;
  const { capabilities, candidates, refusals, set } = snapshot;
  const { provider } = set;
  const regionOf = regionOwner(set);
  if (capabilities?.createsOnNode.includes(family) === true) {
    const busy = busyNodesOf(snapshot, { limit: capabilities.addressesPerNode, desired });
    return creationMessages.noRegion({ busy, refusals });
  }
  return creationMessages.onlyInRegion({ provider, family, regionOf, regions: regionsText(candidates) });
}

/** The resource with the field `region`, for messages. */
function regionOwner(set: AddressSet): string {
  return set.kind === "RoutedIP" ? "its issuer" : refText(refOf(set));
}

function countsOf({ desiredCount, missing }: Desired) {
  return { desired: desiredCount, missing };
}

/** A RoutedIP has one address, and no field that counts them. */
function whyOf({ kind }: AddressSet, desired: Desired): string {
  return kind === "RoutedIP" ? WHYS.noAddressNamed : missingText(countsOf(desired));
}

interface OnNode {
  readonly desired: Desired;
  readonly node: WaitingNode;
}

/** An assignment, too. During the cool-off it waits: an idle address costs money and serves no traffic. */
function createOnNode(
  snapshot: AddressSnapshot,
  { desired, node }: OnNode,
  coolUntil: CoolOffEnd | undefined,
): Creation {
  const cools = coolOffOf(snapshot) > 0;
  if (cools && coolUntil !== undefined) {
    const problem = creationMessages.coolingOff({ ...countsOf(desired), until: coolUntil });
    return heldUp(problem, coolUntil === "unanswered" ? undefined : coolUntil);
  }
  const { family } = desired;
  const why = whyOf(snapshot.set, desired);
  const intent = intentOf(snapshot, family, { node, region: regionOf(node) || snapshot.set.region });
  const { startedAt } = intent;
  const record: Action = { do: "record-intent", intent, why };
  const create: Action = { do: "create-address", desired: { family, node: node.machine }, startedAt, why };
  return { chain: [record, ...(cools ? [assignmentRecord(snapshot, why)] : []), create], node };
}

/** The cool-off counts from before the call: a crash right after it must not shorten it. */
export function assignmentRecord({ set, now }: AddressSnapshot, why: string): Action {
  const formerly = set.lastAssignmentTime;
  return { do: "record-assignment", at: timestamp(now), ...(formerly === undefined ? {} : { formerly }), why };
}

function intentOf(
  { set, now, inventory }: AddressSnapshot,
  family: PendingCreation["family"],
  { node, region }: { readonly node?: WaitingNode; readonly region: string | undefined },
): PendingCreation {
  const isHeld = ({ holder }: { readonly holder?: string }) => Number(holder !== undefined);
  // Held ones, too, while there is room: one that loses its node later is no newcomer either.
  const known = [...inventory.addresses.values()].sort((a, b) => isHeld(a) - isHeld(b) || (a.ip < b.ip ? -1 : 1));
  const { provider } = set;
  const place = node === undefined ? {} : onNode(node, inventory.heldCount(node.machine) > 0);
  return {
    startedAt: timestamp(now),
    provider,
    ...omitUndefined({ region: region || undefined, project: projectOf(set, inventory) }),
    family,
    ...place,
    unassignedSeen: known.slice(0, SEEN_KEPT).map(({ ip }) => ip),
  };
}

/** Where all that this resource created itself is filed; `undefined`: nowhere, or in several places. */
function projectOf({ createdIPs }: AddressSet, inventory: AddressSnapshot["inventory"]): string | undefined {
  const own = createdIPs.filter(({ inferred }) => inferred !== true);
  const projects = new Set(own.flatMap(({ ip }) => inventory.get(canonicalIp(ip))?.project ?? []));
  const [project] = projects;
  return projects.size === 1 ? project : undefined;
}

function onNode({ machine }: WaitingNode, dropletHadAddress: boolean) {
  return { providerID: machine, dropletHadAddress };
}

const RUNNING: Creation = { chain: [], problem: creationMessages.running() };
