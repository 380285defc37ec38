/** Actions on addresses of a pool. */

import type { AddressStatus } from "cdk8s-flipop/api";
import { noting, type OpenAccount, openAccount, told } from "../../addresses/calls/call.js";
import { DONE, type Outcome } from "../../addresses/calls/outcomes.js";
import { poll, pollMs } from "../../addresses/calls/poll.js";
import { createAddress } from "../../addresses/creation/create.js";
import { isProviderError } from "../../providers/errors.js";
import type { CreateAddress } from "../../providers/types.js";
import { callContext } from "../../reconcile/call-context.js";
import { timestamp } from "../../times.js";
import type { Action, AddressAction } from "./actions.js";
import { endCreation } from "./pool-creation.js";
import type { Tools } from "./tools.js";

type Of<K extends AddressAction["do"]> = Extract<Action, { readonly do: K }>;

export function callProvider(tools: Tools, action: AddressAction): Promise<Outcome> {
  const open = openAccount(tools.account, `pool ${tools.resourceState.key}`);
  switch (action.do) {
    case "assign":
      return noting(open.account, () => assign(tools, open, action));
    case "unassign":
      return noting(open.account, () => unassign(tools, open, action));
    case "release":
      return noting(open.account, () => release(tools, open, action));
    case "poll":
      return evaluate(tools, open, action);
    case "create-address":
      return create(tools, open, action);
  }
}

async function assign(tools: Tools, open: OpenAccount, action: Of<"assign">): Promise<Outcome> {
  const { account, inventory } = open;
  const { ip, node, from } = action;
  const context = contextOf(tools, action);
  const desired = { ip, node: node.machine, ...(from === undefined ? {} : { from }) };
  try {
    return told(await inventory.assign(account.provider, context, desired));
  } catch (error) {
    if (!isProviderError(error) || error.reason !== "HeldElsewhere" || from === undefined) throw error;
    // Some accounts move a held address only by way of nobody; it is assigned once it is free.
    await inventory.unassign(account.provider, context, { ip, from });
    throw error;
  }
}

async function unassign(tools: Tools, open: OpenAccount, action: Of<"unassign">): Promise<Outcome> {
  const { account, inventory } = open;
  const { ip, from } = action;
  return told(await inventory.unassign(account.provider, contextOf(tools, action), { ip, from }));
}

async function release(tools: Tools, open: OpenAccount, action: Of<"release">): Promise<Outcome> {
  const { account, inventory } = open;
  await inventory.release(account.provider, contextOf(tools, action), action.ip);
  return DONE;
}

/** When it is due. */
async function evaluate(tools: Tools, open: OpenAccount, action: Of<"poll">): Promise<Outcome> {
  const { resourceState, context } = tools;
  const { ip, id } = action;
  const known = resourceState.polls.get(ip);
  const attempts = (known?.id === id ? known.attempts : 0) + 1;
  resourceState.polls.set(ip, { id, attempts, nextAt: context.clock.monotonic() + pollMs(attempts) });
  const outcome = await poll(open, contextOf(tools, action), action);
  if (outcome.is !== "skipped") resourceState.polls.delete(ip);
  return outcome;
}

function create(tools: Tools, open: OpenAccount, action: Of<"create-address">): Promise<Outcome> {
  const { context } = tools;
  const { desired, startedAt } = action;
  return createAddress(open, contextOf(tools, action), desired, {
    refused: () => endCreation(tools, { startedAt }),
    created: (ip, state) => {
      const createdTime = timestamp(context.clock.now());
      const status = { ...placeOf(context, desired), ...state, since: createdTime };
      return endCreation(tools, { startedAt, created: { ip, createdTime, status } });
    },
  });
}

function placeOf({ nodes }: Tools["context"], desired: CreateAddress): AddressStatus {
  if (!("node" in desired)) return {};
  const node = nodes.ofMachine(desired.node);
  return { providerID: desired.node, ...(node === undefined ? {} : { nodeName: node.name }) };
}

/** A creation or a release serves no node that waits for its address to move. */
function contextOf({ resourceState, signal, recheckOf }: Tools, action: AddressAction) {
  const recheck = recheckOf(action);
  const moves = action.do !== "create-address" && action.do !== "release";
  return callContext(resourceState.ref, action.why, signal, {
    priority: moves ? "assignment" : "records",
    ...(recheck && { recheck }),
  });
}
