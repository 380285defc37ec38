/** FloatingIPPools: addresses that stay on matching nodes, with a record set and annotations. */

import { Finalizer } from "cdk8s-flipop/api";
import type { PlannedAction } from "../../addresses/actions.js";
import { CREATION } from "../../addresses/lock-key.js";
import { isIn } from "../../addresses/waiting-nodes.js";
import { NODES_FORBIDDEN_MS } from "../../bounds.js";
import { poolClaims } from "../../claims/read-claims.js";
import { MatchFollower } from "../../match/match-follower.js";
import { inPreference } from "../../match/node-preference.js";
import { forgetPool } from "../../metrics/flipop.js";
import type { ProviderId } from "../../providers/types.js";
import type { Kind } from "../../reconcile/kind.js";
import { KindController } from "../../reconcile/kind-controller.js";
import { ObjectWriters } from "../../reconcile/objects/object-writers.js";
import { OwnResources, resourcePathOf } from "../../reconcile/objects/own-resources.js";
import { namespacedSource, type ResourceSource } from "../../reconcile/objects/source.js";
import { actionsOf, type SequenceResult } from "../../reconcile/plan.js";
import { isDue } from "../../reconcile/retries/retry-schedule.js";
import { DnsService, dnsOfRegistry } from "../../records/dns-service.js";
import type { ControllerContext, ControllerFactory } from "../context.js";
import { accountOf, actions, priorityOf, recheckFor } from "./actions.js";
import { eventsOf, warningsOf } from "./events.js";
import { gather } from "./gather.js";
import { Remembered } from "./memory.js";
import { count, labelsOf, samplesOf, showAddresses } from "./metrics.js";
import { takeBackAssignment } from "./own-writes.js";
import { type Plan, plan } from "./plan.js";
import { noteCreation } from "./pool-creation.js";
import { prepare, readAgainMs } from "./prepare.js";
import { recordOutcome, targetOf } from "./record-outcome.js";
import { reserve, reserveOpenMoves } from "./reservations.js";
import {
  KIND,
  PLURAL,
  type PoolObject,
  type PoolRead,
  type PoolState,
  type Pools,
  poolReader,
  withResult,
} from "./resource.js";
import type { Gathered } from "./snapshot.js";
import { forOlderCrd, holdMs, statusOf } from "./status.js";

const WORKERS = 16;

export const createFloatingIPPoolController: ControllerFactory = (context) => {
  const { watches, settings, records, client, clock, owners } = context;
  const resources = new OwnResources<PoolObject>(watches, PLURAL, settings.watchNamespaces);
  const writers = new ObjectWriters<PoolObject>(client, (key) => resources.get(key), resourcePathOf(PLURAL), clock);
  const controller = new KindController(context, kindOf(context, namespacedSource(resources, writers)));
  owners.add((uid) => resources.has(uid));
  const unlisten = records.zones.listen(() => controller.seeAll());
  const close = () => {
    unlisten();
    return controller.close();
  };
  const checks = new Map([["floating-ip-pools", () => controller.degradedReason()]]);
  return { controllers: [controller], caches: resources.parts, checks, close };
};

function kindOf(context: ControllerContext, source: ResourceSource<PoolObject>): Kind<Pools> {
  const { claims, clock, providers, records } = context;
  const dnsService = new DnsService({ records, dnsOf: dnsOfRegistry(providers) });
  return {
    names: { kind: KIND, plural: PLURAL, controller: "floating-ip-pool", finalizer: Finalizer.cleanup },
    source,
    workers: WORKERS,
    read: poolReader(),
    remember: (state) => remember(context, state),
    seen: (state, read) => seen(context, state, read),
    forget: (state) => forget(context, state),
    close: ({ memory }) => memory.close(),
    mayRun: ({ ref }) => claims.areAddressesDecided(ref.uid),
    prepare: (state, why) => prepare(context, state, why),
    gather: (state, read) => gather({ context, dnsService }, state, read),
    plan: ({ snapshot }) => plan(snapshot),
    publish: (state, gathered, made) => publish(context, state, gathered, made),
    reserve: (state, gathered, sequence) => reserve(context, state, gathered, sequence),
    actions: actions(context, dnsService),
    recheckOf: (state, action, decision) => recheckFor(context, state, action, decision),
    priorityOf,
    targetOf,
    hasAddress: ({ account }, ip) => account?.inventory?.view().get(ip) !== undefined,
    accountOf: (gathered, action) => accountOf(context, gathered, action),
    afterSequence: takeBackAssignment,
    recordOutcome: (state, { snapshot }, ended) => {
      recordOutcome(clock, state, ended);
      if (ended.sequence.lockKey === CREATION) noteCreation(context, state);
      countAll(context, snapshot, ended);
    },
    readAgainMs,
    ...reports(context),
  };
}

type Reports =
  | "status"
  | "statusRules"
  | "events"
  | "statusEvents"
  | "metrics"
  | "pendingWarnings"
  | "pendingWarningOf";

