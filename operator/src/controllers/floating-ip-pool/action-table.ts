/** How each action of a pool is carried out, through the inventory of its account, and whether its decision still holds. */

import type { AddressStatus } from "cdk8s-flipop/api";
import type { PlannedAction } from "../../addresses/actions.js";
import {
  type Basis,
  DONE,
  type Move,
  moveBasis,
  moveOf,
  noting,
  type OpenAccount,
  type Outcome,
  objectBasis,
  openAccount,
  outcomeOfAction,
  outcomeOfRecords,
  poll,
  pollMs,
  recheckOf,
  skipped,
  stopBasis,
} from "../../addresses/call-outcomes.js";
import { createAddress } from "../../addresses/creation/create-address.js";
import { timestamp } from "../../clock.js";
import type { RecoveringAccount } from "../../providers/account-recovery.js";
import type { CallPriority, Recheck } from "../../providers/call.js";
import { isProviderError } from "../../providers/errors.js";
import type { CreateAddress } from "../../providers/types.js";
import { supersededBecause } from "../../reconcile/iteration.js";
import type { ActionCall, ActionTable, RecheckedDecision } from "../../reconcile/kind.js";
import type { DnsService } from "../../records/dns-service.js";
import type { DnsAction } from "../../records/record-actions.js";
import { supersededRecords } from "../../records/record-actions.js";
import type { ControllerContext } from "../context.js";
import { endCreation } from "./move-reservations.js";
import { nodeChanges, ownWrites } from "./object-calls.js";
import type { PoolState, PoolTypes } from "./resource.js";
import type { Gathered, Snapshot } from "./snapshot.js";

export function actions(context: ControllerContext, dnsService: DnsService): ActionTable<PoolTypes> {
  const changeRecords = (call: ActionCall<PoolTypes>, action: DnsAction) => callDns(dnsService, call, action);
  return {
    ...addressCalls(context),
    ...nodeChanges(context),
    ...ownWrites(context),
    "read-records": changeRecords,
    "apply-records": changeRecords,
  };
}

async function callDns(
  dnsService: DnsService,
  { snapshot: { dns }, context }: ActionCall<PoolTypes>,
  action: DnsAction,
): Promise<Outcome> {
  if (dns === undefined) return skipped("there is no record set any more");
  return outcomeOfRecords(dnsService.carryOut(dns, action, context));
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
  const tracked = dns?.sets[action.which];
  return tracked && records.accounts.of(tracked);
}

/** Whether the decision behind an action still holds when its call may be sent. Called in the turn of the decision. */
export function recheckFor(
  context: ControllerContext,
  state: PoolState,
  action: PlannedAction,
  { snapshot, plannedNow }: RecheckedDecision<PoolTypes>,
): Recheck | undefined {
  if (action.do === "apply-records") return () => supersededRecords(plannedNow(), action);
  if (action.do === "label-holders" || action.do === "taint-until")
    return () => supersededBecause(plannedNow(), action);
  // The other resource that has the address may be about to forget it, too.
  if (action.do === "forget-created" && action.gone === undefined) return () => supersededBecause(plannedNow(), action);
  // Meanwhile another node may be free.
  if (action.do === "unassign" && action.roomFor !== undefined) return () => supersededBecause(plannedNow(), action);
  const move = moveOf(action);
  return move && recheckOf(() => basisOf(context, state, snapshot, move));
}

function basisOf({ claims, holders }: ControllerContext, state: PoolState, { account }: Gathered, move: Move): Basis {
  const { match } = state.memory;
  const scene = {
    view: account?.inventory?.view(),
    verdictOf: (machine: string) => match.index?.verdictOfMachine(machine),
    ownerOf: (ip: string) => claims.holderOf(ip),
  };
  return {
    ...objectBasis(state.object()?.metadata),
    "the pool's match": match.settled,
    ...moveBasis(scene, move),
    ...stopBasis(holders, move),
  };
}

type Of<Verb extends PlannedAction["do"]> = Extract<PlannedAction, { readonly do: Verb }>;
type Call = ActionCall<PoolTypes>;
type Verb = "assign" | "unassign" | "release" | "poll" | "create-address" | "confirm-address";

