/** Actions on addresses of a pool. */

import type { AddressStatus } from "cdk8s-flipop/api";
import { isProviderError } from "../../providers/errors.js";
import type { CreateAddress } from "../../providers/types.js";
import { noting, type OpenAccount, openAccount, told } from "../addresses/call.js";
import { createAddress } from "../addresses/create.js";
import { DONE, type Outcome } from "../addresses/outcomes.js";
import { poll, pollMs } from "../addresses/poll.js";
import { askedBy } from "../asked-by.js";
import { timestamp } from "../times.js";
import type { Action, AddressAction } from "./actions.js";
import { endCreation } from "./pool-creation.js";
import type { Tools } from "./tools.js";

type Of<K extends AddressAction["do"]> = Extract<Action, { readonly do: K }>;

export function callProvider(tools: Tools, action: AddressAction): Promise<Outcome> {
  const open = openAccount(tools.account, `pool ${tools.unit.key}`);
  switch (action.do) {
    case "assign":
      return noting(open.account, () => assign(tools, open, action));
    case "unassign":
      return noting(open.account, () => unassign(tools, open, action));
    case "release":
      return noting(open.account, () => release(tools, open, action));
    case "poll":
      return look(tools, open, action);
    case "create-address":
      return create(tools, open, action);
  }
}

async function assign(tools: Tools, open: OpenAccount, { ip, node, from, why }: Of<"assign">): Promise<Outcome> {
  const { account, inventory } = open;
  const context = contextOf(tools, why);
  const wish = { ip, node: node.machine, ...(from === undefined ? {} : { from }) };
  try {
    return told(await inventory.assign(account.provider, context, wish));
  } catch (error) {
    if (!isProviderError(error) || error.reason !== "HeldElsewhere" || from === undefined) throw error;
    // Some accounts move a held address only by way of nobody; it is assigned once it is free.
    await inventory.unassign(account.provider, context, { ip, from });
    throw error;
  }
}

async function unassign(tools: Tools, open: OpenAccount, { ip, from, why }: Of<"unassign">): Promise<Outcome> {
  const { account, inventory } = open;
  return told(await inventory.unassign(account.provider, contextOf(tools, why), { ip, from }));
}

async function release(tools: Tools, open: OpenAccount, { ip, why }: Of<"release">): Promise<Outcome> {
  const { account, inventory } = open;
  await inventory.release(account.provider, contextOf(tools, why), ip);
  return DONE;
}

/** When it is due. */
async function look(tools: Tools, open: OpenAccount, action: Of<"poll">): Promise<Outcome> {
  const { unit, context } = tools;
  const { ip, id } = action;
  const known = unit.polls.get(ip);
  const looks = (known?.id === id ? known.looks : 0) + 1;
  unit.polls.set(ip, { id, looks, nextAt: context.clock.monotonic() + pollMs(looks) });
  const outcome = await poll(open, contextOf(tools, action.why), action);
  if (outcome.is !== "skipped") unit.polls.delete(ip);
  return outcome;
}

function create(tools: Tools, open: OpenAccount, { wish, startedAt, why }: Of<"create-address">): Promise<Outcome> {
  const { context } = tools;
  return createAddress(open, contextOf(tools, why), wish, {
    refused: () => endCreation(tools, { startedAt }),
    created: (ip, state) => {
      const createdTime = timestamp(context.clock.now());
      const status = { ...placeOf(context, wish), ...state, since: createdTime };
      return endCreation(tools, { startedAt, created: { ip, createdTime, status } });
    },
  });
}

function placeOf({ nodes }: Tools["context"], wish: CreateAddress): AddressStatus {
  if (!("node" in wish)) return {};
  const node = nodes.ofMachine(wish.node);
  return { providerID: wish.node, ...(node === undefined ? {} : { nodeName: node.name }) };
}

function contextOf({ unit, signal }: Tools, why: string) {
  return askedBy(unit.ref, why, signal);
}
