/** Step 8: the annotation on the node that holds an address, and on no other. */

import { canonicalIp, type IpFamily } from "cdk8s-flipop/api";
import type { NodeFacts } from "../../match/node-facts.js";
import type { Action, ActionSequence } from "../actions.js";
import type { AddressSnapshot } from "../address-set.js";
import { isServed, type Placement } from "../grace.js";
import { ADDRESS_ANNOTATIONS } from "./annotated-nodes.js";
import { ownerName } from "./owners.js";

interface Snapshot extends AddressSnapshot {
  /** Nodes that bear the annotation of the family with our name as owner, or with one of our addresses. */
  readonly annotated: readonly NodeFacts[];
}

/** What nodes should bear: the addresses that are served there. One chain for each node. */
export function annotationChains(
  snapshot: Snapshot,
  placements: readonly Placement[],
  family: IpFamily,
): readonly ActionSequence[] {
  const served = placements.filter(isServed);
  const holders = new Set(served.map(({ verdict }) => verdict?.node.name));
  const set = firstOfEachNode(served).flatMap((placement) => annotate(snapshot, placement, family));
  const strays = snapshot.annotated.filter(({ name }) => !holders.has(name));
  const byIp = new Map(placements.map((placement) => [placement.address.ip, placement]));
  const removed = strays.flatMap((node) => unannotate(snapshot, byIp, { node, family }));
  return [...set, ...removed].map((action) => [action]);
}

/** Takes the annotations of a resource that goes off all nodes. */
export function annotationRemovals(snapshot: Snapshot, family: IpFamily): readonly ActionSequence[] {
  const mine = snapshot.annotated.filter((node) => ownerOn(node, family) === ownerName(snapshot.set.metadata));
  return mine.map((node) => [removal(node, family, "the pool is being deleted")]);
}

/** A node may hold several addresses, but bears one: the first of the set's. */
function firstOfEachNode(served: readonly Placement[]): readonly Placement[] {
  const firsts = new Map<Placement["holder"], Placement>();
  for (const placement of served) if (!firsts.has(placement.holder)) firsts.set(placement.holder, placement);
  return [...firsts.values()];
}

function annotate(snapshot: Snapshot, { verdict, address }: Placement, family: IpFamily): readonly Action[] {
  if (verdict === undefined) return [];
  const { node } = verdict;
  const right = ownerOn(node, family) === ownerName(snapshot.set.metadata) && valueOn(node, family) === address.ip;
  if (right || isOthers(snapshot, node, { family, ip: address.ip })) return [];
  return [{ do: "annotate-node", node: node.name, ip: address.ip, family, why: "the node holds the address" }];
}

/** Another resource's address that really is there: the annotation is that one's. */
function isOthers(
  { set, inventory }: Snapshot,
  node: NodeFacts,
  { family, ip }: { readonly family: IpFamily; readonly ip: string },
): boolean {
  const [value, owner] = [valueOn(node, family), ownerOn(node, family)];
  if (value === undefined || value === ip || owner === undefined || owner === ownerName(set.metadata)) return false;
  return inventory.get(value)?.holder === node.machine;
}

interface Stray {
  readonly node: NodeFacts;
  readonly family: IpFamily;
}

/** Ours, or without an owner (as the Go operator wrote it) and of an address that is ours and not there. */
function unannotate(
  snapshot: Snapshot,
  placements: ReadonlyMap<string, Placement>,
  { node, family }: Stray,
): readonly Action[] {
  const value = valueOn(node, family);
  if (value === undefined) return [];
  const owner = ownerOn(node, family);
  const placement = placements.get(value);
  if (owner === ownerName(snapshot.set.metadata)) return isUnknown(placement) ? [] : [removal(node, family, STALE)];
  if (owner !== undefined || placement === undefined || isUnknown(placement)) return [];
  return placement.address.claim?.ours === true ? [removal(node, family, STALE)] : [];
}

/** The address may be there: no read has settled that. */
function isUnknown(placement: Placement | undefined): boolean {
  return placement !== undefined && (placement.certainty === "unread" || placement.certainty === "doubted");
}

const STALE = "the node does not serve the address any more";

function removal(node: NodeFacts, family: IpFamily, why: string): Action {
  const ip = node.annotations[ADDRESS_ANNOTATIONS[family].value] ?? "";
  return { do: "unannotate-node", node: node.name, ip, family, why };
}

/** Canonical. */
function valueOn({ annotations }: NodeFacts, family: IpFamily): string | undefined {
  const value = annotations[ADDRESS_ANNOTATIONS[family].value];
  return value === undefined ? undefined : canonicalIp(value);
}

function ownerOn({ annotations }: NodeFacts, family: IpFamily): string | undefined {
  return annotations[ADDRESS_ANNOTATIONS[family].owner];
}