function addressCalls(context: ControllerContext): Pick<ActionTable<PoolTypes>, Verb> {
  return {
    assign: (call, action) => calling(call, action, (open) => assign(open, call, action)),
    unassign: (call, action) => calling(call, action, (open) => unassign(open, call, action)),
    release: (call, action) => calling(call, action, (open) => release(open, call, action)),
    "confirm-address": (call, action) => calling(call, action, (open) => confirm(open, call, action)),
    poll: (call, action) => pollAction(context, call, action),
    "create-address": (call, action) => create(context, call, action),
  };
}

function opened({ state, snapshot: { account } }: Call): OpenAccount {
  return openAccount(account, `pool ${state.key}`);
}

async function calling(
  call: Call,
  { ip }: { readonly ip: string },
  run: (open: OpenAccount) => Promise<Outcome>,
): Promise<Outcome> {
  const open = opened(call);
  return noting(open.account, () => run(open), ip);
}

async function assign(
  { account: { provider, changes }, inventory }: OpenAccount,
  { context }: Call,
  { ip, node, from }: Of<"assign">,
): Promise<Outcome> {
  const desired = { ip, node: node.machine, ...(from === undefined ? {} : { from }) };
  try {
    return outcomeOfAction(await changes.send(() => inventory.assign(provider, context, desired)));
  } catch (error) {
    if (!isProviderError(error) || error.reason !== "HeldElsewhere" || from === undefined) throw error;
    // Some accounts move a held address only after it left its node; the next plan assigns it.
    await inventory.unassign(provider, context, { ip, from });
    throw error;
  }
}

async function unassign(
  { account: { provider, changes }, inventory }: OpenAccount,
  { context }: Call,
  { ip, from }: Of<"unassign">,
): Promise<Outcome> {
  return outcomeOfAction(await changes.send(() => inventory.unassign(provider, context, { ip, from })));
}

async function release(
  { account, inventory }: OpenAccount,
  { context }: Call,
  { ip }: Of<"release">,
): Promise<Outcome> {
  await account.changes.send(() => inventory.release(account.provider, context, ip));
  account.released();
  return DONE;
}

async function confirm(
  { inventory }: OpenAccount,
  { context, snapshot: { snapshot } }: Call,
  { ip }: Of<"confirm-address">,
): Promise<Outcome> {
  const confirmation = await inventory.confirm(context, ip, isHolderGone(snapshot, ip));
  return confirmation === "unconfirmed" ? skipped("a second read has to follow; the inventory says when") : DONE;
}

function isHolderGone({ inventory, verdictOf }: Snapshot, ip: string): boolean {
  const holder = inventory.get(ip)?.holder;
  return holder === undefined || verdictOf(holder) === undefined;
}

async function pollAction({ clock }: ControllerContext, call: Call, action: Of<"poll">): Promise<Outcome> {
  const { polls } = call.state.memory;
  const { ip, id } = action;
  const known = polls.get(ip);
  const attempts = (known?.id === id ? known.attempts : 0) + 1;
  polls.set(ip, { id, attempts, nextAt: clock.monotonic() + pollMs(attempts) });
  const outcome = await poll(opened(call), call.context, action);
  if (outcome.is !== "skipped") polls.delete(ip);
  return outcome;
}

async function create(context: ControllerContext, call: Call, action: Of<"create-address">): Promise<Outcome> {
  const { state } = call;
  const { desired, startedAt } = action;
  return createAddress(opened(call), call.context, desired, {
    refused: () => endCreation(context, state, { startedAt }),
    created: (ip, stateOfNew) => {
      const createdTime = timestamp(context.clock.now());
      const status = { ...placeOf(context, desired), ...stateOfNew, since: createdTime };
      return endCreation(context, state, { startedAt, created: { ip, createdTime, status } });
    },
  });
}

function placeOf({ nodes }: ControllerContext, desired: CreateAddress): AddressStatus {
  if (!("node" in desired)) return {};
  const node = nodes.ofMachine(desired.node);
  return { providerID: desired.node, ...(node === undefined ? {} : { nodeName: node.name }) };
}