function reports(context: ControllerContext): Pick<Kind<Pools>, Reports> {
  const { clock, metrics } = context;
  return {
    status: ({ snapshot }, made) => statusOf(snapshot, made),
    statusRules: { forOlderCrd, holdMs },
    events: ({ snapshot }, _plan, ended) => eventsOf(snapshot, ended),
    statusEvents: warningsOf,
    metrics: ({ memory }, { snapshot }, made) => {
      const labels = labelsOf(context, snapshot.pool);
      showAddresses(metrics, memory.states, labels, made);
      return samplesOf(metrics, labels, made);
    },
    pendingWarnings: { forbidden: ROLE_TEXT, olderCrd: CRD_TEXT },
    pendingWarningOf: ({ memory: { nodesForbiddenAt: at } }) => {
      const lately = at !== undefined && clock.monotonic() - at < NODES_FORBIDDEN_MS;
      return lately ? NODE_ROLE_TEXT : undefined;
    },
  };
}

function remember(context: ControllerContext, state: PoolState): Remembered {
  const match = new MatchFollower({ context, resource: `${KIND} ${state.key}`, onChange: () => state.enqueue() });
  return new Remembered(match, () => {
    const read = state.read();
    if (read !== undefined) seen(context, state, read);
  });
}

/** What a newer version, or the end of a creation, claims and asks for counts from here on. */
function seen(context: ControllerContext, state: PoolState, stored: PoolRead): void {
  const { claims, records } = context;
  const read = withResult(stored, state.memory.creationResult);
  claims.put(poolClaims(read.pool, records.zones.lookUp));
  follow(context, state, read);
  reserveOpenMoves(context, state);
  noteCreation(context, state);
}

/** Follows `spec.match`. A match that cannot be used leaves the previous one in force. */
function follow({ accounts }: ControllerContext, { memory, retries }: PoolState, { pool, problem }: PoolRead): void {
  if (problem !== undefined) return;
  const { match, provider, region, ipFamily } = pool.spec;
  const place = JSON.stringify([provider, region, ipFamily]);
  // What was refused in one place may be created in another, at once.
  if (place !== memory.place) retries.succeeded(CREATION);
  memory.place = place;
  memory.match.follow(match, accounts.schemeOf(provider));
}

function forget(context: ControllerContext, { ref }: PoolState): Promise<void> {
  const { claims, nodeRequests, creations, owners, accounts, metrics } = context;
  claims.drop(ref.uid);
  nodeRequests.withdraw(ref.uid);
  creations.end(ref.uid);
  accounts.forget(ref);
  owners.gone(ref);
  return forgetPool(metrics, ref.namespace, ref.name);
}

/** Which nodes the pool waits for, and which nodes it watches. Others need not wait for a pool that can't act. */
function publish(context: ControllerContext, state: PoolState, gathered: Gathered, made: Plan): void {
  const { nodeRequests } = context;
  const { ref, createdAt, memory } = state;
  const { snapshot, family } = gathered;
  const wants = snapshot.providerFailure === undefined ? made.waitingNodes.wants : 0;
  const candidates = () => candidatesNow(context, state, gathered, made);
  if (wants === 0) nodeRequests.withdraw(ref.uid);
  else nodeRequests.set(family, { ref, createdAt, wants, candidates });
  memory.moving = made.sequences.flatMap(actionsOf).some(isMove);
  watchHolders(state, gathered);
}

/** Reads that such an action waits for are urgent. */
function isMove({ do: verb }: PlannedAction): boolean {
  return verb === "assign" || verb === "unassign" || verb === "poll";
}

function candidatesNow(
  { clock }: ControllerContext,
  { memory, retries }: PoolState,
  { snapshot }: Gathered,
  { waitingNodes: { regions } }: Plan,
): readonly ProviderId[] {
  const fit = (memory.match.index?.candidates() ?? []).filter((node) => isIn(node, regions));
  const machines = inPreference(fit, snapshot.pool.spec.nodePreference ?? "Stable").flatMap(
    ({ machine }) => machine ?? [],
  );
  const now = clock.now();
  const retryAt = retries.machineRetryAt(now);
  return machines.filter((machine) => isDue(retryAt.get(machine), now));
}

/** Whatever becomes of the holders of our addresses brings a run. */
function watchHolders({ memory }: PoolState, { snapshot: { pool, inventory } }: Gathered): void {
  const named = new Set([...Object.keys(pool.status.ips ?? {}), ...(pool.spec.ips ?? [])]);
  memory.match.index?.watchHolders([...named].flatMap((ip) => inventory.get(ip)?.holder ?? []));
}

function countAll(
  context: ControllerContext,
  { pool }: Gathered["snapshot"],
  { results }: SequenceResult<PlannedAction>,
): void {
  const labels = labelsOf(context, pool);
  for (const result of results) count(context.metrics, labels, result);
}

const CRD_TEXT =
  "CRD too old: the API server drops fields of FloatingIPPool, so no address is created; apply the CRDs of this release";
const ROLE_TEXT =
  "role too old: the API server refuses PATCH of floatingippools or floatingippools/status to this ServiceAccount, so no status is written and no address is created; apply the roles of this release";
const NODE_ROLE_TEXT =
  "role too old: the API server refuses PATCH of nodes to this ServiceAccount, so no node is annotated; apply the roles of this release";
