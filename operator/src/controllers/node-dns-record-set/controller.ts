/** NodeDNSRecordSets: the addresses of the nodes that match, as records of one name. */

import {
  Finalizer,
  MAX_ERROR,
  type NodeDNSRecordSetStatus,
  nodeDNSRecordSetKind,
  type PublishedAddress,
} from "cdk8s-flipop/api";
import { DONE, type Outcome, outcomeOfRecords } from "../../addresses/call-outcomes.js";
import { normalName, type ZoneLookUp } from "../../claims/claimed-names.js";
import { type Clock, timeOf } from "../../clock.js";
import { followHealth, nodesOf, shownProbes } from "../../health/probes-for-controllers.js";
import type { ResourceRef } from "../../inventory/view.js";
import { jsonEqual } from "../../kube/objects.js";
import { finalizerPatch } from "../../kube/write/patch.js";
import { type MatchChange, MatchFollower } from "../../match/match-feed.js";
import type { VerdictChange } from "../../match/match-index.js";
import { eventMessages } from "../../messages/events.js";
import type { FlipopMetrics } from "../../metrics/definitions.js";
import type { Sample } from "../../metrics/registry.js";
import { resolverSeconds } from "../../providers/diff.js";
import { cut } from "../../reconcile/conditions.js";
import type { ActionCall, ActionTable, Kind } from "../../reconcile/kind.js";
import { KindController } from "../../reconcile/kind-controller.js";
import { actionsOf } from "../../reconcile/plan.js";
import { namespacedSource, OwnResources, type ResourceSource } from "../../reconcile/resource-source.js";
import type { ResourceState } from "../../reconcile/resource-state.js";
import { DnsService, ofRegistry } from "../../records/dns-service.js";
import { type DnsAction, supersededRecords } from "../../records/record-actions.js";
import { dnsFields, ttlOf } from "../../records/resolver-caches.js";
import { RECORDS_BATCH_MS } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import { type ControllerContext, type ControllerFactory, partsOf } from "../context.js";
import { retryOf } from "./conditions.js";
import { conditionEvents, eventsOf, retainedBy } from "./events.js";
import { type Gathered, gather } from "./gather.js";
import { type Plan, plan } from "./plan.js";
import { desiredOf, sameAddresses } from "./published-nodes.js";
import {
  type Action,
  claimsOf,
  KIND,
  type NodeDNSMemory,
  type NodeRecordSet,
  PLURAL,
  type RecordSetObject,
  type ResourceRead,
  readResource,
  type Snapshot,
} from "./resource.js";

export const createNodeDNSRecordSetController: ControllerFactory = (context) => {
  const { watches, settings } = context;
  const resources = new OwnResources<RecordSetObject>(watches, PLURAL, settings.watchNamespaces);
  const source = namespacedSource(resources, resources.writers(context));
  const controller = new KindController(context, kindOf(context, source));
  const { parts } = resources;
  return partsOf(context, controller, { caches: parts, withAddresses: parts, check: "node-dns-record-sets" });
};

function kindOf(context: ControllerContext, source: ResourceSource<RecordSetObject>): Kind<NodeDNS> {
  const { claims, records, providers, metrics } = context;
  const dnsService = new DnsService({ records, claims, ...ofRegistry(providers) });
  return {
    names: { kind: KIND, plural: PLURAL, controller: "node-dns-record-set", finalizer: Finalizer.cleanup },
    readyWhen: nodeDNSRecordSetKind.readyWhen,
    source,
    read: readResource,
    paused: ({ resource, ...read }) => ({
      ...read,
      resource: { ...resource, spec: { ...resource.spec, paused: true } },
    }),
    remember: (state) => remember(context, state),
    close: ({ memory }) => {
      memory.health?.close();
      return memory.match.close();
    },
    registerVersion: (state, read) => seen(context, state, read),
    forget: ({ ref }) => forget(context, ref.uid),
    retained: (object) => retainedBy(readResource(object).resource),
    gather: (state, read) => gather({ context, dnsService }, state, read),
    plan: ({ snapshot }) => plan(snapshot),
    register: (state, { snapshot }, made) => registerPlan(context, state, snapshot, made),
    actions: actions(dnsService, context.clock),
    recheckOf: (_state, action, { plannedNow }) => {
      return action.do === "apply-records" ? () => supersededRecords(plannedNow(), action) : undefined;
    },
    priorityOf: () => "records",
    accountOf: ({ dns }, action) => {
      const tracked = "which" in action ? dns.sets[action.which] : undefined;
      return tracked && records.accounts.of(tracked);
    },
    status: ({ snapshot }, made) => statusOf(snapshot, made),
    statusRules: { newFields: ["conditions", "dns", "failedProbes"], olderCrdEvent: eventMessages.statusDropped },
    events: ({ snapshot }, made, result) => ({ now: eventsOf(snapshot, made, result) }),
    statusEvents: conditionEvents,
    metrics: ({ ref }, { snapshot }, made) => samplesOf({ metrics, zones: records.zones.lookUp }, ref, snapshot, made),
    pendingWarnings: { forbidden: ROLE_TEXT },
  };
}

