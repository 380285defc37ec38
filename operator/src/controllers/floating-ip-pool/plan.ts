/** The decision about one pool: a list of named steps over one snapshot. Pure: no clock, log, metric or I/O. */

import type { PoolCounts } from "cdk8s-flipop/api";
import type { PlannedCondition } from "../planned-condition.js";
import type { Action, Chain } from "./actions.js";
import { annotationChains } from "./annotations.js";
import { conditionsOf } from "./conditions.js";
import { assignmentRecord, type Creation, creatable, creationOf, settlementOf, unsettledOf } from "./creation.js";
import { deletionChains, finalizerChain, hasFinalizer, needsFinalizer } from "./deletion.js";
import { type Demand, demandOf } from "./demand.js";
import { type Standing, standingsOf } from "./grace.js";
import { holdingsOf } from "./holdings.js";
import { lookAgainAt } from "./look-again.js";
import { coolOffOf, type Pair, type Pairing, pairsOf } from "./pairs.js";
import { bookkeepingChains, isHeldBack, reclaimChains } from "./reclaim.js";
import { publishedOf, recordChain } from "./records.js";
import { type Regions, regionsOf } from "./regions.js";
import { addressesOf, countsOf, type PlannedAddress } from "./report.js";
import { type Choice, moveText, planText } from "./sentence.js";
import { isDeleting, isObserved, type Snapshot } from "./snapshot.js";
import { type Supply, supplyOf } from "./supply.js";
import { type Wish, wishOf } from "./wish.js";

export interface Plan {
  /** Empty: nothing to do. Started in this order, then in parallel. After a run that did anything, plan again at once. */
  readonly chains: readonly Chain[];
  /** In the order of the wish. Those that are not in it leave the status. */
  readonly addresses: readonly PlannedAddress[];
  readonly conditions: readonly PlannedCondition[];
  readonly counts: PoolCounts;
  /** Desired addresses that do not exist yet. */
  readonly missing: number;
  /** Candidates without an address, in the preferred order; all of them. */
  readonly waiting: readonly string[];
  /** What this pool would take from others (`DemandBook.set`); 0: it can't act now. */
  readonly demand: { readonly wants: number; readonly regions: Regions };
  /** ms since the epoch. Absent: only when something happens. */
  readonly lookAgainAt?: number;
  /** For the log; empty where nothing moves. */
  readonly sentence: string;
}

export function plan(snapshot: Snapshot): Plan {
  const wish = wishOf(snapshot);
  const standings = standingsOf(snapshot, holdingsOf(snapshot, wish));
  const supply = supplyOf(snapshot, standings);
  const able = mayMove(snapshot);
  const missing = able ? creatable(snapshot, wish) : 0;
  const wants = able ? supply.free.length + missing : 0;
  const demand = demandOf(snapshot, standings, { wants, regions: regionsOf(snapshot, supply, missing) });
  const pairing = able ? pairsOf(snapshot, supply, demand) : NO_PAIRS;
  const creation = able
    ? creationOf(snapshot, wish, pairing, isArmed(snapshot, wish))
    : (endOfCreation(snapshot) ?? NO_CREATION);
  return assemble(snapshot, { wish, standings, supply, demand, pairing, creation });
}

interface Decision {
  readonly wish: Wish;
  readonly standings: readonly Standing[];
  readonly supply: Supply;
  readonly demand: Demand;
  readonly pairing: Pairing;
  readonly creation: Creation;
}

function assemble(snapshot: Snapshot, decision: Decision): Plan {
  const { wish, standings, demand, pairing, creation } = decision;
  const addresses = addressesOf(snapshot, standings, pairing);
  const published = publishedIn(snapshot, decision);
  const findings = {
    ...{ wish, addresses, pairing, published },
    creation: creation.problem,
    unsettled: unsettledOf(snapshot),
    heldBack: standings.filter((standing) => isHeldBack(snapshot, standing)).map(({ address }) => address.ip),
  };
  const lookAgain = lookAgainAt(snapshot, decision);
  return {
    chains: chainsOf(snapshot, decision, published),
    addresses,
    conditions: conditionsOf(snapshot, findings),
    missing: wish.missing,
    counts: countsOf(standings, addresses, wish, snapshot.candidates.length),
    waiting: demand.waiting.map(({ name }) => name),
    demand: { wants: demand.wants, regions: demand.regions },
    ...(lookAgain === undefined ? {} : { lookAgainAt: lookAgain }),
    sentence: planText(snapshot, pairing, demand),
  };
}

