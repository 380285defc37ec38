/** Whether the decision behind an action of a RoutedIP still holds at the moment at which its call may be sent. */

import { type Basis, type Move, moveBasis, objectBasis, recheckOf } from "../../addresses/basis.js";
import { MAX_DECISION_AGE_MS } from "../../bounds.js";
import type { Recheck } from "../../providers/call.js";
import { supersededRecords } from "../../records/recheck.js";
import { resolveClass } from "../../routing/resolved-class.js";
import type { Action } from "./actions.js";
import { type Gathered, type GatherTools, gather } from "./gather.js";
import { type Plan, plan } from "./plan.js";
import type { RoutedIPState } from "./resource-state.js";

type Tools = GatherTools & { readonly resourceState: RoutedIPState; readonly gathered: Gathered };

/** Called in the same turn of the event loop as the decision. */
export function rechecksOf(tools: Tools, { steps, sequences }: Plan): (action: Action) => Recheck | undefined {
  const actions = [...steps.flatMap((step) => step.actions), ...sequences.flat()];
  const rechecks = new Map(actions.map((action) => [action, recheckFor(tools, action)]));
  return (action) => rechecks.get(action);
}

function recheckFor(tools: Tools, action: Action): Recheck | undefined {
  switch (action.do) {
    case "apply-records":
      return () => supersededRecords(plannedNow(tools), action);
    case "create-firewall":
    case "change-firewall":
      return () => replanned(tools, action);
    case "set-taints":
      return patient(tools, () => replanned(tools, action));
    case "assign":
      return recheckOf(() => basisOf(tools, { ip: action.ip, to: action.node.machine, from: action.from }));
    case "unassign":
      return recheckOf(() => basisOf(tools, { ip: action.ip, from: action.from }));
    case "release":
      return recheckOf(() => basisOf(tools, { ip: action.ip }));
    case "create-address":
      return recheckOf(() => basisOf(tools, "node" in action.desired ? { to: action.desired.node } : {}));
    default:
      return undefined;
  }
}

/** A change that only follows an earlier step of the same run is not checked while the decision is young. */
function patient({ routing: { context } }: Tools, recheck: Recheck): Recheck {
  const decidedAt = context.clock.monotonic();
  return () => (context.clock.monotonic() - decidedAt <= MAX_DECISION_AGE_MS ? undefined : recheck());
}

function basisOf({ routing, resourceState, gathered }: Tools, move: Move): Basis {
  const { claims } = routing.context;
  const read = resourceState.read();
  const scene = {
    view: gathered.account?.inventory?.view(),
    verdictOf: (machine: string) => resourceState.index?.verdictOfMachine(machine),
    ownerOf: (ip: string) => claims.holderOf(ip),
  };
  const resolvedClass = read && resolveClass(read.routed, routing.lookUp).resolvedClass;
  return {
    ...objectBasis(read?.routed.metadata),
    "its issuer or class": JSON.stringify(resolvedClass),
    ...moveBasis(scene, move),
  };
}

/** The plan of now asks for the very same. */
function replanned(tools: Tools, { why: _why, ...wanted }: Action): string | undefined {
  const text = JSON.stringify(wanted);
  const same = plannedNow(tools)?.some(({ why: _other, ...planned }) => JSON.stringify(planned) === text);
  return same === true ? undefined : "what the RoutedIP needs has changed since the decision";
}

function plannedNow(tools: Tools): readonly Action[] | undefined {
  const read = tools.resourceState.read();
  if (read === undefined) return undefined;
  const { steps, sequences } = plan(gather(tools, tools.resourceState, read).snapshot);
  return [...steps.flatMap((step) => step.actions), ...sequences.flat()];
}
