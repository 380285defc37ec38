/** Step 12: what the status says of each address, before the outcomes of the actions are folded in. */

import type { AddressState, AddressStatus, PoolCounts, Reason } from "cdk8s-flipop/api";
import { refText } from "../../claims/claimant.js";
import { isContested } from "../contested.js";
import { reportedRetry } from "../reported-retry.js";
import { isDue } from "../retry-schedule.js";
import { timestamp } from "../times.js";
import { isOurs, isServed, type Standing } from "./grace.js";
import type { Pair, Pairing } from "./pairs.js";
import { drainUntil, isHeldBack } from "./reclaim.js";
import { holderText } from "./sentence.js";
import { isDeleting, isObserved, type Snapshot } from "./snapshot.js";
import { addressSubject } from "./subject.js";
import { ownRetryAt } from "./supply.js";
import type { Wish } from "./wish.js";

export interface PlannedAddress {
  readonly ip: string;
  /** The entry of `status.ips`, until an action ends: then `effects.ts` says what has become of it. */
  readonly status: AddressStatus & { readonly state: AddressState };
}

export function addressesOf(
  snapshot: Snapshot,
  standings: readonly Standing[],
  pairing: Pairing,
): readonly PlannedAddress[] {
  const pairs = new Map(pairing.pairs.map((pair) => [pair.standing.address.ip, pair]));
  return standings.map((standing) => {
    const told = statusOf(snapshot, standing, pairs.get(standing.address.ip));
    const same = told.state === standing.was.state && standing.was.since !== undefined;
    return {
      ip: standing.address.ip,
      status: { ...told, since: same ? standing.was.since : timestamp(snapshot.now) },
    };
  });
}

/** @param candidates all nodes that match. */
export function countsOf(
  standings: readonly Standing[],
  planned: readonly PlannedAddress[],
  { desired }: Wish,
  candidates: number,
): PoolCounts {
  const active = planned.filter(({ status }) => status.state === "active").length;
  const onNobody = standings.filter(({ facts, holder }) => facts !== undefined && holder === undefined);
  return { desired, active, unassigned: onNobody.length, candidates };
}

type Told = AddressStatus & { readonly state: AddressState };

function statusOf(snapshot: Snapshot, standing: Standing, pair: Pair | undefined): Told {
  const { address, was } = standing;
  if (!isObserved(snapshot)) return { ...was, state: was.state ?? "unassigned" };
  if (address.claim?.ours === false) return claimed(standing);
  if (!address.wanted || isDeleting(snapshot.pool)) return disabled(snapshot, standing);
  if (pair !== undefined) return { ...place(pair.node), ...graceSince(standing), state: "in-progress" };
  if (isServed(standing)) return served(standing);
  return waiting(snapshot, standing);
}

function claimed({ address }: Standing): Told {
  const claim = address.claim;
  if (claim === undefined || claim.ours) return { state: "error" };
  return { ...reason("ClaimedByOther"), state: "error", error: `${refText(claim.winner)} has it: ${claim.text}` };
}

function disabled(snapshot: Snapshot, standing: Standing): Told {
  const until = drainUntil(snapshot, standing);
  return {
    ...held(standing),
    ...unfinished(standing),
    ...(until === undefined ? {} : { retryAt: timestamp(until) }),
    ...(isHeldBack(snapshot, standing) ? reason("OwnershipInferred") : {}),
    state: "disabled",
  };
}

function served(standing: Standing): Told {
  const { grace } = standing;
  if (grace?.state !== "protected") return { ...held(standing), state: "active" };
  return { ...held(standing), ...graceSince(standing), ...reason("InGrace"), state: "active" };
}

