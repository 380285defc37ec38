/** FloatingIPPools: addresses that stay on matching nodes, with a record set and annotations. */

import { Finalizer, floatingIPPoolKind } from "cdk8s-flipop/api";
import { addressLockKey, CREATION, type PlannedAction } from "../../addresses/actions.js";
import { isIn, wantedGroups } from "../../addresses/moves/addresses-by-region.js";
import { retainedEvents } from "../../addresses/retained-events.js";
import { movedIps } from "../../addresses/safeguards.js";
import { requesterOf, type WantedNodes } from "../../claims/node-shares.js";
import { poolClaims } from "../../claims/read-claims.js";
import { followHealth, nodesOf } from "../../health/probes-for-controllers.js";
import { MatchFollower } from "../../match/match-feed.js";
import { inPreference, leastRecentlyFailedFirst } from "../../match/node-preference.js";
import type { EventMessage } from "../../messages/message.js";
import { forgetPool } from "../../metrics/definitions.js";
import type { ProviderId } from "../../providers/types.js";
import { publishToOf } from "../../publishing/published-addresses.js";
import type { Kind } from "../../reconcile/kind.js";
import { KindController } from "../../reconcile/kind-controller.js";
import { actionsOf, type SequenceResult } from "../../reconcile/plan.js";
import { namespacedSource, OwnResources, type ResourceSource } from "../../reconcile/resource-source.js";
import { isDue } from "../../reconcile/retries.js";
import { DnsService, ofRegistry } from "../../records/dns-service.js";
import { NODES_FORBIDDEN_MS, PROBED_CANDIDATES } from "../../timings.js";
import { type ControllerContext, type ControllerFactory, forgetInRegistries, partsOf } from "../context.js";
import { accountOf, actions, priorityOf, recheckFor } from "./action-table.js";
import { countAssignment, eventsOf, labelsOf, samplesOf, showAddresses, warningsOf } from "./events.js";
import { gather, prepare, readAgainMs } from "./gather.js";
import { PoolMemory } from "./memory.js";
import { noteCreation, reserve, reserveOpenMoves } from "./move-reservations.js";
import { claimsOf, createdIps } from "./namespace-limits.js";
import { takeBackAssignment } from "./object-calls.js";
import { type Plan, plan } from "./plan.js";
import { recordOutcome, targetOf } from "./record-outcome.js";
import {
  KIND,
  latestPool,
  PLURAL,
  type PoolObject,
  type PoolRead,
  type PoolState,
  type PoolTypes,
  readPool,
  withCreationResult,
} from "./resource.js";
import { holdersOf, probeOnStandby } from "./safeguards.js";
import type { Gathered, Pool } from "./snapshot.js";
import { forOlderCrd, holdMs, statusOf } from "./status.js";
import { takeOverFor } from "./take-over.js";

const WORKERS = 16;

export const createFloatingIPPoolController: ControllerFactory = (context) => {
  const { watches, settings, owners, marks } = context;
  const resources = new OwnResources<PoolObject>(watches, PLURAL, settings.watchNamespaces);
  const source = namespacedSource(resources, resources.writers(context));
  owners.add((uid) => resources.has(uid));
  marks.serve(KIND, resources);
  const controller = new KindController(context, kindOf(context, source));
  const { parts } = resources;
  return partsOf(context, controller, { caches: parts, withAddresses: parts, check: "floating-ip-pools" });
};

/** What stays of a pool that is gone. */
function retainedBy(context: ControllerContext, pool: Pool, cleanedUp: boolean): readonly EventMessage[] {
  return retainedEvents(context, { ...pool, addresses: poolClaims(pool).addresses, field: "ips", cleanedUp });
}

