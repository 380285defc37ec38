/** The decision about one RoutedIP: named steps over one snapshot. Pure: no clock, log, metric or I/O. */

import type { ProviderId } from "../../providers/types.js";
import { retryOf } from "../floating-ip-pool/conditions.js";
import { type Creation, creationOf, settlementOf, unsettledOf } from "../floating-ip-pool/creation.js";
import type { Demand } from "../floating-ip-pool/demand.js";
import { isOurs, isServed, type Standing, standingsOf } from "../floating-ip-pool/grace.js";
import { holdingsOf } from "../floating-ip-pool/holdings.js";
import { lookAgainAt } from "../floating-ip-pool/look-again.js";
import { type Pairing, pairsOf } from "../floating-ip-pool/pairs.js";
import { bookkeepingChains, isHeldBack } from "../floating-ip-pool/reclaim.js";
import { publishedOf, recordChain } from "../floating-ip-pool/records.js";
import { regionsOf } from "../floating-ip-pool/regions.js";
import { addressesOf } from "../floating-ip-pool/report.js";
import { moveText } from "../floating-ip-pool/sentence.js";
import { isObserved, type Snapshot as PoolSnapshot } from "../floating-ip-pool/snapshot.js";
import { type Supply, supplyOf } from "../floating-ip-pool/supply.js";
import { type Wish, wishOf } from "../floating-ip-pool/wish.js";
import type { PlannedCondition } from "../planned-condition.js";
import { type Chain, sharedChain } from "./actions.js";
import { asPool, createdIp } from "./as-pool.js";
import { conditionsOf, heldElsewhereOf } from "./conditions.js";
import {
  deletionChains,
  firewallRemoval,
  formerRemovals,
  hasFinalizer,
  isDeleting,
  needsFinalizer,
  retriesOf,
} from "./deletion.js";
import { electionOf } from "./election.js";
import { type FirewallPlan, type FirewallSnapshot, type FirewallWish, planFirewall } from "./firewall.js";
import { rulesOf } from "./ports.js";
import { type PlannedStatus, plannedStatus, recordOf } from "./report.js";
import type { Snapshot } from "./snapshot.js";
import { type Step, stepsOf } from "./steps.js";
import { blocksOf, isCreating, stepActions } from "./update.js";

export interface Plan {
  /** In this order. A step that fails stops those that rely on it (`reliesOn`), and nothing else. */
  readonly steps: readonly Step[];
  readonly postAllow: boolean;
  /** Stand for themselves, in parallel to the steps. */
  readonly chains: readonly Chain[];
  readonly status: PlannedStatus;
  readonly conditions: readonly PlannedCondition[];
  /** What it would take from others (`DemandBook.set`). */
  readonly demand: { readonly wants: number; readonly nodes: readonly ProviderId[] };
  /** Where the address is, and where it goes: what the firewall and the taints of others are measured by. */
  readonly needs: Needs;
  /** ms since the epoch. Absent: only when something happens. */
  readonly lookAgainAt?: number;
  /** For the log; empty where nothing moves. */
  readonly sentence: string;
}

export interface Needs {
  /** Nodes that keep the taint. */
  readonly nodes: readonly string[];
  /** Machines that stay behind the firewall. */
  readonly machines: readonly ProviderId[];
}

/** What the steps are made of. */
export interface Decision {
  readonly wish: Wish;
  readonly standing: Standing | undefined;
  readonly pairing: Pairing;
  readonly creation: Creation;
  readonly election: Demand;
  readonly supply: Supply;
  /** The node that has the address, or will have it. */
  readonly target: Place | undefined;
  readonly holder: Place | undefined;
  readonly firewall: FirewallPlan | undefined;
  readonly sentence: string;
}

export interface Place {
  readonly name: string | undefined;
  readonly machine: ProviderId;
}

export function plan(snapshot: Snapshot): Plan {
  const pool = asPool(snapshot);
  const wish = wishOf(pool);
  const standings = standingsOf(pool, holdingsOf(pool, wish));
  const standing = standings.find(({ address }) => address.wanted);
  const heldElsewhere = heldElsewhereOf(snapshot, standing);
  const able = mayMove(snapshot) && heldElsewhere === undefined;
  const decision = decide(snapshot, { wish, standing, able });
  const { pairing, creation, supply, firewall } = decision;
  const published = publishedOf(pool, standings, new Set(pairing.pairs.map((pair) => pair.standing.address.ip)));
  const acts = actsOf({ snapshot, decision, standings, published }, able);
  const address = standing && addressesOf(pool, [standing], begun(acts.steps, pairing))[0];
  const findings = {
    ...{ ...decision, address, published, heldElsewhere },
    creation: creation.problem,
    unsettled: unsettledOf(pool),
    heldBack: standings.filter((each) => isHeldBack(pool, each)).map((each) => each.address.ip),
  };
  const lookAgain = lookAgainAt(pool, { standings, supply, pairing, creation });
  return {
    ...acts,
    postAllow: snapshot.terms?.postAllow ?? false,
    status: plannedStatus(snapshot, {
      ...{ address, standing, heldElsewhere },
      retryAt: retryOf(pool, wish.missing),
      firewall: recordedPart(snapshot, firewall),
    }),
    conditions: conditionsOf(snapshot, findings),
    demand: { wants: decision.election.wants, nodes: decision.election.waiting.map(({ machine }) => machine) },
    needs: needsOf(snapshot, decision),
    ...earliest([lookAgain, snapshot.firewall?.retryAt, ...retriesOf(snapshot)], snapshot.now),
    sentence: decision.sentence,
  };
}

