/**
 * The node that should hold the address of a class with Jobs, decided from statuses alone, since there is no API to ask; and
 * addresses that a RoutedIP may not have, because another resource or another machine has them. Pure.
 */

import { canonicalIp } from "cdk8s-flipop/api";
import { provenFor } from "../../../addresses/safeguards.js";
import { timeOf, timestamp } from "../../../clock.js";
import { type StoppedHolder, stopOf } from "../../../health/stopped-by-mass-failure.js";
import type { JobDecision } from "../../../jobs/job-decision.js";
import { type Grace, graceOf } from "../../../match/grace.js";
import type { NodeFacts } from "../../../match/node-facts.js";
import { addressMessages } from "../../../messages/addresses.js";
import { claimMessages } from "../../../messages/claims.js";
import { healthMessages } from "../../../messages/health.js";
import { jobMessages } from "../../../messages/jobs.js";
import type { Problem } from "../../../messages/message.js";
import { omitUndefined } from "../../../values.js";
import { addressOf, type Change, type JobSnapshot } from "./snapshot.js";

export interface Election {
  readonly holder: NodeFacts | undefined;
  readonly grace: Grace | undefined;
  readonly target: NodeFacts | undefined;
  /** What keeps the address on a holder that has failed. */
  readonly heldBack?: HeldBack;
}

/** Why, and until when, ms since the epoch. */
export interface HeldBack {
  readonly problem: Problem;
  readonly until: number;
}

/** What an election reads. */
type Electing = Pick<
  JobSnapshot,
  | "routed"
  | "now"
  | "leadsSince"
  | "resolvedClass"
  | "candidates"
  | "verdictOf"
  | "heldOn"
  | "hasPassed"
  | "elected"
  | "massFailures"
  | "moveAllowance"
>;

export function elect(snapshot: Electing): Election {
  const { routed, verdictOf, now, leadsSince } = snapshot;
  const { providerID, graceSince, state } = routed.status;
  if (providerID === undefined) return { holder: undefined, grace: undefined, target: youngestFree(snapshot) };
  const verdict = verdictOf(providerID);
  const since = timeOf(graceSince);
  const memory = since === undefined ? {} : { since, over: state !== "active" };
  const periodMs = (routed.spec.gracePeriodSeconds ?? 0) * 1000;
  const grace = graceOf({ verdict, memory, periodMs, now, ...omitUndefined({ leadsSince }) });
  const holder = verdict?.node;
  if (grace.state !== "over") return { holder, grace, target: holder };
  const proven = provenFor(snapshot, [{ verdict }]);
  const target = youngestFree(snapshot, proven);
  const heldBack = stopped(snapshot, { machine: providerID, verdict, grace }) ?? limited(snapshot, target);
  return heldBack === undefined ? { holder, grace, target } : { holder, grace, target: holder, heldBack };
}

function stopped({ routed, massFailures, now }: Electing, holder: StoppedHolder): HeldBack | undefined {
  const { metadata } = routed;
  const stop = stopOf({ metadata, now, ...omitUndefined({ massFailures }) }, holder);
  return stop && { problem: healthMessages.massFailure(stop), until: stop.until };
}

/** The election takes the token: the firewall follows it before the first Job. */
function limited({ routed, moveAllowance }: Electing, target: NodeFacts | undefined): HeldBack | undefined {
  const ip = addressOf(routed);
  if (target === undefined || ip === undefined || moveAllowance === undefined) return undefined;
  const { moves, begun, nextAt } = moveAllowance;
  if (moves >= 1 || begun.has(ip)) return undefined;
  return { problem: healthMessages.moveLimit({ until: nextAt }), until: nextAt };
}

/** An election stands while its node is as good as the others: each change would need another firewall Job. */
function youngestFree(electing: Electing, proven: (node: NodeFacts) => boolean = () => true): NodeFacts | undefined {
  return freeInOrder(electing).find(proven);
}

/** Candidates with room, in the order of their election. */
export function freeInOrder({
  resolvedClass,
  candidates,
  heldOn,
  elected,
}: Pick<Electing, "resolvedClass" | "candidates" | "heldOn" | "elected">): readonly NodeFacts[] {
  const limit = resolvedClass?.perNodeIPLimit ?? 1;
  const free = candidates.filter(({ machine }) => machine !== undefined && heldOn(machine).length < limit);
  const isElected = ({ machine }: NodeFacts) => Number(machine === elected);
  return free.sort((a, b) => Number(a.leaving) - Number(b.leaving) || isElected(b) - isElected(a) || youngest(a, b));
}

function youngest(a: NodeFacts, b: NodeFacts): number {
  if (a.createdAt !== b.createdAt) return a.createdAt > b.createdAt ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** Of the address that it names or that a Job reported. */
export function conflictOf(snapshot: JobSnapshot): Problem | undefined {
  const { claims, routed } = snapshot;
  const ip = addressOf(routed);
  if (ip === undefined) return undefined;
  const claim = claims.addresses.get(ip);
  if (claim !== undefined && !claim.ours) return claimMessages.address({ ip, ...claim.owned });
  const conflict = kept(snapshot, ip);
  // The spec does not contain the address, so the remedy of the conflict would not fit.
  if (conflict !== undefined && !routed.spec.routedIP) return jobMessages.reportedForeign({ conflict });
  return conflict ?? heldElsewhere(snapshot, ip);
}

/** Why what a Job reports as created cannot be: another resource has it. */
export function rejectionOf(snapshot: JobSnapshot, decision: JobDecision): Problem | undefined {
  const created = createdBy(decision);
  const conflict = created === undefined ? undefined : kept(snapshot, canonicalIp(created));
  return conflict && jobMessages.reportedForeign({ conflict });
}

/** The address that a Job reports as created. */
export function createdBy(decision: JobDecision): string | undefined {
  return "created" in decision ? decision.created : undefined;
}

/** The address stays on record, so that no other Job creates one; nothing else of the report counts. */
export function rejected({ now }: JobSnapshot, { reason, message }: Problem, created: string | undefined): Change {
  return {
    ...{ routedIP: created, created: undefined, pendingCreation: undefined },
    ...{ state: "error", since: timestamp(now), reason, error: message },
  };
}

function kept({ keeperOf, routed }: JobSnapshot, ip: string): Problem | undefined {
  const keeper = keeperOf(ip);
  if (keeper === undefined || keeper.owner.uid === routed.metadata.uid) return undefined;
  return claimMessages.address({ ip, ...keeper });
}

/** As far as an account that the operator reads shows it. */
function heldElsewhere({ routed: { status }, foreignHolder }: JobSnapshot, ip: string): Problem | undefined {
  if (status.created === true || foreignHolder === undefined || foreignHolder === status.providerID) return undefined;
  return addressMessages.heldElsewhere({ ip, machine: foreignHolder });
}
