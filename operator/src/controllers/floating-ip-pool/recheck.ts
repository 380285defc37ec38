/** Whether the decision behind an action of a pool still holds at the moment at which its call may be sent. */

import type { PlannedAction } from "../../addresses/actions.js";
import { type Basis, type Move, moveBasis, objectBasis, recheckOf } from "../../addresses/basis.js";
import type { Recheck } from "../../providers/call.js";
import type { RecheckedDecision } from "../../reconcile/kind.js";
import { supersededRecords } from "../../records/recheck.js";
import type { ControllerContext } from "../context.js";
import type { Gathered } from "./gather.js";
import type { PoolState, Pools } from "./resource.js";

/** Called in the same turn of the event loop as the decision. */
export function recheckFor(
  context: ControllerContext,
  state: PoolState,
  action: PlannedAction,
  { snapshot, plannedNow }: RecheckedDecision<Pools>,
): Recheck | undefined {
  if (action.do === "apply-records") return () => supersededRecords(plannedNow(), action);
  const move = moveOf(action);
  return move && recheckOf(() => basisOf(context, state, snapshot, move));
}

function basisOf({ claims }: ControllerContext, state: PoolState, { account }: Gathered, move: Move): Basis {
  const { match } = state.memory;
  const scene = {
    view: account?.inventory?.view(),
    verdictOf: (machine: string) => match.index?.verdictOfMachine(machine),
    ownerOf: (ip: string) => claims.holderOf(ip),
  };
  return { ...objectBasis(state.object()?.metadata), "the pool's match": match.settled, ...moveBasis(scene, move) };
}

function moveOf(action: PlannedAction): Move | undefined {
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
