/** The snapshot of one record set: reads what is there, and waits for nothing. */

import type { ResourceRef } from "../../inventory/types.js";
import { tallyText } from "../../match/tally.js";
import { UnknownProviderError } from "../../providers/registry.js";
import type { CleanupMemory } from "../cleanup.js";
import type { ControllerContext } from "../context.js";
import { given as omitUndefined } from "../given.js";
import type { Problem } from "../problem.js";
import type { DnsDesk, DnsLook } from "../records/dns-desk.js";
import type { NodeDNSMemory, ResourceRead } from "./resource.js";
import type { Absence, Snapshot } from "./snapshot.js";
import { type Wish, wishOf } from "./wish.js";

/** What this process knows of a record set. */
interface RecordSetState {
  readonly ref: ResourceRef;
  readonly memory: NodeDNSMemory;
  readonly cleanup: CleanupMemory;
}

export interface GatherTools {
  readonly context: ControllerContext;
  readonly desk: DnsDesk;
}

/** What the plan reads, and what its actions work with. */
export interface Gathered {
  readonly snapshot: Snapshot;
  readonly dns: DnsLook;
}

export function gather({ context, desk }: GatherTools, state: RecordSetState, read: ResourceRead): Gathered {
  const { resource } = read;
  const { memory } = state;
  const wish = wishOf(resource.spec);
  const dns = lookUp({ context, desk }, state, { resource, wish });
  const now = context.clock.now();
  const problem = read.problem ?? memory.match.problem ?? providerProblem(context, wish);
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
  { context, desk }: GatherTools,
  { ref }: RecordSetState,
  { resource, wish }: { readonly resource: ResourceRead["resource"]; readonly wish: Wish | undefined },
): DnsLook {
  const last = resource.status.dns;
  const claims = context.claims.view(ref.uid);
  if (wish === undefined) return desk.look({ provider: "", wanted: undefined, types: [], last, claims });
  return desk.look({ provider: wish.provider, wanted: wish.recordSet, types: wish.types, last, claims });
}

/** The set is there, or why not. */
function providerProblem({ providers }: ControllerContext, wish: Wish | undefined): Problem | undefined {
  if (wish === undefined) return undefined;
  try {
    if (providers.get(wish.provider).dns !== undefined) return undefined;
    const message = `provider "${wish.provider}" has no DNS: set dnsRecordSet.provider to one that has`;
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
