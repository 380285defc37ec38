/** Labels and taints that the plan of a resource changes on nodes, while the API server refuses it. Pure. */

import type { Reason } from "cdk8s-flipop/api";
import type { Problem } from "../../messages/message.js";
import { markMessages } from "../../messages/nodes/marks.js";
import { lockKeyOf, type MarkAction } from "../actions.js";

/** A change of a plan. */
export interface MarkChange {
  readonly what: "label" | "taint";
  readonly key: string;
  readonly nodes: readonly string[];
  readonly retryKey: string;
}

/** What the API server refused last, by retry key. */
export type RefusedWrites = ReadonlyMap<string, Problem>;

export function markChanges(chains: readonly (readonly MarkAction[])[]): readonly MarkChange[] {
  return chains.flat().map((action): MarkChange => {
    const { key } = action;
    const retryKey = lockKeyOf([action]);
    return action.do === "label-holders"
      ? { what: "label", key, nodes: action.nodes, retryKey }
      : { what: "taint", key, nodes: [action.node], retryKey };
  });
}

/** A condition reports it, one for all nodes. */
export function isRefusedMark(
  { do: verb }: { readonly do: string },
  { problem }: { readonly problem: Problem },
): boolean {
  return problem.reason === REFUSED && MARKS.has(verb);
}

const MARKS: ReadonlySet<string> = new Set(["label-holders", "taint-until"] satisfies MarkAction["do"][]);
const REFUSED: Reason = "APIServerRefused";

/** Of several marks, the first: what refuses one usually refuses the others, too. */
export function refusedMark(changes: readonly MarkChange[], writes: RefusedWrites = new Map()): Problem | undefined {
  const refused = changes.flatMap((change) => {
    const cause = writes.get(change.retryKey);
    return cause === undefined ? [] : [{ change, cause }];
  });
  const [first, ...others] = refused;
  if (first === undefined) return undefined;
  const { what, key } = first.change;
  const nodes = refused.flatMap(({ change }) => (change.key === key ? change.nodes : []));
  return markMessages.refused({ what, key, nodes, causes: [first.cause, ...others.map(({ cause }) => cause)] });
}
