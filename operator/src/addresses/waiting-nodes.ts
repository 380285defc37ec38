/** Step 5: candidates that wait for an address, in the preferred order. */

import type { NodeFacts } from "../match/node-facts.js";
import { inPreference } from "../match/node-preference.js";
import type { ProviderId } from "../providers/types.js";
import { isDue } from "../reconcile/retries/retry-schedule.js";
import type { AddressSnapshot } from "./address-set.js";
import type { Placement } from "./grace.js";
import type { MovableAddresses } from "./movable-addresses.js";

const REGION_LABEL = "topology.kubernetes.io/region";

/** Regions that nodes are looked for in; `any`: all. */
export type Regions = ReadonlySet<string> | "any";

/** A candidate whose machine is known. */
export interface WaitingNode extends NodeFacts {
  readonly machine: ProviderId;
}

export interface WaitingNodes {
  /** All candidates without an address, in order: what the status shows. */
  readonly waiting: readonly WaitingNode[];
  /** How many addresses look for a node. */
  readonly wants: number;
  /** Where these can go. */
  readonly regions: Regions;
  /** Those of them that older resources leave to this one. */
  readonly shared: readonly WaitingNode[];
}

/** What looks for nodes. */
export interface Wanting {
  readonly wants: number;
  readonly regions: Regions;
}

export function waitingNodesOf(
  snapshot: AddressSnapshot,
  placements: readonly Placement[],
  { wants, regions }: Wanting,
): WaitingNodes {
  const taken = takenNodes(snapshot, placements);
  const free = snapshot.candidates.filter(hasMachine).filter(({ machine }) => !taken(machine));
  const waiting = inPreference(free, snapshot.set.nodePreference).filter(hasMachine);
  const fit = waiting.filter((node) => isIn(node, regions));
  const able = fit.filter(({ machine }) => isDue(snapshot.memory.nodeRetryAt.get(machine), snapshot.now));
  const byMachine = new Map(able.map((node) => [node.machine, node]));
  const left = wants > 0 ? snapshot.share(wants, [...byMachine.keys()]) : [];
  return { waiting, wants, regions, shared: left.flatMap((machine) => byMachine.get(machine) ?? []) };
}

/** Full, promised to a move that is under way (of anybody), or the place of an address whose creation is not settled. */
function takenNodes(snapshot: AddressSnapshot, placements: readonly Placement[]): (machine: ProviderId) => boolean {
  const { inventory, capabilities, otherCreations, set } = snapshot;
  const limit = capabilities?.addressesPerNode ?? 1;
  const bound = new Map<ProviderId, number>();
  for (const { action, holder } of placements) {
    const target = action?.expected;
    if (target !== undefined && target !== holder) bound.set(target, (bound.get(target) ?? 0) + 1);
  }
  const creating = new Set([set.pendingCreation?.providerID, ...otherCreations.map(({ node }) => node)]);
  return (machine) =>
    creating.has(machine) ||
    inventory.reservedFor(machine) !== undefined ||
    inventory.heldCount(machine) + (bound.get(machine) ?? 0) >= limit;
}

function hasMachine(node: NodeFacts): node is WaitingNode {
  return node.machine !== undefined;
}

/** @param missing how many addresses are to be created: they may be created anywhere. */
export function regionsOf({ capabilities }: AddressSnapshot, { free }: MovableAddresses, missing: number): Regions {
  if (capabilities?.regional !== true || missing > 0) return "any";
  const regions = new Set(free.map(({ facts }) => facts?.region ?? ""));
  return regions.has("") ? "any" : regions;
}

/** A node or an address that names no region may be anywhere. */
export function isIn(node: Pick<NodeFacts, "labels">, regions: Regions): boolean {
  const own = regionOf(node);
  return regions === "any" || regions.has("") || own === "" || regions.has(own);
}

/** Empty: it names none. */
export function regionOf({ labels }: Pick<NodeFacts, "labels">): string {
  return labels[REGION_LABEL] ?? "";
}
