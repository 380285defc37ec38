/** The facts behind a decision about an address: as long as none of them changes, the decision holds. Pure. */

import type { InventoryView, ResourceRef } from "../../inventory/types.js";
import type { ObjectMeta } from "../../kube/objects.js";
import type { Verdict } from "../../match/checks.js";
import type { Recheck } from "../../providers/call.js";
import type { ProviderId } from "../../providers/types.js";
import type { AddressAction } from "../actions.js";

/** By name, for people. */
export type Basis = Readonly<Record<string, string | number | boolean | undefined>>;

/** @param take the facts of now. Called once at once, in the same turn as the decision. */
export function recheckOf(take: () => Basis): Recheck {
  const before = take();
  return () => {
    const now = take();
    const changed = Object.keys(before).find((fact) => before[fact] !== now[fact]);
    return changed === undefined ? undefined : `${changed} has changed since the decision`;
  };
}

export interface MoveScene {
  readonly view: Pick<InventoryView, "get" | "heldCount"> | undefined;
  readonly verdictOf: (machine: ProviderId) => Verdict | undefined;
  readonly ownerOf: (ip: string) => ResourceRef | undefined;
}

/** What a call is about. */
export interface Move {
  readonly ip?: string | undefined;
  readonly from?: ProviderId | undefined;
  readonly to?: ProviderId | undefined;
}

type MoveAction = Extract<AddressAction, { readonly do: "assign" | "unassign" | "release" | "create-address" }>;

/** `undefined`: the action moves no address. */
export function moveOf(action: { readonly do: string }): Move | undefined {
  if (!isMove(action)) return undefined;
  switch (action.do) {
    case "assign":
      return { ip: action.ip, to: action.node.machine, from: action.from };
    case "unassign":
      return { ip: action.ip, from: action.from };
    case "release":
      return { ip: action.ip };
    default:
      return "node" in action.desired ? { to: action.desired.node } : {};
  }
}

function isMove(action: { readonly do: string }): action is MoveAction {
  return Object.hasOwn(MOVES, action.do);
}

const MOVES = {
  assign: true,
  unassign: true,
  release: true,
  "create-address": true,
} as const satisfies Record<MoveAction["do"], true>;

export function moveBasis({ view, verdictOf, ownerOf }: MoveScene, { ip, from, to }: Move): Basis {
  const address = ip === undefined ? undefined : view?.get(ip);
  const fitness = (machine: ProviderId | undefined) => {
    const verdict = machine === undefined ? undefined : verdictOf(machine);
    return verdict === undefined ? undefined : `${verdict.node.name} ${verdict.refusals.length === 0}`;
  };
  return {
    "the target node": fitness(to),
    "the number of addresses on the target node": to === undefined ? undefined : view?.heldCount(to),
    "the holding node": fitness(from),
    "the address's holder": address?.holder,
    "the action on the address": address?.action === undefined ? undefined : `running ${address.action.id}`,
    "the address's owner": ip === undefined ? undefined : ownerOf(ip)?.uid,
  };
}

export function objectBasis(metadata: ObjectMeta | undefined): Basis {
  const { uid, generation, deletionTimestamp } = metadata ?? {};
  return { "the resource": `${uid} ${generation} ${deletionTimestamp}` };
}
