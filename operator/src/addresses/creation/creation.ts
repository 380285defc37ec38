/** Step 7: creating what is missing, one address at a time, and never twice. */

import { Annotation, canonicalIp, type PendingCreation } from "cdk8s-flipop/api";
import { SEEN_KEPT } from "../../bounds.js";
import { refText } from "../../claims/claimant.js";
import { omitUndefined } from "../../omit-undefined.js";
import type { ProviderId } from "../../providers/types.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import { isDue } from "../../reconcile/retries/retry-schedule.js";
import { clockTime, timestamp } from "../../times.js";
import type { Action, ActionSequence } from "../actions.js";
import type { AddressSet, AddressSnapshot } from "../address-set.js";
import { type AssignmentPlan, coolOffOf, coolOffText } from "../assignments.js";
import type { Desired } from "../desired.js";
import { accountUntil } from "../movable-addresses.js";
import { regionOf, type WaitingNode } from "../waiting-nodes.js";
import { type CreationRecovery, settle } from "./creation-recovery.js";
import { heldUpUntil } from "./creation-registry.js";
import type { CreationResult } from "./creation-result.js";

export interface Creation {
  readonly sequence: ActionSequence;
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
  if (obstacle !== undefined) return obstacle;
  if (!armed) return NOTHING;
  return create(snapshot, desired, assignmentPlan);
}

/** The end of an open creation, or of one that no status shows yet; `undefined`: there is neither. */
export function creationRecoveryOf(snapshot: AddressSnapshot): Creation | undefined {
  const { pendingCreation: intent, metadata } = snapshot.set;
  const { creationResult } = snapshot.memory;
  if (creationResult !== undefined) return { sequence: [recording(creationResult)], problem: RECORDING };
  const forget = metadata.annotations?.[Annotation.forgetCreation] !== undefined;
  if (forget)
    return { sequence: intent === undefined ? [SERVED] : [ended(intent, "a person said to forget it"), SERVED] };
  return intent === undefined ? undefined : recoveredBy(snapshot, intent, settle(snapshot, intent));
}

const SERVED: Action = {
  do: "clear-forget-creation",
  why: "it has been served; left there, it would hit the next creation",
};

function recoveredBy(snapshot: AddressSnapshot, intent: PendingCreation, end: CreationRecovery): Creation {
  switch (end.is) {
    case "ours":
      return { sequence: [ended(intent, end.why, end.ip)] };
    case "listed":
      return { sequence: [ended(intent, `spec.ips now lists ${end.ip}, which is the address`)] };
    case "nothing":
      return { sequence: [ended(intent, "no address came of it")] };
    case "several":
      return { sequence: [], problem: { reason: "CreationUnsettled", message: severalText(snapshot, intent, end) } };
    case "elsewhere":
      return { sequence: [], problem: { reason: "CreationUnsettled", message: elsewhereText(snapshot, intent) } };
    case "wait":
      return {
        sequence: [],
        problem: { reason: "CreationUnsettled", message: waitText(snapshot, intent) },
        requeueAt: end.until,
      };
  }
}

function recording(result: CreationResult): Action {
  return { do: "record-creation", result, why: "the API server did not take it when it was known" };
}

/** The condition of a creation whose answer was lost. `undefined`: there is none, or its end is known. */
export function unsettledOf(snapshot: AddressSnapshot): Problem | undefined {
  if (snapshot.creating === true || snapshot.set.pendingCreation === undefined) return undefined;
  return creationRecoveryOf(snapshot)?.problem;
}

const NOTHING: Creation = { sequence: [] };

/** An address that was found, and not answered, is ours to use and not to release. */
function ended({ startedAt }: PendingCreation, why: string, ip?: string): Action {
  const status = { state: "unassigned" } as const;
  const created = ip === undefined ? {} : { created: { ip, createdTime: startedAt, status, inferred: true as const } };
  return { do: "settle-creation", result: { startedAt, ...created }, why };
}

