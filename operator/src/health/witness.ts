/**
 * Whether a suspicion of the prober counts. The prober sees a node from one place only: a fault in the operator's own
 * network path looks like a dead node. So a holder counts as failed only if a witness confirms it. Pure.
 */

import { duration } from "../clock.js";
import { dampedUntil, type ProbeState, suspectedAt } from "./probe-state.js";
import type { StandbyWitness } from "./standby/evidence.js";

/**
 * What the kubelet's Lease says of a suspicion. `silent`: no live kubelet pauses for so long. `renewed`: the kubelet
 * renewed it after the suspicion began. `pending`: it is too early to tell. `absent`: there is no Lease to read.
 */
export type LeaseWitness = "silent" | "renewed" | "pending" | "absent";

export interface LeaseFacts {
  /** Monotonic ms: when the operator first read the Lease. Absent: it has read none. */
  readonly readAt?: number;
  /** Monotonic ms: when the operator last saw the renewal time change. Absent: never. */
  readonly renewedAt?: number;
  /** Monotonic ms: since when the watch has been open without a break. Absent: it is not open. */
  readonly connectedSince?: number;
  /** A Lease that is not renewed for this long is silent. */
  readonly silentMs: number;
}

/** @param suspected monotonic ms: when the suspicion began. */
export function leaseWitness(facts: LeaseFacts, suspected: number, now: number): LeaseWitness {
  const { readAt, renewedAt } = facts;
  if (readAt === undefined) return "absent";
  const silentAt = silentFrom(facts);
  if (silentAt !== undefined && now >= silentAt) return "silent";
  return renewedAt !== undefined && renewedAt > suspected ? "renewed" : "pending";
}

/** Monotonic ms: when the Lease is silent unless the kubelet renews it. While the watch is not open, no silence is known. */
function silentFrom({ readAt, renewedAt = 0, connectedSince, silentMs }: LeaseFacts): number | undefined {
  if (readAt === undefined || connectedSince === undefined) return undefined;
  return Math.max(readAt, renewedAt, connectedSince) + silentMs;
}

/** Why the operator does not rely on failed probes. */
export type Doubt = "LeaseRenewed" | "StandbyReached" | "NoWitness" | "NoNodePasses" | "ControlProbeFailed";

/** The probes of a node show nothing: they fail and the operator does not rely on them, or it can send none. */
export interface NodeDoubt {
  readonly node: string;
  readonly doubt: Doubt | "NotProbed";
  readonly detail: string;
}

/**
 * `failed`: a refusal. `suspected`: the probes fail, no witness has spoken yet. `doubted`: the probes fail, and the
 * operator does not rely on them.
 */
export type NodeHealth =
  | { readonly is: "well" | "suspected" }
  | {
      readonly is: "failed";
      readonly detail: string;
      /** The kubelet renews its Lease, so the replicas of the operator may share a fault of the network. */
      readonly isContested?: true;
      /** Only probes say so, of this replica and of the standby: a wrong health check fails in the same way. */
      readonly isByProbesAlone?: true;
      /** The probes succeed again, and have to do so for a while, because they failed repeatedly. */
      readonly isDamped?: true;
    }
  | { readonly is: "doubted"; readonly doubt: Doubt; readonly detail: string };

/**
 * Whether the health check can pass at all, by all nodes that are probed. `passing`: a node passes it, or only one is probed.
 * `awaited`: none has passed it, and the results of some are still open. `failing`: none passes it.
 */
export type Peers = "passing" | "awaited" | "failing";

export interface HealthInput {
  readonly state: ProbeState;
  /** `TCP 10.0.0.1:80` */
  readonly target: string;
  /** Whether an address depends on the node. */
  readonly held: boolean;
  /** The operator cannot reach the API server, or its own node. */
  readonly controlFailed: boolean;
  readonly lease: LeaseFacts;
  /** Monotonic ms: when the operator asked the cloud, which answered that the machine is off. Absent: it has not. */
  readonly offAt?: number | undefined;
  /** @default another node passes */
  readonly peers?: Peers;
  /** @default absent */
  readonly standby?: StandbyWitness;
  /** Monotonic ms. */
  readonly now: number;
}