function kindOf(context: ControllerContext, source: ResourceSource<PoolObject>): Kind<PoolTypes> {
  const { claims, providers, records } = context;
  const dnsService = new DnsService({ records, claims, ...ofRegistry(providers) });
  return {
    names: { kind: KIND, plural: PLURAL, controller: "floating-ip-pool", finalizer: Finalizer.cleanup },
    readyWhen: floatingIPPoolKind.readyWhen,
    source,
    workers: WORKERS,
    read: readPool,
    paused: ({ pool, ...read }, stop) => ({ ...read, pool: { ...pool, spec: { ...pool.spec, paused: true }, stop } }),
    remember: (state) => remember(context, state),
    registerVersion: (state, read) => seen(context, state, read),
    forget: (state) => forget(context, state),
    retained: (object, cleanedUp) => retainedBy(context, readPool(object).pool, cleanedUp),
    close: ({ memory }) => memory.close(),
    mayRun: ({ ref }) => claims.areAddressesDecided(ref.uid),
    prepare: (state, why) => claimAndPrepare(context, state, why),
    gather: (state, read) => gather({ context, dnsService }, state, read),
    plan: ({ snapshot }) => plan(snapshot),
    register: (state, gathered, made) => registerDecision(context, state, gathered, made),
    reserve: (state, gathered, sequence) => reserve(context, state, gathered, sequence),
    actions: actions(context, dnsService),
    recheckOf: (state, action, decision) => recheckFor(context, state, action, decision),
    priorityOf,
    targetOf,
    hasAddress: ({ account }, ip) => account?.inventory?.view().get(ip) !== undefined,
    nodeOf: ({ snapshot }, machine) => snapshot.verdictOf(machine)?.node.name,
    accountOf: (gathered, action) => accountOf(context, gathered, action),
    afterSequence: takeBackAssignment,
    recordOutcome: (state, { snapshot }, result) => ended(context, state, snapshot, result),
    readAgainMs,
    ...reports(context),
  };
}

function ended(
  context: ControllerContext,
  state: PoolState,
  snapshot: Gathered["snapshot"],
  result: SequenceResult<PlannedAction>,
): void {
  const { clock, moveLimits } = context;
  recordOutcome(clock, state, result);
  for (const ip of movedIps(result.sequence)) moveLimits.end(state.ref.uid, ip);
  if (result.sequence.lockKey === CREATION) noteCreation(context, state);
  countAll(context, snapshot, result);
}

type Reports =
  | "status"
  | "statusRules"
  | "events"
  | "statusEvents"
  | "metrics"
  | "pendingWarnings"
  | "pendingWarningOf";

function reports(context: ControllerContext): Pick<Kind<PoolTypes>, Reports> {
  const { clock, metrics } = context;
  return {
    status: ({ snapshot }, made) => statusOf(snapshot, made),
    statusRules: { forOlderCrd, holdMs, optionalFields: ["account"] },
    events: ({ snapshot }, _plan, ended) => eventsOf(snapshot, ended),
    statusEvents: warningsOf,
    metrics: ({ memory }, { snapshot }, made) => {
      const labels = labelsOf(context, snapshot.pool);
      showAddresses(metrics, memory.stateSeries, labels, made);
      return samplesOf(metrics, labels, made);
    },
    pendingWarnings: { forbidden: ROLE_TEXT, olderCrd: CRD_TEXT },
    pendingWarningOf: ({ memory: { nodesForbiddenAt: at } }) => {
      const lately = at !== undefined && clock.monotonic() - at < NODES_FORBIDDEN_MS;
      return lately ? NODE_ROLE_TEXT : undefined;
    },
  };
}

function remember(context: ControllerContext, state: PoolState): PoolMemory {
  context.heirs.set(state.ref.uid, takeOverFor(context, state));
  const onChange = () => {
    state.enqueue();
    probeOnStandby(context, state);
  };
  const health = context.health?.resource((node) => {
    match.index?.nodeChecked(node);
    onChange();
  });
  const resource = `${KIND} ${state.key}`;
  const match = new MatchFollower({ context, resource, onChange, ...(health && { probes: health }) });
  const onResult = () => {
    const read = state.read();
    if (read !== undefined) seen(context, state, read);
  };
  return new PoolMemory(match, onResult, health);
}

/** Enters the claims, the created addresses and the match of this version into the shared registries. */
function seen(context: ControllerContext, state: PoolState, stored: PoolRead): void {
  const { claims, created, publications } = context;
  const read = withCreationResult(stored, state.memory.creationResult);
  created.put(state.ref, createdIps(read.pool));
  claims.put(claimsOf(context, read.pool));
  publications?.claim(state.ref, state.createdAt, publishToOf(read.pool));
  follow(context, state, read);
  probeOnStandby(context, state);
  reserveOpenMoves(context, state);
  noteCreation(context, state);
}

/** What the limits allow depends on other resources of the namespace, which may have changed since the last run. */
async function claimAndPrepare(context: ControllerContext, state: PoolState, why: Parameters<typeof prepare>[2]) {
  claim(context, state);
  await prepare(context, state, why);
  // The account may be known only now.
  claim(context, state);
}

function claim(context: ControllerContext, state: PoolState): void {
  const read = latestPool(state);
  if (read !== undefined) context.claims.put(claimsOf(context, read.pool));
}

