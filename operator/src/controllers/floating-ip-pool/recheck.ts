/** Whether the decision behind an action of a pool still holds at the moment at which its call may be sent. */

import { type Basis, type Move, moveBasis, objectBasis, recheckOf } from "../../addresses/basis.js";
import type { Recheck } from "../../providers/call.js";
import { supersededRecords } from "../../records/recheck.js";
import type { ControllerContext } from "../context.js";
import type { Action, ActionSequence } from "./actions.js";
import { type GatherTools, gather } from "./gather.js";
import type { Iteration } from "./iteration.js";
import { plan } from "./plan.js";
import type { PoolState } from "./resource-state.js";

/** Called in the same turn of the event loop as the decision. */
export function rechecksOf(
  tools: GatherTools,
  resourceState: PoolState,
  iteration: Iteration,
  sequence: ActionSequence,
): (action: Action) => Recheck | undefined {
  const rechecks = new Map(sequence.map((action) => [action, recheckFor(tools, resourceState, iteration, action)]));
  return (action) => rechecks.get(action);
}

function recheckFor(
  tools: GatherTools,
  resourceState: PoolState,
  iteration: Iteration,
  action: Action,
): Recheck | undefined {
  if (action.do === "apply-records") return () => supersededRecords(plannedNow(tools, resourceState), action);
  const move = moveOf(action);
  return move && recheckOf(() => basisOf(tools.context, resourceState, iteration, move));
}

function basisOf({ claims }: ControllerContext, resourceState: PoolState, { account }: Iteration, move: Move): Basis {
  const scene = {
    view: account?.inventory?.view(),
    verdictOf: (machine: string) => resourceState.match.index?.verdictOfMachine(machine),
    ownerOf: (ip: string) => claims.holderOf(ip),
  };
  const { settled } = resourceState.match;
  return { ...objectBasis(resourceState.object()?.metadata), "the pool's match": settled, ...moveBasis(scene, move) };
}

function moveOf(action: Action): Move | undefined {
  switch (action.do) {
    case "assign":
      return { ip: action.ip, to: action.node.machine, from: action.from };
    case "unassign":
      return { ip: action.ip, from: action.from };
    case "release":
      return { ip: action.ip };
    case "create-address":
      return "node" in action.desired ? { to: action.desired.node } : {};
    default:
      return undefined;
  }
}

function plannedNow(tools: GatherTools, resourceState: PoolState): readonly Action[] | undefined {
  const read = resourceState.read();
  return read && plan(gather(tools, resourceState, read).snapshot).sequences.flat();
}
