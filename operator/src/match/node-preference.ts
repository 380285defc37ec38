/** The order among waiting candidates. It never moves an address that is well where it is. */

import type { NodePreference } from "cdk8s-flipop/api";
import { newerFirst } from "./kubelet-version.js";
import type { NodeFacts } from "./node-facts.js";

type Order = (a: NodeFacts, b: NodeFacts) => number;

/** A sorted copy, most preferred first. */
export function inPreference(nodes: readonly NodeFacts[], preference: NodePreference): readonly NodeFacts[] {
  return [...nodes].sort(preference === "Name" ? byName : stable);
}

/**
 * Nodes that will stay first: in a surge upgrade those are the new ones, and each address moves once. A further
 * tie-break, such as spread over zones, goes before the name.
 */
const TIE_BREAKS: readonly Order[] = [stayingFirst, newestKubeletFirst, youngestFirst, byName];

function stable(a: NodeFacts, b: NodeFacts): number {
  for (const order of TIE_BREAKS) {
    const difference = order(a, b);
    if (difference !== 0) return difference;
  }
  return 0;
}

function stayingFirst(a: NodeFacts, b: NodeFacts): number {
  return Number(a.cordoned || a.leaving) - Number(b.cordoned || b.leaving);
}

function newestKubeletFirst(a: NodeFacts, b: NodeFacts): number {
  return newerFirst(a.kubeletVersion, b.kubeletVersion);
}

/** Times of the API server have one form, which sorts as text. */
function youngestFirst(a: NodeFacts, b: NodeFacts): number {
  return -compareText(a.createdAt, b.createdAt);
}

function byName(a: NodeFacts, b: NodeFacts): number {
  return compareText(a.name, b.name);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
