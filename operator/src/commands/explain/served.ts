/** Pure: by what a node counts, for `flipop explain`. */

import type { WorkloadSource } from "../../match/workload.js";
import { podlessText } from "../../messages/addresses.js";
import { listed } from "../../values.js";

/** What makes the node match. `undefined`: nothing, or it is not known. */
export function servedText(workload: WorkloadSource, node: string): string | undefined {
  const [pods, slice] = [workload.servingOn?.(node) ?? [], workload.podlessOn?.(node)];
  if (slice !== undefined) return podlessText(slice);
  return pods.length === 0 ? undefined : `${listed(pods)} ${pods.length === 1 ? "is" : "are"} ready`;
}
