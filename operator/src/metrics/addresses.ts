/** The metrics of addresses: what pools and RoutedIPs count alike, and how many addresses no resource has. */

import type { Claims } from "../claims/claims.js";
import type { Inventories } from "../inventory/inventories.js";
import type { InventoryAddress } from "../inventory/view.js";
import type { NodeDirectory } from "../match/node-directory.js";
import type { FlipopMetrics } from "./definitions.js";

/** Labels of the resource that has the addresses. */
export interface ResourceLabels {
  readonly namespace: string;
  readonly name: string;
  readonly provider: string;
  /** The full record name; empty without DNS. */
  readonly dns: string;
}

interface ArrivalCounters {
  readonly assignments: FlipopMetrics["assignments"];
  readonly errors: FlipopMetrics["assignmentErrors"];
}

interface EndedAction {
  readonly action: { readonly do: string; readonly ip?: string; readonly expected?: string | undefined };
  readonly outcome: { readonly is: string };
}

/** Counts an address that arrived at its node, or that the provider refused to assign. */
export function countArrival(
  { assignments, errors }: ArrivalCounters,
  resource: ResourceLabels,
  { action, outcome }: EndedAction,
): void {
  const isArrival = action.do === "assign" || (action.do === "poll" && action.expected !== undefined);
  if (!isArrival || action.ip === undefined) return;
  const labels = { ...resource, ip: action.ip };
  if (outcome.is === "done") assignments.inc(labels);
  if (outcome.is === "refused") errors.inc(labels);
}

interface Known {
  readonly inventories: Inventories;
  readonly claims: Claims;
}

const HOLDERS = ["node", "other", "none"] as const;

/** How many addresses of the accounts no resource has, by holder; empty until all resources and accounts have been read. */
export function countUnlisted({ inventories, claims }: Known, nodes: NodeDirectory): ReadonlyMap<string, number> {
  const all = claims.complete ? inventories.addresses() : undefined;
  if (all === undefined) return new Map();
  const counts = new Map<string, number>(HOLDERS.map((holder) => [holder, 0]));
  for (const address of all) {
    if (claims.holderOf(address.ip) !== undefined) continue;
    const holder = holderOf(address, nodes);
    counts.set(holder, (counts.get(holder) ?? 0) + 1);
  }
  return counts;
}

function holderOf({ holder }: InventoryAddress, nodes: NodeDirectory): (typeof HOLDERS)[number] {
  if (holder === undefined) return "none";
  return nodes.ofMachine(holder) === undefined ? "other" : "node";
}
