/** Step: elect. The node that should hold the address: its holder while that serves, else the youngest that may. */

import type { Placement } from "../../addresses/grace.js";
import { isIn, type WaitingNode, type WaitingNodes, type Wanting } from "../../addresses/waiting-nodes.js";
import type { NodeFacts } from "../../match/node-facts.js";
import { inPreference } from "../../match/node-preference.js";
import type { ProviderId } from "../../providers/types.js";
import { isDue } from "../../reconcile/retries/retry-schedule.js";
import { opensSafely } from "./firewall/firewall.js";
import type { Snapshot } from "./snapshot.js";

/** Nodes that could take the address, best first; `shared` is what older resources leave of them. */
export function electionOf(
  snapshot: Snapshot,
  placement: Placement | undefined,
  { wants, regions }: Wanting,
): WaitingNodes {
  const free = snapshot.candidates.filter(hasMachine).filter(({ machine }) => hasRoom(snapshot, machine));
  const holder = placement?.holder;
  const waiting = youngestFirst(snapshot, free).filter(({ machine }) => machine !== holder);
  const fit = waiting.filter((node) => isIn(node, regions));
  const able = fit.filter(({ machine }) => isDue(snapshot.memory.nodeRetryAt.get(machine), snapshot.now));
  const byMachine = new Map(able.map((node) => [node.machine, node]));
  const left = wants > 0 ? snapshot.share(wants, [...byMachine.keys()]) : [];
  return { waiting, wants, regions, shared: left.flatMap((machine) => byMachine.get(machine) ?? []) };
}

/** Addresses that a node may hold: as many as the class and the provider allow. Those of pools count. */
export function limitOf({ resolvedClass, capabilities }: Pick<Snapshot, "resolvedClass" | "capabilities">): number {
  return Math.min(resolvedClass?.perNodeIPLimit ?? 1, capabilities?.addressesPerNode ?? 1);
}

/** Why there is no node to move to, in words. */
export function electionText(snapshot: Snapshot, placement: Placement | undefined): string {
  const full = snapshot.candidates.filter(({ machine }) => machine !== undefined && machine !== placement?.holder);
  const limit = limitOf(snapshot);
  const held = full.length === 0 ? "" : `; ${full.length} of them already hold ${limit}, the limit for one node`;
  return `${snapshot.refusals}${held}`;
}

/**
 * Those that an autoscaler is about to delete, and those that the firewall would have to isolate, are the last choice;
 * among the others the youngest. Then by name.
 */
function youngestFirst(snapshot: Snapshot, nodes: readonly WaitingNode[]): readonly WaitingNode[] {
  const named = inPreference(nodes, "Name").filter(hasMachine);
  const drawback = ({ leaving, machine }: WaitingNode) =>
    Number(leaving) +
    2 *
      Number(
        snapshot.firewall !== undefined &&
          !opensSafely(snapshot.firewall, machine, snapshot.routed.status.firewallRules ?? []),
      );
  return [...named].sort((a, b) => drawback(a) - drawback(b) || compareAge(a, b));
}

/** Times of the API server have one form, which sorts as text. */
function compareAge(a: NodeFacts, b: NodeFacts): number {
  if (a.createdAt === b.createdAt) return 0;
  return a.createdAt > b.createdAt ? -1 : 1;
}

/** Full, promised to a move of another resource that is under way, or the place of an address whose creation is not settled. */
function hasRoom(snapshot: Snapshot, machine: ProviderId): boolean {
  const { inventory, otherCreations, routed } = snapshot;
  const creating = [routed.status.pendingCreation?.providerID, ...otherCreations.map(({ node }) => node)];
  const promised = inventory.reservedFor(machine);
  if (creating.includes(machine) || (promised !== undefined && promised.uid !== routed.metadata.uid)) return false;
  return inventory.heldCount(machine) < limitOf(snapshot);
}

function hasMachine(node: NodeFacts): node is WaitingNode {
  return node.machine !== undefined;
}