function publishedIn(snapshot: Snapshot, { standings, pairing }: Decision): readonly string[] {
  return publishedOf(snapshot, standings, new Set(pairing.pairs.map(({ standing }) => standing.address.ip)));
}

/** Nothing is written before all is read; a paused pool writes nothing, but is cleaned up when it is deleted. */
function chainsOf(snapshot: Snapshot, decision: Decision, published: readonly string[]): readonly Chain[] {
  const { wish, standings, pairing, creation, demand } = decision;
  const polls = snapshot.inventory.complete ? standings.flatMap(poll) : [];
  if (isDeleting(snapshot.pool)) return [...polls, ...deletionChains(snapshot, wish, standings)].filter(isFilled);
  if (!isObserved(snapshot)) return polls;
  if (snapshot.pool.spec.paused === true) return [...polls, creation.chain].filter(isFilled);
  const books = [finalizerChain(snapshot, wish), ...bookkeepingChains(snapshot, wish, standings)];
  if (snapshot.problem !== undefined) return [creation.chain, ...polls, ...books].filter(isFilled);
  const moves = pairing.pairs.map((pair) => moveChain(snapshot, pair, { wish, choice: demand }));
  const annotations = annotationChains(snapshot, standings, wish.family);
  const records = isArmed(snapshot, wish) ? recordChain(snapshot, published, wish.family) : [];
  const reclaims = reclaimChains(snapshot, standings);
  return [...moves, creation.chain, ...polls, ...books, ...annotations, records, ...reclaims].filter(isFilled);
}

/** Another action on the same address waits for the end of the first. */
function poll({ action, address }: Standing): readonly Chain[] {
  if (action?.id === undefined || address.claim?.ours !== true) return [];
  const { id, expected } = action;
  return [[{ do: "poll", ip: address.ip, id, expected, why: "an action runs on it" }]];
}

interface MoveContext {
  readonly wish: Wish;
  readonly choice: Choice;
}

function moveChain(snapshot: Snapshot, pair: Pair, { wish, choice }: MoveContext): Chain {
  const { standing, node } = pair;
  const { ip } = standing.address;
  const why = moveText(snapshot, pair, choice);
  const from = standing.holder;
  // Where a held address can't be moved: it is free at the next look, and then it is assigned.
  if (from !== undefined && snapshot.capabilities?.movesHeld !== true) return [{ do: "unassign", ip, from, why }];
  const target = { name: node.name, machine: node.machine };
  const assign: Action = { do: "assign", ip, node: target, ...(from === undefined ? {} : { from }), why };
  const cooling = coolOffOf(snapshot) > 0 ? [assignmentRecord(snapshot, why)] : [];
  return [...cooling, assign, { do: "annotate-node", node: node.name, ip, family: wish.family, why }];
}

/** Whether addresses may move, and new ones be created. */
function mayMove(snapshot: Snapshot): boolean {
  const { pool, problem, capabilities } = snapshot;
  if (!isObserved(snapshot) || problem !== undefined || capabilities === undefined) return false;
  return pool.spec.paused !== true && !isDeleting(pool);
}

/** A creation whose answer was lost holds up others: it is settled whatever else stands in the way of the pool. */
function endOfCreation(snapshot: Snapshot): Creation | undefined {
  return isObserved(snapshot) && snapshot.creating !== true ? settlementOf(snapshot) : undefined;
}

/** The finalizer stands before the first thing that it is for. */
function isArmed(snapshot: Snapshot, wish: Wish): boolean {
  return !needsFinalizer(snapshot, wish) || hasFinalizer(snapshot.pool);
}

const NO_PAIRS: Pairing = { pairs: [], cooling: [], coolUntil: undefined, elsewhere: [], leftover: [] };
const NO_CREATION: Creation = { chain: [] };

function isFilled(chain: Chain): boolean {
  return chain.length > 0;
}