function forget({ claims, holders, nodeNames }: ControllerContext, uid: string): void {
  claims.drop(uid);
  nodeNames.drop(uid);
  holders?.drop(uid);
}

function remember(context: ControllerContext, state: ResourceState<NodeDNS>): NodeDNSMemory {
  const onChange = (change: MatchChange) => {
    probeOnStandby(context, state);
    if (typeof change === "string" || change.what === "verdict" || !isSameAddress(state, change))
      state.enqueue(RECORDS_BATCH_MS);
  };
  const health = context.health?.resource((node) => {
    match.index?.nodeChecked(node);
    state.enqueue(RECORDS_BATCH_MS);
  });
  const probes = health && { probes: health };
  const match = new MatchFollower({ context, resource: `${KIND} ${state.key}`, onChange, ...probes });
  return { match, noNodeSince: undefined, ...(health && { health }) };
}

/** All published nodes count as holders: names lead to each of them. */
function followPublished(
  { match: { index }, health }: NodeDNSMemory,
  resource: NodeRecordSet,
  published: readonly PublishedAddress[],
): void {
  const names = [...new Set(published.map(({ nodeName }) => nodeName))];
  followHealth(health, index, resource.spec.healthCheck, () => ({
    holders: nodesOf(names, (name) => index?.verdict(name)),
    waiting: [],
  }));
}

type NamesContext = Pick<ControllerContext, "nodeNames" | "providers">;

/**
 * By the status: what its records hold, or may hold after a change that has begun. Who created such an address does not
 * release it meanwhile.
 * @param seenTtl of the records that exist, seconds
 */
function putNames(
  { nodeNames, providers }: NamesContext,
  ref: ResourceRef,
  { spec, status }: NodeRecordSet,
  seenTtl = 0,
): void {
  const { dns, begunRecords = [] } = status;
  const values = [...(dns === undefined ? [] : [dns]), ...begunRecords].flatMap((written) => written.values);
  const provider = desiredOf(spec)?.provider ?? dns?.provider ?? "";
  const capabilities = ofRegistry(providers).dnsOf(provider)?.capabilities;
  const written = ttlOf(omitUndefined({ capabilities }), spec.dnsRecordSet);
  // Without a TTL in the spec, existing records keep theirs.
  const ttl = Math.max(resolverSeconds(written), resolverSeconds(seenTtl));
  nodeNames.put(ref, { values, ttl, cachedUntil: timeOf(status.recordsCachedUntil) });
}

/** The status shows it only after the change. */
function planNames(
  { nodeNames }: NamesContext,
  ref: ResourceRef,
  { sequences, dns }: Pick<Plan, "sequences"> & Pick<Snapshot, "dns">,
): void {
  const changes = sequences.flatMap(actionsOf).flatMap((action) => (action.do === "apply-records" ? [action] : []));
  nodeNames.plan(
    ref,
    changes.flatMap(({ changes: { after } }) => after),
    dns.records === "unknown" || dns.halfDone !== undefined,
  );
}

function registerPlan(
  context: ControllerContext,
  { ref, memory }: ResourceState<NodeDNS>,
  snapshot: Snapshot,
  made: Plan,
): void {
  putNames(context, ref, snapshot.resource, snapshot.dns.remarks?.ttl);
  planNames(context, ref, { ...made, dns: snapshot.dns });
  followPublished(memory, snapshot.resource, made.intended);
}

/** A node that matches as before, and whose address is the same, changes nothing. */
function isSameAddress(state: ResourceState<NodeDNS>, { before, after }: VerdictChange): boolean {
  const desired = desiredOf(state.read()?.resource.spec ?? {});
  if (before === undefined || after === undefined || desired === undefined) return false;
  return sameAddresses(before.node, after.node, desired);
}

/** The match is followed from the first moment on, so that its pods are there when this process leads. */
function seen(context: ControllerContext, state: ResourceState<NodeDNS>, read: ResourceRead): void {
  const { memory } = state;
  const { resource, problem } = read;
  if (problem === undefined && memory.match.follow(resource.spec.match)) memory.noNodeSince = undefined;
  context.claims.put(claimsOf(context, resource));
  putNames(context, state.ref, resource);
  probeOnStandby(context, state);
}

