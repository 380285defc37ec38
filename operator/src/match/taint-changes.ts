/** Changes of verdicts that come from the operator's own taints. */

import { jsonEqual } from "../kube/objects.js";
import type { VerdictChange } from "./match-index.js";
import type { NodeFacts } from "./node-facts.js";

/** The operator's own taints, and nothing else. */
export function hasOnlyNewTaints({ what, before, after }: VerdictChange): boolean {
  return what === "facts" && jsonEqual(withoutOwnTaints(before?.node), withoutOwnTaints(after?.node));
}

function withoutOwnTaints(node: NodeFacts | undefined): object {
  const { ownTaints, ...rest } = node ?? {};
  return rest;
}
