/** Step 7: creating what is missing, one address at a time, and never twice. */

import { Annotation, type PendingCreation } from "cdk8s-flipop/api";
import { SEEN_KEPT } from "../../bounds.js";
import { refText } from "../../claims/claimant.js";
import type { Problem } from "../problem.js";
import { isDue } from "../retry-schedule.js";
import { timestamp } from "../times.js";
import type { Action, Chain } from "./actions.js";
import type { WaitingNode } from "./demand.js";
import { coolOffOf, coolOffText, type Pairing } from "./pairs.js";
import { type Settlement, settle } from "./settlement.js";
import type { Snapshot } from "./snapshot.js";
import { accountUntil } from "./supply.js";
import type { Wish } from "./wish.js";

export interface Creation {
  readonly chain: Chain;
  /** Why nothing is created though something is missing, or an open creation stays open. */
  readonly problem?: Problem;
  readonly lookAgainAt?: number;
  /** The node of an address that is created on it. */
  readonly node?: WaitingNode;
}

/** @param armed the finalizer is there, or not needed. */
export function creationOf(snapshot: Snapshot, wish: Wish, pairing: Pairing, armed: boolean): Creation {
  if (snapshot.creating === true) return RUNNING;
  const settled = settlementOf(snapshot);
  if (settled !== undefined) return settled;
  if (wish.missing === 0) return NOTHING;
  const obstacle = obstacleTo(snapshot, wish);
  if (obstacle !== undefined) return obstacle;
  if (!armed) return NOTHING;
  return create(snapshot, wish, pairing);
}

/** The end of an open creation; `undefined`: none is open. */
export function settlementOf(snapshot: Snapshot): Creation | undefined {
  const { status, metadata } = snapshot.pool;
  const { pendingCreation: intent } = status;
  const forget = metadata.annotations?.[Annotation.forgetCreation] !== undefined;
  if (forget) return { chain: intent === undefined ? [SERVED] : [ended(intent, "a person said to forget it"), SERVED] };
  return intent === undefined ? undefined : settledBy(intent, settle(snapshot, intent));
}

const SERVED: Action = {
  do: "clear-forget-creation",
  why: "it has been served; left there, it would hit the next creation",
};

function settledBy(intent: PendingCreation, end: Settlement): Creation {
  switch (end.is) {
    case "ours":
      return { chain: [ended(intent, end.why, end.ip)] };
    case "listed":
      return { chain: [ended(intent, `spec.ips now lists ${end.ip}, which is the address`)] };
    case "nothing":
      return { chain: [ended(intent, "no address came of it")] };
    case "several":
      return { chain: [], problem: { reason: "CreationUnsettled", message: severalText(intent, end.ips) } };
    case "wait":
      return { chain: [], problem: { reason: "CreationUnsettled", message: waitText(intent) }, lookAgainAt: end.until };
  }
}

const NOTHING: Creation = { chain: [] };

function ended(intent: PendingCreation, why: string, ip?: string): Action {
  return { do: "settle-creation", ...(ip === undefined ? {} : { ip }), createdTime: intent.startedAt, why };
}

/** How many of the missing addresses look for a node. Those that can't be created now leave the nodes to others. */
export function creatable(snapshot: Snapshot, wish: Wish): number {
  return wish.missing === 0 || blockage(snapshot, wish) !== undefined ? 0 : wish.missing;
}

function obstacleTo(snapshot: Snapshot, wish: Wish): Creation | undefined {
  const blocked = blockage(snapshot, wish);
  const other = snapshot.otherCreations[0];
  if (blocked !== undefined || other === undefined) return blocked;
  const message = `${wish.missing} to be created, after the creation that ${refText(other.resource)} has under way`;
  return { chain: [], problem: { reason: "CreationUnsettled", message } };
}

/** What does not pass as soon as others are done. */
function blockage(snapshot: Snapshot, wish: Wish): Creation | undefined {
  const { crdTooOld, memory, now, providerFailure } = snapshot;
  if (crdTooOld) return { chain: [], problem: { reason: "CRDTooOld", message: CRD_TEXT } };
  const unable = inability(snapshot, wish);
  if (unable !== undefined) return { chain: [], problem: unable };
  const until = accountUntil(snapshot);
  if (providerFailure !== undefined && until !== undefined) {
    return { chain: [], problem: providerFailure, lookAgainAt: until };
  }
  const failure = memory.creationFailure;
  if (failure === undefined || isDue(failure.retryAt, now)) return undefined;
  return { chain: [], problem: failure, lookAgainAt: failure.retryAt };
}

