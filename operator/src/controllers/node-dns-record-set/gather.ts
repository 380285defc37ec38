/** The snapshot of one record set, in one turn: reads what is there, waits for nothing. */

import { tallyText } from "../../match/tally.js";
import { UnknownProviderError } from "../../providers/registry.js";
import type { ControllerContext } from "../context.js";
import { given } from "../given.js";
import type { Problem } from "../problem.js";
import type { DnsDesk, DnsLook } from "../records/dns-desk.js";
import type { ResourceRead } from "./resource.js";
import type { Absence, Snapshot } from "./snapshot.js";
import type { RecordSetUnit } from "./unit.js";
import { type Wish, wishOf } from "./wish.js";

export interface GatherTools {
  readonly context: ControllerContext;
  readonly desk: DnsDesk;
}

/** What a turn stands on. */
export interface Gathered {
  readonly snapshot: Snapshot;
  readonly dns: DnsLook;
}

export function gather({ context, desk }: GatherTools, unit: RecordSetUnit, read: ResourceRead): Gathered {
  const { resource } = read;
  const wish = wishOf(resource.spec);
  const dns = lookUp({ context, desk }, unit, { resource, wish });
  const now = context.clock.now();
  const problem = read.problem ?? unit.match.problem ?? providerProblem(context, wish);
  const noNode = absenceOf(context, unit, now);
  watchPublished(unit, resource.status.addresses ?? []);
  const snapshot: Snapshot = {
    resource,
    now,
    cachesComplete: context.leads() && unit.match.settled,
    ...given({ leadsSince: context.leadsSince() }),
    ...(problem === undefined ? {} : { problem }),
    passedOver: unit.match.passedOver,
    ...nodesOf(unit),
    ...(noNode === undefined ? {} : { noNode }),
    ...{ dns: dns.snapshot, ours: dns.ours, lost: dns.lost, reverts: dns.reverts },
    cleanup: unit.cleanup,
  };
  return { snapshot, dns };
}

function nodesOf({ match: { index } }: RecordSetUnit): Pick<Snapshot, "candidates" | "verdictOf" | "refusals"> {
  if (index === undefined) return { candidates: [], verdictOf: () => undefined, refusals: "" };
  return {
    candidates: index.candidates(),
    verdictOf: (name) => index.verdict(name),
    refusals: tallyText(index.tally()),
  };
}

function lookUp(
  { context, desk }: GatherTools,
  { ref }: RecordSetUnit,
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

function absenceOf(context: ControllerContext, unit: RecordSetUnit, now: number): Absence | undefined {
  const { index, settled } = unit.match;
  if (!settled || index === undefined || index.anyNodeHasLabels()) {
    unit.noNodeSince = undefined;
    return undefined;
  }
  unit.noNodeSince = Math.min(unit.noNodeSince ?? now, now);
  return { since: unit.noNodeSince, connected: context.watches.nodes().state.connected };
}

/** A node in grace stays in sight, so that its end is heard of. */
function watchPublished(
  { match: { index } }: RecordSetUnit,
  published: readonly { readonly nodeName: string }[],
): void {
  index?.watchHolders(published.flatMap(({ nodeName }) => index.verdict(nodeName)?.node.machine ?? []));
}