/** A move whose firewall can't be opened has not begun: the address is where it was. */
function begun(steps: readonly Step[], pairing: Pairing): Pairing {
  return steps.some(({ name }) => name === "assign") ? pairing : { ...pairing, pairs: [] };
}

interface Given {
  readonly wish: Wish;
  readonly standing: Standing | undefined;
  readonly able: boolean;
}

function decide(snapshot: Snapshot, { wish, standing, able }: Given): Decision {
  const pool = asPool(snapshot);
  const supply = able && standing !== undefined ? supplyOf(pool, [standing]) : NO_SUPPLY;
  const wants = able ? supply.free.length + wish.missing : 0;
  const election = electionOf(snapshot, standing, { wants, regions: regionsOf(pool, supply, wish.missing) });
  const pairing = able ? pairsOf(pool, supply, election) : NO_PAIRS;
  const creation = able ? creationOf(pool, wish, pairing, isArmed(snapshot, wish.missing > 0)) : endOfCreation(pool);
  const target = targetOf(snapshot, { standing, pairing, creation });
  const holder = placeOf(snapshot, standing?.holder);
  const recorded = recordOf(snapshot.routed.status, snapshot.firewall?.name);
  const firewall =
    snapshot.firewall && planFirewall(snapshot.firewall, firewallWish(snapshot, target, holder), recorded);
  const [pair] = pairing.pairs;
  const sentence = pair === undefined ? "" : moveText(pool, pair, election);
  return { wish, standing, pairing, creation, election, supply, target, holder, firewall, sentence };
}

/** A creation whose answer was lost holds up others: it is settled whatever else stands in the way. */
function endOfCreation(pool: PoolSnapshot): Creation {
  return (isObserved(pool) ? settlementOf(pool) : undefined) ?? NO_CREATION;
}

interface Acts {
  readonly snapshot: Snapshot;
  readonly decision: Decision;
  readonly standings: readonly Standing[];
  readonly published: readonly string[];
}

/** Nothing is written before all is read; a paused one writes nothing, but is cleaned up when it is deleted. */
function actsOf(acts: Acts, able: boolean): Pick<Plan, "steps" | "chains"> {
  const { snapshot, decision, standings } = acts;
  const { routed, inventory } = snapshot;
  const polls = inventory.complete ? standings.flatMap(poll) : [];
  if (isDeleting(routed)) {
    return { steps: [], chains: [...polls, ...deletionChains(snapshot, standings, decision.firewall)] };
  }
  if (!isObserved(asPool(snapshot))) return { steps: [], chains: polls };
  if (routed.spec.paused === true) {
    return { steps: [], chains: [...polls, sharedChain(decision.creation.chain)].filter(isFilled) };
  }
  const books = bookkeeping(acts);
  if (!able) return { steps: [], chains: [...polls, ...books] };
  const actions = stepActions(snapshot, decision);
  const postAllow = snapshot.terms?.postAllow ?? false;
  const steps = stepsOf({ actions, blocks: blocksOf(snapshot, decision), postAllow });
  return { steps, chains: [...polls, ...books, ...sideChains(acts)] };
}

function bookkeeping({ snapshot, standings, decision: { wish, creation } }: Acts): readonly Chain[] {
  const settled = isCreating(creation) ? [] : sharedChain(creation.chain);
  const books = bookkeepingChains(asPool(snapshot), wish, standings).map(sharedChain);
  return [...books, superseded(snapshot), settled].filter(isFilled);
}

/** What is no step of an update: DNS, and the firewall of yesterday. */
function sideChains({ snapshot, decision, published }: Acts): readonly Chain[] {
  const { wish, firewall, pairing } = decision;
  const records = isArmed(snapshot, false) ? sharedChain(recordChain(asPool(snapshot), published, wish.family)) : [];
  const former = snapshot.firewall?.former === true ? firewallRemoval(snapshot, firewall) : [];
  const left = pairing.pairs.length === 0 && isOpen(snapshot, firewall) ? formerRemovals(snapshot) : [];
  return [records, former, ...left].filter(isFilled);
}

/** Whether the finalizer stands already, or is not needed. */
export function isArmed(snapshot: Snapshot, aboutToAct: boolean): boolean {
  return hasFinalizer(snapshot.routed) || !needsFinalizer(snapshot, aboutToAct);
}