function inability({ capabilities, pool }: Snapshot, { family }: Wish): Problem | undefined {
  if (capabilities === undefined)
    return {
      reason: "UnknownProvider",
      message: `provider "${pool.spec.provider}" is not set up: correct it, or give the operator its token`,
    };
  if (capabilities.families.includes(family)) return undefined;
  return {
    reason: "Unsupported",
    message: `provider "${pool.spec.provider}" has no ${family} addresses; use another provider`,
  };
}

function create(snapshot: Snapshot, wish: Wish, pairing: Pairing): Creation {
  const { capabilities, pool } = snapshot;
  const node = capabilities?.createsOnNode.includes(wish.family) ? pairing.leftover[0] : undefined;
  const why = `desiredIPs is ${wish.desired}, ${wish.missing} missing`;
  if (node !== undefined) return createOnNode(snapshot, { family: wish.family, node, why }, pairing.coolUntil);
  const region = pool.spec.region ?? "";
  if (region === "" && capabilities?.regional === true) return NO_REGION;
  const intent = intentOf(snapshot, wish.family, undefined);
  return {
    chain: [
      { do: "record-intent", intent, why },
      { do: "create-address", wish: { family: wish.family, region }, why },
    ],
  };
}

interface OnNode {
  readonly family: PendingCreation["family"];
  readonly node: WaitingNode;
  readonly why: string;
}

/** An assignment, too. One that has to cool off waits: an address that lies idle is billed, and serves nobody. */
function createOnNode(snapshot: Snapshot, { family, node, why }: OnNode, coolUntil: Pairing["coolUntil"]): Creation {
  const cools = coolOffOf(snapshot) > 0;
  if (cools && coolUntil !== undefined) {
    const problem = { reason: "CoolingOff", message: `${why}; ${coolOffText({ coolUntil }, snapshot.now)}` } as const;
    return { chain: [], problem, ...(coolUntil === "unanswered" ? {} : { lookAgainAt: coolUntil }) };
  }
  const intent: Action = { do: "record-intent", intent: intentOf(snapshot, family, node), why };
  const create: Action = { do: "create-address", wish: { family, node: node.machine }, why };
  return { chain: [intent, ...(cools ? [assignmentRecord(snapshot, why)] : []), create], node };
}

/** The cool-off counts from before the call: a crash right after it must not shorten it. */
export function assignmentRecord({ pool, now }: Snapshot, why: string): Action {
  const formerly = pool.status.lastAssignmentTime;
  return { do: "record-assignment", at: timestamp(now), ...(formerly === undefined ? {} : { formerly }), why };
}

function intentOf(
  { pool, now, inventory }: Snapshot,
  family: PendingCreation["family"],
  node: WaitingNode | undefined,
): PendingCreation {
  const isHeld = ({ holder }: { readonly holder?: string }) => Number(holder !== undefined);
  // Held ones, too, while there is room: one that loses its node later is no newcomer either.
  const known = [...inventory.addresses.values()].sort((a, b) => isHeld(a) - isHeld(b) || (a.ip < b.ip ? -1 : 1));
  const { provider, region } = pool.spec;
  const place = node === undefined ? {} : onNode(node, inventory.heldCount(node.machine) > 0);
  return {
    startedAt: timestamp(now),
    provider,
    ...(region === undefined ? {} : { region }),
    family,
    ...place,
    unassignedSeen: known.slice(0, SEEN_KEPT).map(({ ip }) => ip),
  };
}

function onNode({ machine }: WaitingNode, dropletHadAddress: boolean) {
  return { providerID: machine, dropletHadAddress };
}

const CRD_TEXT =
  "the API server drops fields of the status that a creation needs; nothing is created: apply the CRDs of this release";
const RUNNING: Creation = {
  chain: [],
  problem: { reason: "UnderWay", message: "an address is being created" },
};
const NO_REGION: Creation = {
  chain: [],
  problem: {
    reason: "NoCandidate",
    message: "spec.region is empty, and no candidate is free to create the address on: set region",
  },
};

function severalText({ startedAt }: PendingCreation, ips: readonly string[]): string {
  return `the answer to the creation of ${startedAt} was lost, and any of ${ips.join(", ")} may be its address: list the right one in ips, or set annotation ${Annotation.forgetCreation} if none is`;
}

function waitText({ startedAt }: PendingCreation): string {
  return `the answer to the creation of ${startedAt} was lost; the provider's lists will tell what became of it`;
}
