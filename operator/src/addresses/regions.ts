/** Which nodes an address can go to at all: where addresses are bound to regions, those of its own. */

import type { Snapshot } from "../controllers/floating-ip-pool/snapshot.js";
import type { NodeFacts } from "../match/node-facts.js";
import type { MovableAddresses } from "./movable-addresses.js";

const REGION_LABEL = "topology.kubernetes.io/region";

/** Regions that nodes are looked for in; `any`: all. */
export type Regions = ReadonlySet<string> | "any";

/** @param missing how many addresses are to be created: they may be created anywhere. */
export function regionsOf({ capabilities }: Snapshot, { free }: MovableAddresses, missing: number): Regions {
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