/** Follows `spec.match`. A match that cannot be used leaves the previous one in force. */
function follow({ accounts }: ControllerContext, { memory, retries }: PoolState, { pool, problem }: PoolRead): void {
  if (problem !== undefined) return;
  const { match, provider, region, ipFamily } = pool.spec;
  const place = JSON.stringify([provider, region, ipFamily]);
  // What was refused in one place may be created in another, at once.
  if (place !== memory.creationPlace) retries.succeeded(CREATION);
  memory.creationPlace = place;
  memory.match.follow(match, accounts.machinesOf(provider));
}

function forget(context: ControllerContext, { ref }: PoolState): Promise<void> {
  const { owners, accounts, metrics } = context;
  forgetInRegistries(context, ref.uid);
  accounts.forget(ref);
  owners.gone(ref);
  return forgetPool(metrics, ref.namespace, ref.name);
}

/** Which nodes the pool waits for, and which nodes it watches. Others need not wait for a pool that can't act. */
function registerDecision(context: ControllerContext, state: PoolState, gathered: Gathered, made: Plan): void {
  const { nodeRequests, publications } = context;
  const { ref, memory, retries } = state;
  publications?.decide(ref.uid, made.publication);
  // Where the holder is well again, the next move has not failed yet.
  for (const { ip, status } of made.addresses) if (status.state === "active") retries.succeeded(addressLockKey(ip));
  const { snapshot, family, account } = gathered;
  const wants = snapshot.providerFailure === undefined ? made.waitingNodes.wants : 0;
  const candidates = () => candidatesNow(context, state, gathered, made);
  const requester = requesterOf(state, account);
  if (wants === 0) nodeRequests.withdraw(ref.uid);
  else nodeRequests.set(family, { ...requester, ...wantedBy(state, gathered, made), candidates });
  if (snapshot.otherCreations.length > 0) context.creations.wait(ref);
  memory.needsFreshList = made.needsFreshList;
  memory.moving = made.sequences.flatMap(actionsOf).some(isMove);
  // Whatever becomes of the holders of our addresses brings a run.
  const holders = holdersOf(snapshot);
  memory.match.index?.watchHolders(holders);
  const { health, match } = memory;
  followHealth(health, match.index, snapshot.pool.spec.healthCheck, () => ({
    holders: nodesOf(holders, (machine) => match.index?.verdictOfMachine(machine)),
    waiting: nodesOf(made.waitingNodes.inTurn.slice(0, PROBED_CANDIDATES), (name) => match.index?.verdict(name)),
  }));
}

function wantedBy({ memory }: PoolState, { snapshot }: Gathered, { waitingNodes }: Plan): WantedNodes {
  const { wants, missing, groups } = waitingNodes;
  const nodeOf = (machine: ProviderId) => memory.match.index?.verdictOfMachine(machine)?.node;
  return { wants, missing, groups: wantedGroups(groups, nodeOf, snapshot.hasPassed) };
}

/** Reads that such an action waits for are urgent. */
function isMove({ do: verb }: PlannedAction): boolean {
  return verb === "assign" || verb === "unassign" || verb === "poll";
}

function candidatesNow(
  { clock }: ControllerContext,
  { memory, retries }: PoolState,
  { snapshot }: Gathered,
  { waitingNodes: { groups } }: Plan,
): readonly ProviderId[] {
  const regions = new Set(groups.map(({ region }) => region));
  const fit = (memory.match.index?.candidates() ?? []).filter((node) => isIn(node, regions));
  const machines = inPreference(fit, snapshot.pool.spec.nodePreference ?? "Stable").flatMap(
    ({ machine }) => machine ?? [],
  );
  const now = clock.now();
  const retryAt = retries.machineRetryAt(now);
  const inTurn = leastRecentlyFailedFirst(machines, (machine) => machine, retries.machineFailedAt(now));
  return inTurn.filter((machine) => isDue(retryAt.get(machine), now));
}

function countAll(
  context: ControllerContext,
  { pool }: Gathered["snapshot"],
  { results }: SequenceResult<PlannedAction>,
): void {
  const labels = labelsOf(context, pool);
  for (const result of results) countAssignment(context.metrics, labels, result);
}

const CRD_TEXT =
  "CRD too old: the API server drops fields of FloatingIPPool, so no address is created; apply the CRDs of this release";
const ROLE_TEXT =
  "role too old: the API server refuses PATCH of floatingippools or floatingippools/status to this ServiceAccount, so no status is written and no address is created; apply the roles of this release";
const NODE_ROLE_TEXT =
  "role too old: the API server refuses PATCH of nodes to this ServiceAccount, so no node is annotated or labelled; apply the roles of this release";
