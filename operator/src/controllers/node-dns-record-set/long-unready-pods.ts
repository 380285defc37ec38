/** Pure: pods that have not become ready for long, so that their nodes are left out: a rollout takes less time. */

import type { Refusal } from "../../match/checks.js";
import { repairOfHolder } from "../../messages/nodes/refused-nodes.js";
import { UNREADY_POD_MS } from "../../timings.js";
import { compareText } from "../../values.js";
import type { Publication } from "./published-nodes.js";
import type { Snapshot } from "./resource.js";

type Seen = Pick<Snapshot, "leftOut" | "meant" | "now">;

/** The first by the name of its node. */
export function longUnready(seen: Seen, { entries }: Pick<Publication, "entries">) {
  const [first] = unreadyOf(seen, entries)
    .filter(({ since }) => since + UNREADY_POD_MS <= seen.now)
    .sort((a, b) => compareText(a.node, b.node));
  if (first === undefined) return undefined;
  const { node, pod, since, refusal } = first;
  return { node, pod, since, repair: repairOfHolder([refusal], node, "match") };
}

/** When the pods that are not ready now will have been so for long, ms since the epoch. */
export function unreadyTimes(seen: Seen, { entries }: Pick<Publication, "entries">): readonly number[] {
  return unreadyOf(seen, entries).map(({ since }) => since + UNREADY_POD_MS);
}

interface UnreadyPod {
  readonly node: string;
  readonly pod: string;
  readonly since: number;
  readonly refusal: Refusal;
}

function unreadyOf({ leftOut, meant }: Seen, entries: Publication["entries"]): UnreadyPod[] {
  const published = new Set(entries.map(({ nodeName }) => nodeName));
  // Mostly no node is left out, which costs less to see.
  if (leftOut(published) === "") return [];
  return meant().flatMap(({ node: { name: node }, refusals: [refusal] }) => {
    if (refusal?.reason !== "PodNotReady" || published.has(node)) return [];
    const { pod, since } = refusal;
    return pod === undefined || since === undefined ? [] : [{ node, pod, since, refusal }];
  });
}
