/** Reasons that imply others, so that a message lists each cause once. */

import { REFUSALS, type RefusalReason } from "cdk8s-flipop/api";
import type { Refusal } from "./checks.js";

/** What follows from a reason: whoever hears of it expects no less. */
const IMPLIED: Readonly<Partial<Record<RefusalReason, readonly RefusalReason[]>>> = {
  NodeDeleting: ["Cordoned", "NodeNotReady", "NodeUnwell", "PodNotReady"],
  // Kubernetes taints such a node, and marks its pods.
  NodeNotReady: ["NodeUnwell", "PodNotReady"],
};

/** For people: permanent reasons first, and none that another one implies. */
export function notableRefusals(refusals: readonly Refusal[]): readonly Refusal[] {
  const implied = new Set(refusals.flatMap(({ reason }) => IMPLIED[reason] ?? []));
  const rank = ({ reason }: Refusal) => Number(REFUSALS[reason].recoverable);
  return refusals.filter(({ reason }) => !implied.has(reason)).sort((a, b) => rank(a) - rank(b));
}
