/** The actions of RoutedIPs: the function for each, its work class, the check of its decision, and the machine or account that its failure may be due to. */

import {
  type Basis,
  type Move,
  moveBasis,
  moveOf,
  type Outcome,
  objectBasis,
  recheckOf as onBasis,
  stopBasis,
} from "../../addresses/call-outcomes.js";
import { labelHolders, taintUntil } from "../../addresses/marks/mark-calls.js";
import { carryOutPassOn } from "../../addresses/releases/heirs.js";
import { jsonEqual } from "../../kube/objects.js";
import type { RecoveringAccount } from "../../providers/account-recovery.js";
import type { CallPriority, Recheck } from "../../providers/call.js";
import type { ActionCall, ActionTable, RecheckedDecision, RunAction } from "../../reconcile/kind.js";
import { supersededRecords } from "../../records/record-actions.js";
import { resolveClass } from "../../routing/resolved-class.js";
import { MAX_DECISION_AGE_MS } from "../../timings.js";
import type { Action } from "./actions.js";
import { assign, create, poll, release, unassign } from "./address/address-calls.js";
import {
  changeFirewall,
  createFirewall,
  extendFirewall,
  firewallPriority,
  isFirewallCall,
  readFirewall,
  recordCreated,
  recoveryOf,
} from "./firewall/firewall-calls.js";
import type { GatherTools } from "./gather.js";
import { createJob, record, removeJob } from "./jobs/calls.js";
import { type IssuedCall, type RoutedKind, type RoutedState, readOf } from "./memory.js";
import {
  callRecords,
  dropCopy,
  forgetCreated,
  patchMetadata,
  recordCreation,
  recordDns,
  recordFirewall,
  recordIntent,
  recordRetained,
} from "./object-calls.js";
import type { Gathered } from "./snapshot.js";
import { setTaints } from "./taint-calls.js";

type RunIssued<A> = (tools: GatherTools, call: IssuedCall, action: A) => Promise<Outcome>;

export function actions(tools: GatherTools): ActionTable<RoutedKind> {
  const issued =
    <A extends Action>(run: RunIssued<A>): RunAction<RoutedKind, A> =>
    (call, action) => {
      const { snapshot } = call;
      if (snapshot.by !== "issuer") throw new Error(`a plan for Jobs asks for "${action.do}"`);
      return run(tools, { ...call, snapshot }, action);
    };
  return {
    ...{ assign: issued(assign), unassign: issued(unassign), release: issued(release), poll: issued(poll) },
    "create-address": issued(create),
    "read-firewall": issued(readFirewall),
    "change-firewall": issued(changeFirewall),
    "create-firewall": issued(createFirewall),
    "extend-firewall": issued(extendFirewall),
    "record-created-firewall": issued((_tools, call, { created }) => recordCreated(tools, call, created)),
    "record-retained": (call, action) => recordRetained(tools, call, action),
    "record-firewall": issued(recordFirewall),
    "label-holders": (call, action) => labelHolders(tools.routing.context, markCall(call), action),
    "taint-until": (call, action) => taintUntil(tools.routing.context, markCall(call), action),
    "set-taints": (call, action) => setTaints(tools.routing, call, action),
    "read-records": callRecords,
    "apply-records": callRecords,
    "record-dns": (call, action) => recordDns(tools, call, action),
    "record-intent": issued(recordIntent),
    "settle-creation": ({ state }, { result }) => recordCreation(state, result),
    "record-creation": ({ state }, { result }) => recordCreation(state, result),
    "drop-intent-copy": ({ state }) => dropCopy(state),
    "pass-on": ({ state }, action) => carryOutPassOn(tools.routing.context.heirs, state.ref.uid, action),
    "forget-created": ({ state }, action) => forgetCreated(tools, state, action),
    "annotate-pool": patchMetadata,
    "clear-forget-creation": patchMetadata,
    "add-finalizer": patchMetadata,
    "remove-finalizer": patchMetadata,
    annotate: patchMetadata,
    record: (call, action) => record(tools, call, action),
    "create-job": (call, action) => createJob(tools, call, action),
    "remove-job": (_call, { job }) => removeJob(tools, job),
  };
}

function markCall({ context: { recheck }, signal }: ActionCall<RoutedKind>) {
  return { recheck, signal };
}

type RoutedAction = RoutedKind["action"];

export function accountOf(
  { routing }: GatherTools,
  gathered: Gathered,
  action: RoutedAction,
): RecoveringAccount | undefined {
  if (action.do === "read-records" || action.do === "apply-records") {
    const tracked = gathered.dns?.sets[action.which];
    return tracked && routing.context.records.accounts.of(tracked);
  }
  if (gathered.by === "jobs") return undefined;
  return isFirewallCall(action) ? recoveryOf(routing, gathered, action) : gathered.account;
}

/** Records, and a creation or a release, serve no node that waits for its address to move. */
export function priorityOf(action: RoutedAction): CallPriority | undefined {
  switch (action.do) {
    case "create-address":
    case "release":
    case "read-records":
    case "apply-records":
      return "records";
    default:
      return isFirewallCall(action) ? firewallPriority(action) : undefined;
  }
}

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
    case "extend-firewall":
    case "change-firewall":
      return () => replanned(decision, action);
    case "label-holders":
    case "taint-until":
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
  const { claims, holders } = routing.context;
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
    ...stopBasis(holders, move),
  };
}

/** The plan of now asks for the very same. */
function replanned({ plannedNow }: Decision, { why: _why, ...wanted }: RoutedAction): string | undefined {
  const same = plannedNow()?.some(({ why: _other, ...planned }) => jsonEqual(planned, wanted));
  return same === true ? undefined : "what the RoutedIP needs has changed since the decision";
}