function waiting(snapshot: Snapshot, standing: Standing): Told {
  const { sight, action, was, holder } = standing;
  if (sight === "moving") return moving(standing);
  if (sight === "gone") return { ...reason("AddressNotFound"), state: "error", error: GONE_TEXT };
  if (sight === "unread" || !isOurs(standing)) return { ...was, state: was.state ?? "unassigned" };
  const failed = failure(snapshot, standing);
  if (failed !== undefined) return { ...held(standing), ...graceSince(standing), ...failed };
  if (holder === undefined || action !== undefined) return { state: "unassigned" };
  return {
    ...held(standing),
    ...graceSince(standing),
    ...reason("NoCandidate"),
    state: "no-match",
    error: `held by ${holderText({ ...snapshot, now: graceStart(snapshot, standing) }, standing)}`,
  };
}

/** A text that does not change with time: a status that says the same is not written. */
function graceStart({ now }: Snapshot, { grace }: Standing): number {
  return grace === undefined || grace.state === "matches" ? now : grace.since;
}

function moving(standing: Standing): Told {
  const { action, was } = standing;
  const target = was.state === "in-progress" ? targetOf(was) : held(standing);
  const id = action?.id;
  return { ...target, ...graceSince(standing), ...(id === undefined ? {} : { actionID: id }), state: "in-progress" };
}

function targetOf({ nodeName, providerID }: AddressStatus): AddressStatus {
  return {
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(providerID === undefined ? {} : { providerID }),
  };
}

/** A failure of the last try is shown until the next try is due: then the pool tries again, or has nothing left to try. */
function failure(snapshot: Snapshot, standing: Standing): Told | undefined {
  const { memory, pool } = snapshot;
  const { was, address } = standing;
  if (isContested(memory.reverts.get(address.ip))) {
    const error = `a foreign writer takes ${address.ip} away again and again: stop it; ${pool.metadata.name} tries every 10 min`;
    return { ...reason("ForeignWriter"), state: "error", error };
  }
  if (was.state !== "error" || !isHeldUp(snapshot, standing)) return undefined;
  const retryAt = ownRetryAt(was) === undefined ? accountWait(snapshot, standing) : was.retryAt;
  return {
    state: "error",
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(was.error === undefined ? {} : { error: was.error }),
    ...(was.reason === undefined ? {} : { reason: was.reason }),
  };
}

/** When the account is tried again, where that is no sooner than its slow schedule says; once reported, it stays. */
function accountWait(snapshot: Snapshot, { was, address }: Standing): string | undefined {
  const { memory, providerRetryAt, now } = snapshot;
  const at = Math.max(providerRetryAt ?? 0, memory.accountRetryAt?.get(addressSubject(address.ip)) ?? 0);
  return reportedRetry([at], was.retryAt, now);
}

/** By a failure of its own, of the account, or of the nodes that it could go to. */
function isHeldUp(snapshot: Snapshot, { was, address }: Standing): boolean {
  const { memory, providerFailure, now } = snapshot;
  const own = ownRetryAt(was);
  const machines = own === undefined ? [] : snapshot.candidates.flatMap(({ machine }) => machine ?? []);
  const nodes = machines.map((machine) => memory.nodeRetryAt.get(machine));
  const waits = [own, memory.accountRetryAt?.get(addressSubject(address.ip)), ...nodes];
  return providerFailure !== undefined || waits.some((retryAt) => !isDue(retryAt, now));
}

/** An action that still runs on a disabled address. */
function unfinished({ action }: Standing): AddressStatus {
  return action?.id === undefined ? {} : { actionID: action.id };
}

function graceSince({ grace, was, sight }: Standing): AddressStatus {
  if (grace !== undefined && grace.state !== "matches") return { graceSince: timestamp(grace.since) };
  return sight === "moving" && was.graceSince !== undefined ? { graceSince: was.graceSince } : {};
}

function held({ holder, verdict }: Standing): AddressStatus {
  if (holder === undefined) return {};
  return { providerID: holder, ...(verdict === undefined ? {} : { nodeName: verdict.node.name }) };
}

function place({ name, machine }: Pair["node"]): AddressStatus {
  return { nodeName: name, providerID: machine };
}

function reason(word: Reason): { readonly reason: Reason } {
  return { reason: word };
}

const GONE_TEXT =
  "the account does not have this address: correct the spec, or use the token of the account that owns it";
