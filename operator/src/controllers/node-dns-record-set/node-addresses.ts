/** Step 2: the addresses of a node that a record set is about. */

import { canonicalIp, familyOf, isIp } from "cdk8s-flipop/api";
import type { NodeFacts } from "../../match/node-facts.js";
import type { Wish } from "./wish.js";

/** One of each family at most, canonical: the first that the node names. */
export function addressesOf(node: NodeFacts, { source, families }: Wish): readonly string[] {
  const all = named(node, source).filter(isIp).map(canonicalIp);
  return families.flatMap((family) => all.find((ip) => familyOf(ip) === family) ?? []);
}

/** Whether a change of a node can matter to the records. */
export function sameAddresses(a: NodeFacts, b: NodeFacts, wish: Wish): boolean {
  return `${addressesOf(a, wish)}` === `${addressesOf(b, wish)}`;
}

function named({ addresses, annotations }: NodeFacts, source: Wish["source"]): readonly string[] {
  if ("annotation" in source) return [annotations[source.annotation] ?? ""];
  return addresses.filter(({ type }) => type === source.statusType).map(({ address }) => address);
}
