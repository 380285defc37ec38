/**
 * Pools that this operator does not see, because another installation manages their namespaces or their kind. The annotations
 * that they have on nodes claim the addresses for them.
 */

import { canonicalIp, type FeatureName, IP_FAMILIES } from "cdk8s-flipop/api";
import { ADDRESS_ANNOTATIONS, type AnnotatedNodes, parseOwner } from "../../addresses/annotations.js";
import type { Claims } from "../../claims/claims.js";
import type { NodeDirectory } from "../../match/node-directory.js";
import type { NodeFacts } from "../../match/node-facts.js";
import { watchesNamespace } from "../context.js";

interface Context {
  readonly annotated: AnnotatedNodes;
  readonly claims: Claims;
  readonly nodes: NodeDirectory;
  readonly settings: { readonly features: readonly FeatureName[]; readonly watchNamespaces: readonly string[] };
}

/** @returns the function that ends it. */
export function claimForUnseenOwners(context: Context): () => void {
  const isUnseen = (owner: string) => !seesOwner(context.settings, owner);
  return context.nodes.listen(({ before, after }) => {
    if (before?.annotations === after?.annotations) return;
    for (const owner of new Set([...ownersOn(before), ...ownersOn(after)].filter(isUnseen))) claimFor(context, owner);
  });
}

/** Whether this operator reads the pool, so that it knows whether it exists, and which addresses it has. */
export function seesOwner(settings: Context["settings"], owner: string): boolean {
  const namespace = parseOwner(owner)?.namespace;
  if (namespace === undefined) return true;
  return settings.features.includes("pools") && watchesNamespace(settings, namespace);
}

/** Also of nodes that do not have the address now: the other installation may just be moving it. */
function claimFor({ annotated, claims }: Context, text: string): void {
  const owner = parseOwner(text);
  if (owner === undefined) return;
  const nodes = new Map<string, string>();
  for (const family of IP_FAMILIES)
    for (const { name, annotations } of annotated.find(family, text, [])) {
      const ip = annotations[ADDRESS_ANNOTATIONS[family].value];
      if (ip !== undefined && !nodes.has(canonicalIp(ip))) nodes.set(canonicalIp(ip), name);
    }
  // Anybody who may annotate nodes writes this uid: it must not replace that of a pool that this operator sees.
  const ref = { kind: "FloatingIPPool", ...owner, uid: text };
  const addresses = [...nodes].map(([ip, node]) => ({ ip, node, title: "marked" as const }));
  if (addresses.length === 0) claims.drop(text);
  else claims.put({ ref, createdAt: "", addresses, names: [] });
}

function ownersOn(node: NodeFacts | undefined): readonly string[] {
  return IP_FAMILIES.flatMap((family) => node?.annotations[ADDRESS_ANNOTATIONS[family].owner] ?? []);
}
