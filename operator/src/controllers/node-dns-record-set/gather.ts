/** The snapshot of one record set: reads what is there, and waits for nothing. */

import type { ResourceRef } from "../../inventory/types.js";
import { tallyText } from "../../match/tally.js";
import { omitUndefined } from "../../omit-undefined.js";
import { UnknownProviderError } from "../../providers/registry.js";
import type { CleanupMemory } from "../../reconcile/cleanup.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import type { DnsService, DnsView } from "../../records/dns-service.js";
import type { ControllerContext } from "../context.js";
import type { NodeDNSMemory, ResourceRead } from "./resource.js";
import type { Absence, Snapshot } from "./snapshot.js";
import { type Desired, desiredOf } from "./wish.js";

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
  const problem = read.problem ?? memory.match.problem ?? providerProblem(context, desired);
  const noNode = absenceOf(context, state, now);
  watchPublished(state, resource.status.addresses ?? []);
  const snapshot: Snapshot = {
    resource,
    now,
    cachesComplete: context.leads() && memory.match.settled,
    ...omitUndefined({ leadsSince: context.leadsSince(), problem }),
    passedOver: memory.match.passedOver,
    ...nodesOf(state),
    ...(noNode === undefined ? {} : { noNode }),
    ...{ dns: dns.snapshot, ours: dns.ours, lost: dns.lost, reverts: dns.reverts },
    cleanup: state.cleanup,
  };
  return { snapshot, dns };
}

function nodesOf({
  memory: {
    match: { index },
  },
}: RecordSetState): Pick<Snapshot, "candidates" | "verdictOf" | "refusals"> {
  if (index === undefined) return { candidates: [], verdictOf: () => undefined, refusals: "" };
  return {
    candidates: index.candidates(),
    verdictOf: (name) => index.verdict(name),
    refusals: tallyText(index.tally()),
  };
}

function lookUp(
  { context, dnsService }: GatherTools,
  { ref }: RecordSetState,
  { resource, desired }: { readonly resource: ResourceRead["resource"]; readonly desired: Desired | undefined },
): DnsView {
  const last = resource.status.dns;
  const claims = context.claims.view(ref.uid);
  if (desired === undefined) return dnsService.evaluate({ provider: "", wanted: undefined, types: [], last, claims });
  return dnsService.evaluate({
    provider: desired.provider,
    wanted: desired.recordSet,
    types: desired.types,
    last,
    claims,
  });
}

/** The set is there, or why not. */
function providerProblem({ providers }: ControllerContext, desired: Desired | undefined): Problem | undefined {
  if (desired === undefined) return undefined;
  try {
    if (providers.get(desired.provider).dns !== undefined) return undefined;
    const message = `provider "${desired.provider}" has no DNS: set dnsRecordSet.provider to one that has`;
    return { reason: "Unsupported", message };
  } catch (error) {
    if (error instanceof UnknownProviderError) return { reason: "UnknownProvider", message: error.message };
    throw error;
  }
}

function absenceOf(context: ControllerContext, { memory }: RecordSetState, now: number): Absence | undefined {
  const { index, settled } = memory.match;
  if (!settled || index === undefined || index.anyNodeHasLabels()) {
    memory.noNodeSince = undefined;
    return undefined;
  }
  memory.noNodeSince = Math.min(memory.noNodeSince ?? now, now);
  return { since: memory.noNodeSince, connected: context.watches.nodes().state.connected };
}

/** A node in grace stays in sight, so that its end is heard of. */
function watchPublished(
  {
    memory: {
      match: { index },
    },
  }: RecordSetState,
  published: readonly { readonly nodeName: string }[],
): void {
  index?.watchHolders(published.flatMap(({ nodeName }) => index.verdict(nodeName)?.node.machine ?? []));
}
