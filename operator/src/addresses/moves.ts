/** The actions that move an address, and those that follow a move that runs. */

import type { ActionSequence, AddressAction } from "./actions.js";
import type { AddressSnapshot } from "./address-set.js";
import type { Assignment } from "./assignments.js";
import type { Placement } from "./grace.js";

type MoveAction = Extract<AddressAction, { readonly do: "assign" | "unassign" }>;
type PollAction = Extract<AddressAction, { readonly do: "poll" }>;

/** Where the provider can't move a held address, it only leaves its node: at the next look it is free. */
export function moveOf({ capabilities }: AddressSnapshot, { placement, node }: Assignment, why: string): MoveAction {
  const { ip } = placement.address;
  const from = placement.holder;
  if (from !== undefined && capabilities?.movesHeld !== true) return { do: "unassign", ip, from, why };
  const target = { name: node.name, machine: node.machine };
  return { do: "assign", ip, node: target, ...(from === undefined ? {} : { from }), why };
}

/** Looks at each action that runs: another one on the same address waits for its end. */
export function pollSequences(placements: readonly Placement[]): readonly ActionSequence<PollAction>[] {
  return placements.flatMap(({ action, address: { ip, claim } }): readonly ActionSequence<PollAction>[] => {
    if (action?.id === undefined || claim?.ours !== true) return [];
    return [[{ do: "poll", ip, id: action.id, expected: action.expected, why: "an action runs on it" }]];
  });
}
