/** Whether the decision behind an action of a pool still holds at the moment at which its call may be sent. */

import type { Recheck } from "../../providers/call.js";
import { type Basis, type Move, moveBasis, objectBasis, recheckOf } from "../addresses/basis.js";
import type { ControllerContext } from "../context.js";
import { supersededRecords } from "../records/recheck.js";
import type { Action, Chain } from "./actions.js";
import { type GatherTools, gather } from "./gather.js";
import { plan } from "./plan.js";
import type { Turn } from "./turn.js";
import type { PoolUnit } from "./unit.js";

/** Called in the same turn of the event loop as the decision. */
export function rechecksOf(
  tools: GatherTools,
  unit: PoolUnit,
  turn: Turn,
  chain: Chain,
): (action: Action) => Recheck | undefined {
  const rechecks = new Map(chain.map((action) => [action, recheckFor(tools, unit, turn, action)]));
  return (action) => rechecks.get(action);
}

function recheckFor(tools: GatherTools, unit: PoolUnit, turn: Turn, action: Action): Recheck | undefined {
  if (action.do === "apply-records") return () => supersededRecords(plannedNow(tools, unit), action);
  const move = moveOf(action);
  return move && recheckOf(() => basisOf(tools.context, unit, turn, move));
}

function basisOf({ claims }: ControllerContext, unit: PoolUnit, { account }: Turn, move: Move): Basis {
  const scene = {
    view: account?.inventory?.view(),
    verdictOf: (machine: string) => unit.match.index?.verdictOfMachine(machine),
    ownerOf: (ip: string) => claims.holderOf(ip),
  };
  const { settled } = unit.match;
  return { ...objectBasis(unit.object()?.metadata), "the pool's match": settled, ...moveBasis(scene, move) };
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
      return "node" in action.wish ? { to: action.wish.node } : {};
    default:
      return undefined;
  }
}

function plannedNow(tools: GatherTools, unit: PoolUnit): readonly Action[] | undefined {
  const read = unit.read();
  return read && plan(gather(tools, unit, read).snapshot).chains.flat();
}
