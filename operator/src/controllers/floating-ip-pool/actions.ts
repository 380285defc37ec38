/** How each action of a pool is carried out, and whether its decision still holds. */

import type { PlannedAction } from "../../addresses/actions.js";
import { type Basis, type Move, moveBasis, moveOf, objectBasis, recheckOf } from "../../addresses/calls/basis.js";
import { DONE, type Outcome, skipped } from "../../addresses/calls/outcomes.js";
import type { Recheck } from "../../providers/call.js";
import type { CallPriority } from "../../providers/urgency.js";
import type { ActionCall, ActionTable, RecheckedDecision } from "../../reconcile/kind.js";
import type { RecoveringAccount } from "../../reconcile/retries/retries.js";
import type { DnsAction } from "../../records/actions.js";
import type { DnsService } from "../../records/dns-service.js";
import { supersededRecords } from "../../records/recheck.js";
import type { ControllerContext } from "../context.js";
import { addressCalls } from "./address-calls.js";
import { nodeAnnotations } from "./node-annotations.js";
import { ownWrites } from "./own-writes.js";
import type { PoolState, Pools } from "./resource.js";
import type { Gathered } from "./snapshot.js";

export function actions(context: ControllerContext, dnsService: DnsService): ActionTable<Pools> {
  const changeRecords = (call: ActionCall<Pools>, action: DnsAction) => callDns(dnsService, call, action);
  return {
    ...addressCalls(context),
    ...nodeAnnotations(context),
    ...ownWrites(context),
    "read-records": changeRecords,
    "apply-records": changeRecords,
  };
}

async function callDns(
  dnsService: DnsService,
  { snapshot: { dns }, context }: ActionCall<Pools>,
  action: DnsAction,
): Promise<Outcome> {
  if (dns === undefined) return skipped("there is no record set any more");
  await dnsService.carryOut(dns, action, context);
  return DONE;
}

/** A creation, a release or a record serves no node that waits for its address to move. */
export function priorityOf(action: PlannedAction): CallPriority {
  return RECORDS.has(action.do) ? "records" : "assignment";
}

const RECORDS: ReadonlySet<PlannedAction["do"]> = new Set([
  "create-address",
  "release",
  "read-records",
  "apply-records",
]);

/** The record set has an account of its own. */
export function accountOf(
  { records }: Pick<ControllerContext, "records">,
  { account, dns }: Gathered,
  action: PlannedAction,
): RecoveringAccount | undefined {
  if (action.do !== "read-records" && action.do !== "apply-records") return account;
  const provider = dns?.sets[action.which]?.provider;
  return provider && records.recoveryOf(provider);
}

/** Whether the decision behind an action still holds when its call may be sent. Called in the turn of the decision. */
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