/** A standby replica plans nothing: it probes the nodes that the status names, so that it knows them when it leads. */
function probeOnStandby({ leads }: Pick<ControllerContext, "leads">, state: ResourceState<NodeDNS>): void {
  const { resource } = state.read() ?? {};
  if (resource !== undefined && !leads()) followPublished(state.memory, resource, resource.status.addresses ?? []);
}

const ROLE_TEXT =
  "role too old: the API server refuses PATCH of nodednsrecordsets or nodednsrecordsets/status to this ServiceAccount, so no status and no finalizer is written; apply the roles of this release";

/** All fields of the status but the conditions and the facts; `undefined` removes one. */
type StatusPatch = {
  readonly [K in Exclude<keyof NodeDNSRecordSetStatus, "conditions" | "begunRecords">]-?:
    | NodeDNSRecordSetStatus[K]
    | undefined;
};

/** `undefined`: nothing is known yet, and an older process may have known more. */
export function statusOf(snapshot: Snapshot, plan: Plan): StatusPatch | undefined {
  const { resource, cachesComplete, problem } = snapshot;
  const { metadata, status } = resource;
  if (!cachesComplete && problem === undefined && status.conditions !== undefined) return undefined;
  return {
    observedGeneration: metadata.generation,
    state: plan.state,
    error: plan.error === undefined ? undefined : cut(plan.error, MAX_ERROR),
    retryAt: retryOf(snapshot),
    addresses: plan.addresses,
    failedProbes: shownProbes(snapshot),
    dns: status.dns,
    recordsCachedUntil: status.recordsCachedUntil,
    counts: plan.counts,
  };
}

/** Nothing for a set that names no record. */
function samplesOf(
  { metrics, zones }: { readonly metrics: FlipopMetrics; readonly zones: ZoneLookUp },
  { namespace, name }: ResourceRef,
  { resource }: Snapshot,
  { counts }: Plan,
): readonly Sample[] {
  const desired = desiredOf(resource.spec);
  if (desired === undefined) return [];
  const { provider, recordSet } = desired;
  const dns = normalName(provider, { zone: recordSet.zone, name: recordSet.recordName }, zones).fqdn;
  return [{ gauge: metrics.records, labels: { namespace, name, provider, dns }, value: counts.published }];
}

/** The types of this kind, for the engine. */
export interface NodeDNS {
  readonly object: RecordSetObject;
  readonly resource: ResourceRead;
  readonly snapshot: Gathered;
  readonly action: Action;
  readonly plan: Plan;
  readonly memory: NodeDNSMemory;
}

export function actions(dnsService: DnsService, clock: Pick<Clock, "now">): ActionTable<NodeDNS> {
  const changeRecords = (call: ActionCall<NodeDNS>, action: DnsAction) => callProvider(dnsService, call, action);
  return {
    "read-records": changeRecords,
    "apply-records": changeRecords,
    // Written with the rest of the status at the end of the run; until then this process knows it.
    "record-dns": async ({ state, plan, snapshot }, action) => {
      const { written, changed, begun } = action;
      const { resource } = snapshot.snapshot;
      // Before a change, it has to be there: after a restart, nothing else would know of the record set.
      const fields = dnsFields(action, { now: clock.now(), cachedUntil: resource.status.recordsCachedUntil });
      if (begun !== undefined || isBeforeFirst(resource, written)) await state.keep(() => fields);
      if (begun !== undefined && jsonEqual(written, resource.status.dns)) return DONE;
      const isLeft = ({ address }: PublishedAddress) => changed === undefined || changed.after.includes(address);
      state.pendingStatus.set(["dns"], written);
      if ("recordsCachedUntil" in fields) state.pendingStatus.set(["recordsCachedUntil"], fields.recordsCachedUntil);
      state.pendingStatus.set(["addresses"], written?.values.length === 0 ? [] : plan.intended.filter(isLeft));
      return DONE;
    },
    "add-finalizer": ({ state, signal }) => setFinalizer(state, true, signal),
    "remove-finalizer": ({ state, signal }) => setFinalizer(state, false, signal),
  };
}

/** Of a name that a deletion has to clear: nothing is written on it yet. */
function isBeforeFirst({ spec, status }: NodeRecordSet, written: NodeDNSRecordSetStatus["dns"]): boolean {
  return status.dns === undefined && written?.values.length === 0 && spec.dnsRecordSet?.deletionPolicy === "Delete";
}

async function callProvider(
  dnsService: DnsService,
  { snapshot, context }: ActionCall<NodeDNS>,
  action: DnsAction,
): Promise<Outcome> {
  return outcomeOfRecords(dnsService.carryOut(snapshot.dns, action, context));
}

async function setFinalizer(state: ResourceState<NodeDNS>, present: boolean, signal: AbortSignal): Promise<Outcome> {
  await state.write({ patch: (object) => finalizerPatch(object, Finalizer.cleanup, present), signal });
  return DONE;
}
