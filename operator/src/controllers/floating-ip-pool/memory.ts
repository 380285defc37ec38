/** What this process remembers of one pool beside its status, and how the plan reads it. Losing it costs time, nothing else. */

import { type AddressStatus, canonicalIp } from "cdk8s-flipop/api";
import { CREATION } from "../../addresses/actions.js";
import type { AddressMemory, CreationFailure } from "../../addresses/address-set.js";
import type { PollState } from "../../addresses/call-outcomes.js";
import { ListObservations } from "../../addresses/creation/creation-registry.js";
import type { ResultHolder } from "../../addresses/creation/creation-result.js";
import { LeftDns, type RecordsSeen } from "../../addresses/releases/left-dns.js";
import { disputeAfter, type LastPlacement, TakenAddresses } from "../../addresses/undone-writes.js";
import type { ResourceHealth } from "../../health/resource-health.js";
import type { Reservation } from "../../inventory/view.js";
import type { MatchFollower } from "../../match/match-feed.js";
import { StateSeries } from "../../metrics/registry.js";
import type { ProviderId } from "../../providers/types.js";
import type { CleanupMemory, Retries } from "../../reconcile/retries.js";
import { omitUndefined } from "../../values.js";
import type { Snapshot } from "./snapshot.js";

export class PoolMemory implements ResultHolder {
  creationResult: ResultHolder["creationResult"];
  /** The refusal of the last creation; it counts while the creation waits for its next try. */
  creationFailure: Omit<CreationFailure, "retryAt"> | undefined;
  /** Where addresses are created. */
  creationPlace: string | undefined;
  lastAssignmentAt: number | undefined;
  /** When this process planned for the pool first, ms since the epoch. */
  firstPlannedAt: number | undefined;
  /** The last plan moved an address, or one was on its way. */
  moving = false;
  /** See `needsFreshList`. */
  needsFreshList = false;
  /** When the API server last refused a patch of a node for a missing right, monotonic ms. */
  nodesForbiddenAt: number | undefined;
  /** Series of the states of its addresses. */
  readonly stateSeries = new StateSeries();
  /** Status entries of addresses as they were before their last move was begun. */
  readonly beforeMoves = new Map<string, AddressStatus>();
  /** Lock keys of sequences in flight that count for the cool-off. */
  readonly assigning = new Set<string>();
  readonly polls = new Map<string, PollState>();
  /** Addresses whose releases were answered, until they are forgotten. */
  readonly released = new Set<string>();
  /** Nodes that moves of ours go to, by address. */
  readonly reservations = new Map<string, Reservation>();
  readonly lastPlacements = new Map<string, LastPlacement>();
  readonly reverts = new Map<string, readonly number[]>();
  readonly taken = new TakenAddresses();
  readonly leftDns = new LeftDns();
  /** Annotations that the node cache does not show yet: what was sent, and when (monotonic ms). */
  readonly sentAnnotations = new Map<string, { readonly text: string; readonly at: number }>();
  readonly listObservations = new ListObservations();

  constructor(
    readonly match: MatchFollower,
    readonly onCreationResult: () => void,
    /** Absent: the operator runs without feature healthchecks. */
    readonly health?: ResourceHealth,
  ) {}

  close(): Promise<void> {
    this.stateSeries.clear();
    this.health?.close();
    return this.match.close();
  }
}

/** The part of the state of a pool that is read. */
interface MemorySource {
  readonly memory: PoolMemory;
  readonly retries: Retries;
  readonly cleanup: CleanupMemory;
}

interface Scene extends Pick<Snapshot, "inventory" | "verdictOf" | "now"> {
  /** At `now`. */
  readonly monotonic: number;
  /** Of the status. */
  readonly ips?: Readonly<Record<string, AddressStatus>> | undefined;
  /** Of the record set. */
  readonly recordReverts: readonly number[];
  readonly records: RecordsSeen;
}

export function memoryOf(state: MemorySource, scene: Scene): AddressMemory {
  const { memory, retries, cleanup } = state;
  const { now, monotonic, recordReverts, records: seen } = scene;
  noticeReverts(memory, scene);
  memory.firstPlannedAt ??= now;
  const records = recordReverts.length === 0 ? [] : [["records", recordReverts] as const];
  const { lastAssignmentAt, firstPlannedAt, creationResult, assigning, reverts, polls, listObservations } = memory;
  return {
    ...omitUndefined({ lastAssignmentAt, creationResult, creationFailure: creationFailureOf(state) }),
    firstPlannedAt,
    assigning: assigning.size > 0,
    released: memory.released,
    nodeRetryAt: retries.machineRetryAt(now),
    nodeFailedAt: retries.machineFailedAt(now),
    nodeProblems: retries.machineProblems(),
    ...listObservations.seen(scene),
    retryAt: retries.retryAt(),
    accountRetryAt: retries.accountRetryAt(),
    refusedWrites: retries.refusedWrites(),
    pollAt: new Map([...polls].map(([ip, { nextAt }]) => [ip, now + nextAt - monotonic])),
    reverts: new Map([...reverts, ...records]),
    taken: takenFrom(memory, scene),
    leftDns: memory.leftDns.look(seen),
    cleanup,
  };
}

function takenFrom({ taken, lastPlacements }: PoolMemory, { inventory, verdictOf, now, ips = {} }: Scene) {
  const active = Object.entries(ips).map(([ip, { state, providerID }]) => ({
    ip: canonicalIp(ip),
    was: state === "active" ? providerID : undefined,
  }));
  const placed = [...lastPlacements.keys()].map((ip) => ({ ip }));
  return taken.look({ addresses: [...active, ...placed], inventory, verdictOf, now });
}

/** Over as soon as the creation may be tried again: its account has recovered, or a person has edited the spec. */
function creationFailureOf({ memory, retries }: MemorySource): CreationFailure | undefined {
  const retry = retries.get(CREATION);
  if (memory.creationFailure === undefined || retry === undefined) return undefined;
  return { ...memory.creationFailure, retryAt: retry.retryAt };
}

/** Somebody took an address off a node of ours that is well, or has ceased to. */
function noticeReverts({ lastPlacements, reverts }: PoolMemory, { inventory, verdictOf, now }: Scene): void {
  const isFit = (machine: ProviderId) => verdictOf(machine)?.refusals.length === 0;
  for (const ip of new Set([...lastPlacements.keys(), ...reverts.keys()])) {
    const before = { placement: lastPlacements.get(ip), reverts: reverts.get(ip) ?? [] };
    const after = disputeAfter(before, { facts: inventory.get(ip), isFit, now });
    if (after.placement === undefined) lastPlacements.delete(ip);
    if (after.reverts.length === 0) reverts.delete(ip);
    else reverts.set(ip, after.reverts);
  }
}