/** How many of the missing addresses look for a node. Those that can't be created now leave the nodes to others. */
export function creatable(snapshot: AddressSnapshot, desired: Desired): number {
  return desired.missing === 0 || blockage(snapshot, desired) !== undefined ? 0 : desired.missing;
}

/** What does not pass as soon as others are done. */
function blockage(snapshot: AddressSnapshot, desired: Desired): Creation | undefined {
  const { crdTooOld, memory, now, providerFailure } = snapshot;
  if (crdTooOld) return { sequence: [], problem: { reason: "CRDTooOld", message: CRD_TEXT } };
  const unable = inability(snapshot, desired);
  if (unable !== undefined) return { sequence: [], problem: unable };
  const until = accountUntil(snapshot);
  if (providerFailure !== undefined && until !== undefined) {
    return { sequence: [], problem: providerFailure, requeueAt: until };
  }
  const failure = memory.creationFailure;
  if (failure === undefined || isDue(failure.retryAt, now)) return undefined;
  return { sequence: [], problem: failure, requeueAt: failure.retryAt };
}

function inability({ capabilities, set }: AddressSnapshot, { family }: Desired): Problem | undefined {
  if (capabilities === undefined)
    return {
      reason: "UnknownProvider",
      message: `provider "${set.provider}" is not set up: correct it, or give the operator its token`,
    };
  if (capabilities.families.includes(family)) return undefined;
  return {
    reason: "Unsupported",
    message: `provider "${set.provider}" has no ${family} addresses; use another provider`,
  };
}

/** Another resource's creation could be mistaken for this one. */
function holdUpOf(snapshot: AddressSnapshot, desired: Desired, node: ProviderId | undefined): Creation | undefined {
  const { now, inventory, otherCreations } = snapshot;
  const beginning = { node, now, listedAt: now - inventory.ageSeconds * 1000 };
  const waits = otherCreations.flatMap((other) => {
    const until = heldUpUntil(other, beginning);
    return until === undefined ? [] : [{ other, until }];
  });
  const last = waits.sort((a, b) => b.until - a.until)[0];
  if (last === undefined) return undefined;
  const { other, until } = last;
  const message = `${desired.missing} to be created, after the creation of ${refText(other.resource)}`;
  if (other.running === true) return { sequence: [], problem: { reason: "UnderWay", message } };
  const remedy = `set annotation ${Annotation.forgetCreation} there if no address came of it`;
  if (!Number.isFinite(until)) return unsettledOther(`${message}, whose answer was lost: ${remedy}`);
  const held = `${message}, whose answer was lost: it begins at ${clockTime(until)}, or ${remedy}`;
  return { ...unsettledOther(held), requeueAt: until };
}

function unsettledOther(message: string): Creation {
  return { sequence: [], problem: { reason: "CreationUnsettled", message } };
}

function create(snapshot: AddressSnapshot, desired: Desired, assignmentPlan: AssignmentPlan): Creation {
  const { capabilities, set } = snapshot;
  const node = capabilities?.createsOnNode.includes(desired.family) ? assignmentPlan.leftover[0] : undefined;
  const heldUp = holdUpOf(snapshot, desired, node?.machine);
  if (heldUp !== undefined) return heldUp;
  const why = `desiredIPs is ${desired.desiredCount}, ${desired.missing} missing`;
  if (node !== undefined)
    return createOnNode(snapshot, { family: desired.family, node, why }, assignmentPlan.coolUntil);
  const region = set.region ?? "";
  if (region === "" && capabilities?.regional === true) return NO_REGION;
  const intent = intentOf(snapshot, desired.family, undefined);
  return {
    sequence: [
      { do: "record-intent", intent, why },
      { do: "create-address", desired: { family: desired.family, region }, startedAt: intent.startedAt, why },
    ],
  };
}

interface OnNode {
  readonly family: PendingCreation["family"];
  readonly node: WaitingNode;
  readonly why: string;
}

