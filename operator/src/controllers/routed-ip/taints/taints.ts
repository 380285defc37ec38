/** The taint of the elected node: only this node has it, apart from taints that other RoutedIPs need. */

import { jsonEqual } from "../../../kube/cache/equal.js";
import type { Taint } from "../../../kube/cache/slim.js";
import type { ClassRules } from "../../../routing/resolved-class.js";
import type { TaintedNode, TaintView } from "../../../routing/taint-registry.js";
import type { TaintAction } from "../actions.js";

/** What the taints of a node are decided by. */
interface Scene {
  readonly taints: TaintView;
  readonly resolvedClass?: ClassRules;
}

/** Puts ours beside what others need there; nothing where it is so. */
export function electTaint({ taints, resolvedClass }: Scene, node: string | undefined): readonly TaintAction[] {
  if (node === undefined || resolvedClass === undefined) return [];
  const wanted = union(taints.neededOn(node), [resolvedClass.taint]);
  return isSame(taintsOn(taints, node), wanted) ? [] : [set(node, wanted, "the address is, or will be, on the node")];
}

/** Removes unneeded taints from all other nodes, also those that a crash left. */
export function strayTaints({ taints }: Scene, kept: readonly (string | undefined)[]): readonly TaintAction[] {
  return taints.nodes.filter(({ name }) => !kept.includes(name)).flatMap(withoutStrays);
}

/** The nodes on which this RoutedIP still has a taint that only it could need. */
export function taintedByUs({ taints, resolvedClass }: Scene): readonly string[] {
  const ours = (taint: Taint) => resolvedClass === undefined || taint.key === resolvedClass.taint.key;
  return taints.nodes
    .filter(({ taints: seen, needed }) => seen.some((taint) => ours(taint) && !hasTaint(needed, taint)))
    .map(({ name }) => name);
}

function withoutStrays({ name, taints, needed }: TaintedNode): readonly TaintAction[] {
  const kept = taints.filter((taint) => hasTaint(needed, taint));
  if (kept.length === taints.length) return [];
  return [set(name, kept, "the address is no longer on the node")];
}

function taintsOn({ nodes }: TaintView, node: string): readonly Taint[] {
  return nodes.find(({ name }) => name === node)?.taints ?? [];
}

function set(node: string, taints: readonly Taint[], why: string): TaintAction {
  return { do: "set-taints", node, taints, why };
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
