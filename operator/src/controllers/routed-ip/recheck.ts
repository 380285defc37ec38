/** Whether the decision behind an action of a RoutedIP still holds at the moment at which its call may be sent. */

import {
  type Basis,
  type Move,
  moveBasis,
  moveOf,
  objectBasis,
  recheckOf as onBasis,
} from "../../addresses/calls/basis.js";
import { MAX_DECISION_AGE_MS } from "../../bounds.js";
import { jsonEqual } from "../../kube/cache/equal.js";
import type { Recheck } from "../../providers/call.js";
import type { RecheckedDecision } from "../../reconcile/kind.js";
import { supersededRecords } from "../../records/recheck.js";
import { resolveClass } from "../../routing/resolved-class.js";
import type { GatherTools } from "./gather.js";
import { type RoutedKind, type RoutedState, readOf } from "./routed-state.js";

type RoutedAction = RoutedKind["action"];
type Decision = RecheckedDecision<RoutedKind>;

export function recheckOf(
  tools: GatherTools,
  state: RoutedState,
  action: RoutedAction,
  decision: Decision,
): Recheck | undefined {
  switch (action.do) {
    case "apply-records":
      return () => supersededRecords(decision.plannedNow(), action);
    case "create-firewall":
    case "change-firewall":
      return () => replanned(decision, action);
    case "set-taints":
      return patient(tools, () => replanned(decision, action));
    default: {
      const move = moveOf(action);
      return move && onBasis(() => basisOf(tools, state, decision, move));
    }
  }
}

/** A change that only follows an earlier step of the same run is not checked while the decision is young. */
function patient({ routing: { context } }: GatherTools, recheck: Recheck): Recheck {
  const decidedAt = context.clock.monotonic();
  return () => (context.clock.monotonic() - decidedAt <= MAX_DECISION_AGE_MS ? undefined : recheck());
}

function basisOf({ routing }: GatherTools, state: RoutedState, { snapshot: gathered }: Decision, move: Move): Basis {
  const { claims } = routing.context;
  const { index } = state.memory.follower;
  const read = readOf(state);
  const scene = {
    view: gathered.by === "issuer" ? gathered.account?.inventory?.view() : undefined,
    verdictOf: (machine: string) => index?.verdictOfMachine(machine),
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
function replanned({ plannedNow }: Decision, { why: _why, ...wanted }: RoutedAction): string | undefined {
  const same = plannedNow()?.some(({ why: _other, ...planned }) => jsonEqual(planned, wanted));
  return same === true ? undefined : "what the RoutedIP needs has changed since the decision";
}
