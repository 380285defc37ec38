/** Step: elect. The node that should hold the address: its holder while that serves, else the youngest that may. */

import { hasMachine, type WaitingNode, type WaitingNodes, waitingAmong } from "../../addresses/assignments.js";
import type { Wanting } from "../../addresses/moves/addresses-by-region.js";
import type { Placement } from "../../addresses/placements.js";
import type { Taint } from "../../kube/cache/slim-objects.js";
import { jsonEqual } from "../../kube/objects.js";
import type { NodeFacts } from "../../match/node-facts.js";
import { inPreference } from "../../match/node-preference.js";
import { type TaintId, taintId } from "../../match/taint-claims.js";
import type { ProviderId } from "../../providers/types.js";
import type { ClassRules } from "../../routing/resolved-class.js";
import type { TaintView } from "../../routing/taint-registry.js";
import type { TaintAction } from "./actions.js";
import { opensSafely, refusalOf } from "./firewall/place-machine.js";
import type { Snapshot } from "./snapshot.js";

/** Nodes that could take the address, best first; `shared` is what older resources leave of them. */
export function electionOf(snapshot: Snapshot, placement: Placement | undefined, wanting: Wanting): WaitingNodes {
  const free = snapshot.candidates.filter(hasMachine).filter(({ machine }) => hasRoom(snapshot, machine));
  const others = inElectionOrder(snapshot, free).filter(({ machine }) => machine !== placement?.holder);
  return waitingAmong(snapshot, others, wanting);
}

/** By machine; see `WaitingNodes`. */
export interface WaitingMachines extends Pick<WaitingNodes, "wants" | "missing"> {
  readonly fit: readonly ProviderId[];
  readonly inTurn: readonly ProviderId[];
}

/** @param able it could act now; else it leaves the nodes to others. */
export function waitingMachinesOf({ wants, missing, fit, inTurn }: WaitingNodes, able: boolean): WaitingMachines {
  const machines = (nodes: readonly WaitingNode[]) => nodes.map(({ machine }) => machine);
  return { wants: able ? wants : 0, missing, fit: machines(fit), inTurn: machines(inTurn) };
}

/** Addresses that a node may hold: as many as the class and the provider allow. Those of pools count. */
export function limitOf({ resolvedClass, capabilities }: Pick<Snapshot, "resolvedClass" | "capabilities">): number {
  return Math.min(resolvedClass?.perNodeIPLimit ?? 1, capabilities?.addressesPerNode ?? 1);
}

/**
 * Those that an autoscaler is about to delete, those that the firewall refused lately, and those that the firewall would have
 * to isolate, are the last choice; among the others the one that is elected already, then the youngest. Then by name.
 */
