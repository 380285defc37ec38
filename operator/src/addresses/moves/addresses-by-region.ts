/** Which nodes an address can go to: those of its region, and only those where probes have passed if it leaves its holder by probes alone. */

import type { WantedGroup, WantedNodes } from "../../claims/node-shares.js";
import type { NodeFacts } from "../../match/node-facts.js";
import type { ProviderId } from "../../providers/types.js";
import type { AddressSnapshot } from "../address-set.js";
import type { Placement } from "../placements.js";
import { provenFor } from "../safeguards.js";

const REGION_LABEL = "topology.kubernetes.io/region";

/** Regions that nodes are looked for in; `any`: all. */
export type Regions = ReadonlySet<string> | "any";

/** Addresses that can go to the same nodes. */
export interface AddressGroup extends Pick<WantedNodes, "wants" | "missing"> {
  /** Empty: any. */
  readonly region: string;
  /** They leave their holder only because probes fail: they go where probes have passed. */
  readonly probed: boolean;
}

/** What looks for nodes. */
export interface Wanting extends Pick<WantedNodes, "wants" | "missing"> {
  readonly groups: readonly AddressGroup[];
}

/** @param missing how many addresses are to be created: in the region of the set, or anywhere if it has none. */
export function wantingOf(
  snapshot: Pick<AddressSnapshot, "capabilities" | "set" | "hasPassed">,
  free: readonly Placement[],
  missing: number,
): Wanting {
  const region = snapshot.capabilities?.regional === true ? (snapshot.set.region ?? "") : "";
  const groups = new Map<string, AddressGroup>();
  for (const placement of free) {
    const group = groupOf(snapshot, placement);
    const key = `${group.region} ${group.probed}`;
    groups.set(key, { ...group, wants: (groups.get(key)?.wants ?? 0) + 1, missing: 0 });
  }
  const created = { region, probed: false, wants: missing, missing };
  return { wants: free.length + missing, missing, groups: [...groups.values(), ...(missing > 0 ? [created] : [])] };
}

export function groupOf(
  snapshot: Pick<AddressSnapshot, "capabilities" | "hasPassed">,
  placement: Placement,
): Pick<AddressGroup, "region" | "probed"> {
  return {
    region: regionOfAddress(snapshot, placement),
    probed: provenFor(snapshot, [placement]) !== undefined,
  };
}

/** In the form of a request for nodes. */
export function wantedGroups(
  groups: readonly AddressGroup[],
  nodeOf: (machine: ProviderId) => NodeFacts | undefined,
  hasPassed: AddressSnapshot["hasPassed"],
): readonly WantedGroup[] {
  return groups.map(({ wants, missing, ...group }) => {
    const fits = (machine: ProviderId) => {
      const node = nodeOf(machine);
      return node !== undefined && canTake(node, group, hasPassed);
    };
    return { wants, missing, fits };
  });
}

export function canTake(
  node: NodeFacts,
  { region, probed }: Pick<AddressGroup, "region" | "probed">,
  hasPassed: AddressSnapshot["hasPassed"],
): boolean {
  return isIn(node, new Set([region])) && (!probed || hasPassed === undefined || hasPassed(node));
}

/** Whether an address that is created on this node would be in the region of the set. */
export function isInSetRegion(
  { capabilities, set }: Pick<AddressSnapshot, "capabilities" | "set">,
  node: Pick<NodeFacts, "labels">,
): boolean {
  return capabilities?.regional !== true || isIn(node, new Set([set.region ?? ""]));
}

/** A node or an address that names no region may be anywhere. */
export function isIn(node: Pick<NodeFacts, "labels">, regions: Regions): boolean {
  const own = regionOf(node);
  return regions === "any" || regions.has("") || own === "" || regions.has(own);
}

/** Empty: it names none. In lower case, as providers name regions, whoever wrote the label. */
export function regionOf({ labels }: Pick<NodeFacts, "labels">): string {
  return labels[REGION_LABEL]?.toLowerCase() ?? "";
}

/** Empty: any. */
export function regionOfAddress({ capabilities }: Pick<AddressSnapshot, "capabilities">, { facts }: Placement): string {
  return capabilities?.regional === true ? (facts?.region ?? "") : "";
}