export function nodeHealth(input: HealthInput): NodeHealth {
  const { state, target, held, now } = input;
  if (state.verdict === "failed") {
    const detail = `${target}: ${state.error ?? ""}`;
    return held ? holderHealth(input, detail) : candidateHealth(input, detail);
  }
  const damped = held ? undefined : dampedUntil(state, now);
  return damped === undefined ? WELL : { is: "failed", detail: dampedText(input), isDamped: true };
}

const WELL: NodeHealth = { is: "well" };
const SUSPECTED: NodeHealth = { is: "suspected" };

/** No address depends on a candidate: to pass over one that is well costs nothing while there are others. */
function candidateHealth({ controlFailed }: HealthInput, detail: string): NodeHealth {
  return controlFailed ? { is: "doubted", doubt: "ControlProbeFailed", detail } : { is: "failed", detail };
}

function holderHealth(input: HealthInput, detail: string): NodeHealth {
  const { state, lease, controlFailed, standby = "absent", now } = input;
  if (controlFailed) return { is: "doubted", doubt: "ControlProbeFailed", detail };
  // A success after the failure, and before the next success makes the node well: the suspicion has ended.
  const suspected = suspectedAt(state) ?? now;
  const witness = leaseWitness(lease, suspected, now);
  const confirmed = confirmation(input, witness);
  if (confirmed !== undefined) {
    const failed: Failed = { ...confirmed, is: "failed", detail: `${detail}; ${confirmed.detail}` };
    return confirmed.isByProbesAlone === true ? comparedWith(input.peers, failed) : failed;
  }
  const isEarly = witness === "absent" && now - suspected < lease.silentMs;
  if (standby === "pending" || witness === "pending" || isEarly) return SUSPECTED;
  return { is: "doubted", doubt: doubtOf(witness, standby), detail };
}

/** A node that fails is no better than a holder that fails, and the health check may be wrong. */
function comparedWith(peers: Peers = "passing", failed: Failed): NodeHealth {
  if (peers === "passing") return failed;
  return peers === "awaited" ? SUSPECTED : { is: "doubted", doubt: "NoNodePasses", detail: failed.detail };
}

type Failed = Extract<NodeHealth, { readonly is: "failed" }>;

/** How a witness confirms the failure; `undefined`: none does. */
function confirmation(input: HealthInput, witness: LeaseWitness): Omit<Failed, "is"> | undefined {
  if (isOff(input)) return { detail: "the cloud reports that the machine is off" };
  if (witness === "silent") return { detail: "the kubelet no longer renews its Lease" };
  const { standby } = input;
  const isContested = witness === "renewed";
  if (standby === "unreached") {
    const detail = "the standby replica does not reach it either";
    return { detail, isByProbesAlone: true, ...(isContested && { isContested }) };
  }
  if (standby !== "fallen" || isContested) return undefined;
  return { detail: "the replica of the operator that led on this node is silent" };
}

function doubtOf(witness: LeaseWitness, standby: StandbyWitness): Doubt {
  if (standby === "reached") return "StandbyReached";
  return witness === "renewed" ? "LeaseRenewed" : "NoWitness";
}

/** A kubelet that renews its Lease afterwards runs on a machine that is on again. */
function isOff({ offAt, lease: { renewedAt = Number.NEGATIVE_INFINITY } }: HealthInput): boolean {
  return offAt !== undefined && renewedAt <= offAt;
}

function dampedText({ target, state, now }: HealthInput): string {
  const until = dampedUntil(state, now) ?? now;
  const since = state.run?.since ?? now;
  return `${target}: healthy again after ${state.failedAt.length} failures within 10 min; it must stay healthy for ${duration(until - since)}`;
}

/** Monotonic ms: when time alone may change the answer. */
export function healthDueAt({ state, lease, held, now }: HealthInput): number | undefined {
  if (!held) return dampedUntil(state, now);
  if (state.verdict !== "failed") return undefined;
  const dueAt = silentFrom(lease) ?? (suspectedAt(state) ?? now) + lease.silentMs;
  return dueAt > now ? dueAt : undefined;
}