function mayMove(snapshot: Snapshot): boolean {
  const { routed, problem, capabilities, terms } = snapshot;
  if (!isObserved(asPool(snapshot)) || problem !== undefined || capabilities === undefined) return false;
  return terms !== undefined && routed.spec.paused !== true && !isDeleting(routed);
}

function targetOf(
  snapshot: Snapshot,
  { standing, pairing, creation }: Pick<Decision, "standing" | "pairing" | "creation">,
): Place | undefined {
  const elected = pairing.pairs[0]?.node ?? creation.node;
  if (elected !== undefined) return elected;
  if (standing === undefined || !isOurs(standing)) return undefined;
  if (standing.sight === "moving") return placeOf(snapshot, standing.action?.expected);
  return isServed(standing) ? placeOf(snapshot, standing.holder) : undefined;
}

function placeOf({ verdictOf }: Snapshot, machine: ProviderId | undefined): Place | undefined {
  return machine === undefined ? undefined : { name: verdictOf(machine)?.node.name, machine };
}

/** One that goes, or names another firewall now, needs nothing (there) any more. */
function firewallWish(snapshot: Snapshot, target: Place | undefined, holder: Place | undefined): FirewallWish {
  const { routed, ports, terms, firewall } = snapshot;
  if (isDeleting(routed) || firewall?.former === true || terms === undefined) return { rules: [] };
  return {
    rules: rulesOf(ports.ports, { nodePortRange: terms.nodePortRange, sourceRanges: ports.sourceRanges }),
    ...(target === undefined ? {} : { target: target.machine }),
    ...(holder === undefined ? {} : { holder: holder.machine }),
  };
}

/** What goes with the status. What is to be recorded before an action is an action itself. */
function recordedPart({ firewall, problem, routed }: Snapshot, plan: FirewallPlan | undefined) {
  if (firewall === undefined || plan === undefined || problem !== undefined || isDeleting(routed)) return undefined;
  // What is on record is ours to take away one day: the finalizer stands before it.
  if (!hasFinalizer(routed) || firewall.former === true || !isInStep(firewall, plan)) return undefined;
  return { name: firewall.name, recorded: plan.recorded };
}

function isInStep({ facts }: FirewallSnapshot, plan: FirewallPlan): boolean {
  const { addRules, addNodes, removeRules, removeNodes, create, read } = plan;
  const changes = [addRules, addNodes, removeRules, removeNodes].flat();
  return facts !== "unknown" && read === undefined && create === undefined && changes.length === 0;
}

/** Nothing is missing in the firewall that is named now. */
function isOpen({ firewall }: Snapshot, plan: FirewallPlan | undefined): boolean {
  if (firewall === undefined || plan === undefined) return false;
  const { facts, failure } = firewall;
  const isThere = typeof facts === "object" && failure === undefined && plan.nodeProblem === undefined;
  const missing = plan.addRules.length + plan.addNodes.length;
  return isThere && plan.rulesProblem === undefined && plan.read === undefined && missing === 0;
}

function needsOf(snapshot: Snapshot, { target, holder, standing }: Decision): Needs {
  if (isDeleting(snapshot.routed) || (standing !== undefined && !isOurs(standing))) return { nodes: [], machines: [] };
  const places = [holder, target].filter((place) => place !== undefined);
  const names = places.flatMap(({ name }) => name ?? []);
  return { nodes: [...new Set(names)], machines: [...new Set(places.map(({ machine }) => machine))] };
}

/** A created address that the spec has replaced by another one is the account's again: it is not released behind one's back. */
function superseded({ routed }: Snapshot): Chain {
  const created = createdIp(routed);
  if (created === undefined || !routed.spec.routedIP || routed.spec.routedIP === created) return [];
  return [
    {
      do: "forget-created",
      ip: created,
      why: `spec.routedIP is ${routed.spec.routedIP} now; ${created} stays in the account`,
    },
  ];
}

function poll({ action, address }: Standing): readonly Chain[] {
  if (action?.id === undefined || address.claim?.ours !== true) return [];
  const { id, expected } = action;
  return [[{ do: "poll", ip: address.ip, id, expected, why: "an action runs on it" }]];
}

function earliest(times: readonly (number | undefined)[], now: number): { readonly lookAgainAt?: number } {
  const ahead = times.filter((time) => time !== undefined).filter((time) => time >= now);
  return ahead.length === 0 ? {} : { lookAgainAt: Math.min(...ahead) };
}

function isFilled(chain: Chain): boolean {
  return chain.length > 0;
}

const NO_SUPPLY: Supply = { free: [], later: [] };
const NO_PAIRS: Pairing = { pairs: [], cooling: [], coolUntil: undefined, elsewhere: [], leftover: [] };
const NO_CREATION: Creation = { chain: [] };
