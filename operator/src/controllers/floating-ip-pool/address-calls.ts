/** Actions on addresses: calls to the provider, through the inventory of its account. */

import type { AddressStatus } from "cdk8s-flipop/api";
import type { PlannedAction } from "../../addresses/actions.js";
import { noting, type OpenAccount, openAccount, outcomeOfAction } from "../../addresses/calls/call.js";
import { DONE, type Outcome, skipped } from "../../addresses/calls/outcomes.js";
import { poll, pollMs } from "../../addresses/calls/poll.js";
import { createAddress } from "../../addresses/creation/create.js";
import { isProviderError } from "../../providers/errors.js";
import type { CreateAddress } from "../../providers/types.js";
import type { ActionCall, ActionTable } from "../../reconcile/kind.js";
import { timestamp } from "../../times.js";
import type { ControllerContext } from "../context.js";
import { endCreation } from "./pool-creation.js";
import type { Pools } from "./resource.js";
import type { Snapshot } from "./snapshot.js";

type Of<Verb extends PlannedAction["do"]> = Extract<PlannedAction, { readonly do: Verb }>;
type Call = ActionCall<Pools>;
type Verb = "assign" | "unassign" | "release" | "poll" | "create-address" | "confirm-address";

export function addressCalls(context: ControllerContext): Pick<ActionTable<Pools>, Verb> {
  return {
    assign: (call, action) => calling(call, (open) => assign(open, call, action)),
    unassign: (call, action) => calling(call, (open) => unassign(open, call, action)),
    release: (call, action) => calling(call, (open) => release(open, call, action)),
    "confirm-address": (call, action) => calling(call, (open) => confirm(open, call, action)),
    poll: (call, action) => pollAction(context, call, action),
    "create-address": (call, action) => create(context, call, action),
  };
}

function opened({ state, snapshot: { account } }: Call): OpenAccount {
  return openAccount(account, `pool ${state.key}`);
}

async function calling(call: Call, run: (open: OpenAccount) => Promise<Outcome>): Promise<Outcome> {
  const open = opened(call);
  return noting(open.account, () => run(open));
}

async function assign(
  { account: { provider }, inventory }: OpenAccount,
  { context }: Call,
  { ip, node, from }: Of<"assign">,
): Promise<Outcome> {
  const desired = { ip, node: node.machine, ...(from === undefined ? {} : { from }) };
  try {
    return outcomeOfAction(await inventory.assign(provider, context, desired));
  } catch (error) {
    if (!isProviderError(error) || error.reason !== "HeldElsewhere" || from === undefined) throw error;
    // Some accounts move a held address only after it left its node; the next plan assigns it.
    await inventory.unassign(provider, context, { ip, from });
    throw error;
  }
}

async function unassign(
  { account: { provider }, inventory }: OpenAccount,
  { context }: Call,
  { ip, from }: Of<"unassign">,
): Promise<Outcome> {
  return outcomeOfAction(await inventory.unassign(provider, context, { ip, from }));
}

async function release(
  { account: { provider }, inventory }: OpenAccount,
  { context }: Call,
  { ip }: Of<"release">,
): Promise<Outcome> {
  await inventory.release(provider, context, ip);
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