/** An assignment, too. During the cool-off it waits: an idle address costs money and serves no traffic. */
function createOnNode(
  snapshot: AddressSnapshot,
  { family, node, why }: OnNode,
  coolUntil: AssignmentPlan["coolUntil"],
): Creation {
  const cools = coolOffOf(snapshot) > 0;
  if (cools && coolUntil !== undefined) {
    const problem = { reason: "CoolingOff", message: `${why}; ${coolOffText({ coolUntil }, snapshot.now)}` } as const;
    return { sequence: [], problem, ...(coolUntil === "unanswered" ? {} : { requeueAt: coolUntil }) };
  }
  const intent = intentOf(snapshot, family, node);
  const { startedAt } = intent;
  const record: Action = { do: "record-intent", intent, why };
  const create: Action = { do: "create-address", desired: { family, node: node.machine }, startedAt, why };
  return { sequence: [record, ...(cools ? [assignmentRecord(snapshot, why)] : []), create], node };
}

/** The cool-off counts from before the call: a crash right after it must not shorten it. */
export function assignmentRecord({ set, now }: AddressSnapshot, why: string): Action {
  const formerly = set.lastAssignmentTime;
  return { do: "record-assignment", at: timestamp(now), ...(formerly === undefined ? {} : { formerly }), why };
}

function intentOf(
  { set, now, inventory }: AddressSnapshot,
  family: PendingCreation["family"],
  node: WaitingNode | undefined,
): PendingCreation {
  const isHeld = ({ holder }: { readonly holder?: string }) => Number(holder !== undefined);
  // Held ones, too, while there is room: one that loses its node later is no newcomer either.
  const known = [...inventory.addresses.values()].sort((a, b) => isHeld(a) - isHeld(b) || (a.ip < b.ip ? -1 : 1));
  const { provider } = set;
  const region = (node === undefined ? "" : regionOf(node)) || set.region;
  const place = node === undefined ? {} : onNode(node, inventory.heldCount(node.machine) > 0);
  return {
    startedAt: timestamp(now),
    provider,
    ...omitUndefined({ region, project: projectOf(set, inventory) }),
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

const CRD_TEXT =
  "the API server drops fields of the status that a creation needs; nothing is created: apply the CRDs of this release";
const RECORDING: Problem = {
  reason: "UnderWay",
  message:
    "the end of a creation is known and not yet in the status: the API server did not take it; it is tried again",
};
const RUNNING: Creation = {
  sequence: [],
  problem: { reason: "UnderWay", message: "an address is being created" },
};
const NO_REGION: Creation = {
  sequence: [],
  problem: {
    reason: "NoCandidate",
    message: "spec.region is empty, and no candidate is free to create the address on: set region",
  },
};

function severalText(
  snapshot: AddressSnapshot,
  { startedAt }: PendingCreation,
  { ips, why }: Extract<CreationRecovery, { readonly is: "several" }>,
): string {
  const reason = why === undefined ? "" : ` (${why})`;
  return `the answer to the creation of ${startedAt} was lost, and any of ${ips.join(", ")} may be its address${reason}: ${remedyOf(snapshot)}`;
}

function waitText(snapshot: AddressSnapshot, { startedAt }: PendingCreation): string {
  return `the answer to the creation of ${startedAt} was lost; the provider's lists show what came of it: ${remedyOf(snapshot)}`;
}

function elsewhereText(
  { set: { metadata } }: AddressSnapshot,
  { startedAt, provider, family }: PendingCreation,
): string {
  return `the answer to the creation of ${startedAt} was lost, and provider "${provider}" (${family}), which it was sent to, is not the spec's any more: look there for a new address, then set annotation ${Annotation.forgetCreation} on ${metadata.name}`;
}

function remedyOf({ set: { metadata, desiredCount } }: AddressSnapshot): string {
  const forget = `set annotation ${Annotation.forgetCreation} on ${metadata.name} if none is`;
  if (metadata.deletionTimestamp !== undefined) return `nothing needs doing, it stays with the account; ${forget}`;
  const where = desiredCount === 0 ? "ips" : "ips (a RoutedIP: routedIP)";
  return `list the right one in ${where}, or ${forget}`;
}
