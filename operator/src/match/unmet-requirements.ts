/** What nodes are without that a resource asks for, and what would serve them elsewhere: for the tally. */

import { omitUndefined } from "../values.js";
import type { CompiledMatch } from "./compile-match.js";
import type { NodeDirectory } from "./node-directory.js";
import type { NodeFacts } from "./node-facts.js";
import type { WorkloadSource } from "./node-workload.js";
import type { Crowded, Lacking } from "./tally.js";

interface Asked {
  readonly match: CompiledMatch;
  readonly workload?: WorkloadSource;
}

/** What the index of the match knows. */
interface Seen {
  /** No node in sight has the workload. */
  readonly lacksWorkload: boolean;
  /** A node with the labels lacks nothing else. */
  readonly namesWaiting: boolean;
  anyNodeHasLabels(): boolean;
}

/** What a node is without that is out of sight. */
export function lackingOf(nodes: NodeDirectory, { match, workload }: Asked, seen: Seen): Lacking {
  const { nodeLabels, labelText: label } = match;
  const [relabel, forbidden] = [nodes.relabel(nodeLabels), nodes.forbidden(nodeLabels)];
  const asked = { label, ...omitUndefined({ relabel, forbidden }) };
  if (workload === undefined || !seen.anyNodeHasLabels()) return asked;
  const labelled = nodeLabels.length === 0 ? {} : asked;
  // The pods are read only where no node in sight has one: this costs the work of all of them.
  const presence = seen.lacksWorkload ? workload.presence() : seen.namesWaiting ? workload.waiting?.() : undefined;
  return { ...labelled, workload: workload.text, ...omitUndefined({ presence }) };
}

/** The first candidate by name that runs several pods of the workload. */
export function crowdedOf(candidates: readonly NodeFacts[], workload: WorkloadSource | undefined): Crowded | undefined {
  let first: Crowded | undefined;
  for (const { name } of candidates) {
    const pods = workload?.servingOn?.(name).length ?? 0;
    if (pods > 1 && (first === undefined || name < first.node)) first = { node: name, pods };
  }
  return first;
}