function inElectionOrder(snapshot: Snapshot, nodes: readonly WaitingNode[]): readonly WaitingNode[] {
  const named = inPreference(nodes, "Name").filter(hasMachine);
  const { firewall, routed, inventory } = snapshot;
  const refusedAt = ({ machine }: WaitingNode) => (firewall && refusalOf(firewall, machine)?.failedAt) ?? 0;
  const isolated = ({ machine }: WaitingNode) =>
    firewall !== undefined && !opensSafely(firewall, machine, routed.status.firewallRules ?? []);
  const drawback = (node: WaitingNode) =>
    Number(node.leaving) + 2 * Number(refusedAt(node) > 0) + 4 * Number(isolated(node));
  const isOurs = ({ machine }: WaitingNode) => Number(inventory.reservedFor(machine)?.uid === routed.metadata.uid);
  return [...named].sort(
    (a, b) => drawback(a) - drawback(b) || refusedAt(a) - refusedAt(b) || isOurs(b) - isOurs(a) || compareAge(a, b),
  );
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

/** What the taints of a node are decided by. */
interface Scene {
  readonly taints: TaintView;
  readonly resolvedClass?: ClassRules;
}

/** Puts ours beside what others need there; nothing where it is so. */
export function electTaint(scene: Scene, node: string | undefined): readonly TaintAction[] {
  const { taints, resolvedClass } = scene;
  if (node === undefined || resolvedClass === undefined) return [];
  const wanted = union(taints.neededOn(node), [resolvedClass.taint]);
  const own = [resolvedClass.taint];
  return set(scene, { node, wanted, own, why: "the address is, or will be, on the node" });
}

/**
 * While no node serves, the holder keeps the taint that it has, as the class asks for it now: with its former effect, it could
 * keep away the very pods that are waited for. A holder without the taint gets none.
 */
export function heldTaint(scene: Scene, holder: string | undefined): readonly TaintAction[] {
  const { taints, resolvedClass } = scene;
  if (holder === undefined || resolvedClass === undefined) return [];
  const seen = taints.taintsOn(holder);
  const needed = taints.neededOn(holder);
  const others = seen.filter((taint) => hasTaint(needed, taint));
  const wanted = others.length === seen.length ? seen : union(others, [resolvedClass.taint]);
  return set(scene, { node: holder, wanted, own: [resolvedClass.taint], why: "the class asks for another taint now" });
}

/** Removes unneeded taints from the other nodes that this RoutedIP clears, also those that a crash left. */
export function strayTaints(scene: Scene, kept: readonly (string | undefined)[]): readonly TaintAction[] {
  const others = scene.taints.nodes.filter(({ name }) => !kept.includes(name));
  return others.flatMap(({ name, taints, needed }) => {
    const wanted = taints.filter((taint) => hasTaint(needed, taint));
    return set(scene, { node: name, wanted, own: [], why: "no address is, or will be, on the node" });
  });
}

/** The nodes on which this RoutedIP still has a taint that only it could need, or that only this installation has on record for it. */
export function taintedByUs(scene: Scene): readonly string[] {
  const { taints, resolvedClass } = scene;
  const ours = (taint: Pick<Taint, "key">) => resolvedClass === undefined || taint.key === resolvedClass.taint.key;
  const isClaimed = (name: string) => staleClaims(scene, name).some((id) => ours({ key: id.split(":")[0] ?? "" }));
  return taints.nodes
    .filter(
      ({ name, taints: seen, needed }) =>
        seen.some((taint) => ours(taint) && !hasTaint(needed, taint)) || isClaimed(name),
    )
    .map(({ name }) => name);
}

function staleClaims({ taints: { claims } }: Scene, node: string): readonly TaintId[] {
  const needed = claims?.with(node, []) ?? [];
  return (claims?.on(node) ?? []).filter((id) => !needed.includes(id));
}

interface Wanted {
  readonly node: string;
  readonly wanted: readonly Taint[];
  /** Of these, what this RoutedIP needs. */
  readonly own: readonly Taint[];
  readonly why: string;
}

/** Nothing where it is so. */
function set({ taints }: Scene, { node, wanted, own, why }: Wanted): readonly TaintAction[] {
  const ids = wanted.map(taintId);
  const claim = (taints.claims?.with(node, own) ?? []).filter((id) => ids.includes(id));
  const isRecorded = jsonEqual(claim, taints.claims?.on(node) ?? []);
  if (isRecorded && isSame(taints.taintsOn(node), wanted)) return [];
  return [{ do: "set-taints", node, taints: wanted, why, ...(isRecorded ? {} : { claim }) }];
}

/** By key and effect, as in the API server; of two values the first counts. */
function union(a: readonly Taint[], b: readonly Taint[]): readonly Taint[] {
  const isOther = (taint: Taint) => !a.some(({ key, effect }) => key === taint.key && effect === taint.effect);
  return [...a, ...b.filter(isOther)].map(plain);
}

function isSame(a: readonly Taint[], b: readonly Taint[]): boolean {
  return a.length === b.length && a.every((taint) => hasTaint(b, taint));
}

function hasTaint(list: readonly Taint[], taint: Taint): boolean {
  return list.some((other) => jsonEqual(plain(other), plain(taint)));
}

function plain({ key, value, effect }: Taint): Taint {
  return { key, effect, ...(value ? { value } : {}) };
}
