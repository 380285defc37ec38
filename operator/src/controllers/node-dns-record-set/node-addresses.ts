/** Step 2: the addresses of a node that a record set is about. */

import { canonicalIp, familyOf, isIp } from "cdk8s-flipop/api";
import type { NodeFacts } from "../../match/node-facts.js";
import type { Desired } from "./wish.js";

/** One of each family at most, canonical: the first that the node names. */
export function addressesOf(node: NodeFacts, { source, families }: Desired): readonly string[] {
  const all = named(node, source).filter(isIp).map(canonicalIp);
  return families.flatMap((family) => all.find((ip) => familyOf(ip) === family) ?? []);
}

/** Whether a change of a node can matter to the records. */
export function sameAddresses(a: NodeFacts, b: NodeFacts, desired: Desired): boolean {
  return `${addressesOf(a, desired)}` === `${addressesOf(b, desired)}`;
}

function named({ addresses, annotations }: NodeFacts, source: Desired["source"]): readonly string[] {
  if ("annotation" in source) return [annotations[source.annotation] ?? ""];
  return addresses.filter(({ type }) => type === source.statusType).map(({ address }) => address);
}
