/** NodeDNSRecordSets: the addresses of the nodes that match, as records of one name. */

import { Finalizer } from "cdk8s-flipop/api";
import { RECORDS_BATCH_MS } from "../../bounds.js";
import { MatchFollower } from "../../match/match-follower.js";
import type { VerdictChange } from "../../match/match-index.js";
import type { Kind } from "../../reconcile/kind.js";
import { KindController } from "../../reconcile/kind-controller.js";
import { ObjectWriters } from "../../reconcile/objects/object-writers.js";
import { OwnResources, resourcePathOf } from "../../reconcile/objects/own-resources.js";
import { namespacedSource, type ResourceSource } from "../../reconcile/objects/source.js";
import type { ResourceState } from "../../reconcile/resource-state.js";
import { DnsService, dnsOfRegistry } from "../../records/dns-service.js";
import { supersededRecords } from "../../records/recheck.js";
import type { ControllerContext, ControllerFactory } from "../context.js";
import { actions, type NodeDNS } from "./actions.js";
import { conditionEvents, eventsOf, OLDER_CRD } from "./events.js";
import { gather } from "./gather.js";
import { samplesOf } from "./metrics.js";
import { sameAddresses } from "./node-addresses.js";
import { plan } from "./plan.js";
import {
  claimsOf,
  KIND,
  type NodeDNSMemory,
  PLURAL,
  type RecordSetObject,
  type ResourceRead,
  readResource,
} from "./resource.js";
import { statusOf } from "./status.js";
import { desiredOf } from "./wish.js";

export const createNodeDNSRecordSetController: ControllerFactory = (context) => {
  const { watches, settings, records, client, clock } = context;
  const resources = new OwnResources<RecordSetObject>(watches, PLURAL, settings.watchNamespaces);
  const cached = (key: string) => resources.get(key);
  const writers = new ObjectWriters<RecordSetObject>(client, cached, resourcePathOf(PLURAL), clock);
  const controller = new KindController(context, kindOf(context, namespacedSource(resources, writers)));
  const unlisten = records.zones.listen(() => controller.seeAll());
  const close = () => {
    unlisten();
    return controller.close();
  };
  const checks = new Map([["node-dns-record-sets", () => controller.degradedReason()]]);
  return { controllers: [controller], caches: resources.parts, checks, close };
};

function kindOf(context: ControllerContext, source: ResourceSource<RecordSetObject>): Kind<NodeDNS> {
  const { records, providers, claims, metrics } = context;
  const dnsService = new DnsService({ records, dnsOf: dnsOfRegistry(providers) });
  return {
    names: { kind: KIND, plural: PLURAL, controller: "node-dns-record-set", finalizer: Finalizer.cleanup },
    source,
    read: readResource,
    remember: (state) => remember(context, state),
    close: ({ memory }) => memory.match.close(),
    seen: (state, read) => seen(context, state, read),
    forget: ({ ref }) => claims.drop(ref.uid),
    gather: (state, read) => gather({ context, dnsService }, state, read),
    plan: ({ snapshot }) => plan(snapshot),
    actions: actions(dnsService),
    recheckOf: (_state, action, { plannedNow }) => {
      return action.do === "apply-records" ? () => supersededRecords(plannedNow(), action) : undefined;
    },
    priorityOf: () => "records",
    accountOf: ({ dns }, action) => {
      const provider = "which" in action ? dns.sets[action.which]?.provider : undefined;
      return provider && records.recoveryOf(provider);
    },
    status: ({ snapshot }, made) => statusOf(snapshot, made),
    statusRules: { newFields: ["conditions", "dns"], olderCrdEvent: OLDER_CRD },
    events: (_gathered, { explanation }, result) => ({ now: eventsOf(result, explanation) }),
    statusEvents: conditionEvents,
    metrics: ({ ref }, { snapshot }, made) => samplesOf({ metrics, zones: records.zones.lookUp }, ref, snapshot, made),
    pendingWarnings: { forbidden: ROLE_TEXT },
  };
}

function remember(context: ControllerContext, state: ResourceState<NodeDNS>): NodeDNSMemory {
  const onChange = (change: VerdictChange | "rematched") => {
    if (change === "rematched" || change.what === "verdict" || !isSameAddress(state, change))
      state.enqueue(RECORDS_BATCH_MS);
  };
  const match = new MatchFollower({ context, resource: `${KIND} ${state.key}`, onChange });
  return { match, noNodeSince: undefined };
}

/** A node that matches as before, and whose address is the same, changes nothing. */
function isSameAddress(state: ResourceState<NodeDNS>, { before, after }: VerdictChange): boolean {
  const desired = desiredOf(state.read()?.resource.spec ?? {});
  if (before === undefined || after === undefined || desired === undefined) return false;
  return sameAddresses(before.node, after.node, desired);
}

/** The match is followed from the first moment on, so that its pods are there when this process leads. */
function seen({ claims, records }: ControllerContext, { memory }: ResourceState<NodeDNS>, read: ResourceRead): void {
  const { resource, problem } = read;
  if (problem === undefined && memory.match.follow(resource.spec.match)) memory.noNodeSince = undefined;
  claims.put(claimsOf(resource, records.zones.lookUp));
}

const ROLE_TEXT =
  "role too old: the API server refuses PATCH of nodednsrecordsets or nodednsrecordsets/status to this ServiceAccount, so no status and no finalizer is written; apply the roles of this release";
