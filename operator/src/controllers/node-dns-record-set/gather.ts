/** The snapshot of one record set: reads what is there, and waits for nothing. */

import { beginningOf } from "../../clock.js";
import { holderKey, nameOfHolder } from "../../health/holder-registry.js";
import { markHolders, nodesOf as probedNodesOf, probesOf } from "../../health/probes-for-controllers.js";
import type { ResourceRef } from "../../inventory/view.js";
import type { Problem } from "../../messages/message.js";
import { NO_NODES_KNOWN, refusedNodes } from "../../messages/nodes/refused-nodes.js";
import { providerMessages } from "../../messages/provider.js";
import { UnknownProviderError } from "../../providers/registry.js";
import type { CleanupMemory } from "../../reconcile/retries.js";
import type { DnsService, DnsView } from "../../records/dns-service.js";
import { omitUndefined } from "../../values.js";
import type { ControllerContext } from "../context.js";
import { isDeleting } from "./deletion.js";
import { type Desired, desiredOf } from "./published-nodes.js";
import {
  type Absence,
  limitsOfRecords,
  type NodeDNSMemory,
  type NodeRecordSet,
  type ResourceRead,
  type Snapshot,
} from "./resource.js";

/** What this process knows of a record set. */
interface RecordSetState {
  readonly ref: ResourceRef;
  readonly memory: NodeDNSMemory;
  readonly cleanup: CleanupMemory;
}

export interface GatherTools {
  readonly context: ControllerContext;
  readonly dnsService: DnsService;
}

/** What the plan reads, and what its actions work with. */
export interface Gathered {
  readonly snapshot: Snapshot;
  readonly dns: DnsView;
}

export function gather({ context, dnsService }: GatherTools, state: RecordSetState, read: ResourceRead): Gathered {
  const { resource } = read;
  const { memory } = state;
  const desired = desiredOf(resource.spec);
  const dns = lookUp({ context, dnsService }, state, { resource, desired });
  const now = context.clock.now();
  const unserved = read.problem ?? memory.match.problem;
  const problem = unserved ?? providerProblem(context, desired);
  const noNode = absenceOf(context, state);
  const massFailures = watchPublished(context, state, resource);
  const snapshot: Snapshot = {
    resource,
    now,
    cachesComplete: context.leads() && memory.match.settled,
    ...omitUndefined({ leadsSince: context.leadsSince(), problem, lacksProvider: problem !== unserved || undefined }),
    ...probesOf(memory.health, resource.spec.healthCheck, { ofSpec: read.ignored, ofMatch: memory.match.passedOver }),
    ...{ ...nodesOf(state), ...massFailures },
    ...(noNode === undefined ? {} : { noNode }),
    ...{
      dns: { ...dns.snapshot, ...limitsOfRecords(context, resource) },
      ours: dns.ours,
      lost: dns.lost,
      reverts: dns.reverts,
    },
    cleanup: state.cleanup,
  };
  return { snapshot, dns };
}

function nodesOf({
  memory: {
    match: { index },
  },
}: RecordSetState): Pick<Snapshot, "candidates" | "cordoned" | "verdictOf" | "refusals" | "leftOut" | "meant"> {
  if (index === undefined) {
    return {
      candidates: [],
      cordoned: () => [],
      verdictOf: () => undefined,
      refusals: NO_NODES_KNOWN,
      leftOut: () => "",
      meant: () => [],
    };
  }
  return {
    candidates: index.candidates(),
    cordoned: () => index.cordoned(),
    verdictOf: (name) => index.verdict(name),
    refusals: refusedNodes(index.tally(), "match"),
    leftOut: (published) => index.leftOut(published),
    meant: () => index.meant(),
  };
}

function lookUp(
  { context, dnsService }: GatherTools,
  { ref }: RecordSetState,
  { resource, desired }: { readonly resource: ResourceRead["resource"]; readonly desired: Desired | undefined },
): DnsView {
  const { dns: last, begunRecords: begun } = resource.status;
  const known = { last, begun, claims: context.claims.view(ref.uid), deleting: isDeleting(resource) };
  if (desired === undefined) return dnsService.evaluate({ provider: "", wanted: undefined, types: [], ...known });
  return dnsService.evaluate({
    provider: desired.provider,
    wanted: desired.recordSet,
    types: desired.types,
    ...known,
  });
}

/** The set is there, or why not. */
function providerProblem({ providers }: ControllerContext, desired: Desired | undefined): Problem | undefined {
  if (desired === undefined) return undefined;
  try {
    if (providers.get(desired.provider, "dns").dns !== undefined) return undefined;
    return providerMessages.unsupported({ provider: desired.provider, what: "DNS" });
  } catch (error) {
    if (error instanceof UnknownProviderError)
      return providerMessages.unknown({ provider: error.provider, service: error.service });
    throw error;
  }
}

function absenceOf(context: ControllerContext, { memory }: RecordSetState): Absence | undefined {
  const { index, settled } = memory.match;
  if (!settled || index === undefined || index.anyNodeHasLabels()) {
    memory.noNodeSince = undefined;
    return undefined;
  }
  memory.noNodeSince = beginningOf(memory.noNodeSince, context.clock);
  return { since: memory.noNodeSince.now, connected: context.watches.nodes().state.connected };
}

/** A node in grace stays in sight, so that the end of its grace leads to a run. */
function watchPublished(
  { holders }: Pick<ControllerContext, "holders">,
  { ref, memory: { match, health } }: RecordSetState,
  { spec, status }: NodeRecordSet,
): Pick<Snapshot, "massFailures"> {
  const { index } = match;
  const names = new Set((status.addresses ?? []).map(({ nodeName }) => nodeName));
  const nodes = probedNodesOf([...names], (name) => index?.verdict(name));
  index?.watchHolders(nodes.flatMap(({ machine }) => machine ?? []));
  markHolders(health, spec.healthCheck, () => nodes);
  if (holders === undefined) return {};
  const verdictOf = (key: string) => index?.verdictOfMachine(key) ?? index?.verdict(nameOfHolder(key));
  const resource = { uid: ref.uid, held: "names", conditions: status.conditions } as const;
  return { massFailures: holders.observe(resource, nodes.map(holderKey), verdictOf) };
}
