/** A failed probe alone moves nothing: a witness must confirm it. */

import type { History, ResourceState, Violation } from "../history.js";
import { certainly, overlaps, refusedWithoutCheck } from "../truth.js";
import { BOUNDS } from "./bounds.js";
import { hadStandby } from "./health.js";
import { AGE_MS, departures, recovering } from "./moves.js";

/**
 * An address left a node that only its probes refuse, while its kubelet renewed its Lease. Only a second replica can
 * have confirmed that: no machine of a storm is ever switched off. Nodes on which a replica runs are left out, because a
 * leader that lets its Lease run out is a witness for its own node.
 */
export function movesAreConfirmed(history: History): readonly Violation[] {
  return departures(history).flatMap(({ move, node, spec, resource }) => {
    const { at } = move.call;
    const from = at - BOUNDS.answerMs - AGE_MS;
    if (history.replicaNodes.includes(node) || !onlyProbesFail(history, { spec, node, at })) return [];
    if (hadStandby(history, from, at)) return [];
    const message = `${move.ip} of ${resource} left ${node}, whose kubelet renewed its Lease, and no second replica ran within ${at - from} ms`;
    return [{ check: "a witness confirms", at, message }];
  });
}

interface Place {
  readonly spec: ResourceState;
  readonly node: string;
  readonly at: number;
}

function onlyProbesFail(history: History, { spec, node, at }: Place): boolean {
  const { nodes, unsure } = history;
  if (spec.check === undefined) return false;
  const decided = { from: at - AGE_MS, to: at };
  const witnessed = { from: decided.from - BOUNDS.leaseSilentMs, to: at };
  const isSure = !overlaps([...recovering(history), ...unsure], witnessed.from, witnessed.to);
  const isRefused = (state: Parameters<typeof refusedWithoutCheck>[1]) => refusedWithoutCheck(spec, state, node);
  return (
    isSure &&
    certainly(nodes, node, decided, (state) => !isRefused(state)) &&
    certainly(nodes, node, witnessed, ({ kubelet }) => kubelet)
  );
}
