/** Calls to the provider of the address. */

import type { AddressStatus } from "cdk8s-flipop/api";
import {
  DONE,
  noting,
  type OpenAccount,
  type Outcome,
  openAccount,
  outcomeOfAction,
  pollMs,
  poll as readAction,
  skipped,
} from "../../../addresses/call-outcomes.js";
import { createAddress } from "../../../addresses/creation/create-address.js";
import { timestamp } from "../../../clock.js";
import type { ProviderId } from "../../../providers/types.js";
import type { RoutingCaches } from "../../../routing/shared-caches.js";
import type { Of } from "../actions.js";
import type { GatherTools } from "../gather.js";
import type { IssuedCall } from "../memory.js";
import { endCreation } from "../object-calls.js";

export function assign(_tools: GatherTools, call: IssuedCall, action: Of<"assign">): Promise<Outcome> {
  const { account, inventory } = openOf(call);
  const { context, snapshot } = call;
  const { ip, node, from } = action;
  return noting(
    account,
    async () => {
      const holderGone = from === undefined || snapshot.snapshot.verdictOf(from) === undefined;
      const confirmation = await inventory.confirm(context, ip, holderGone);
      if (confirmation !== "holds") return skipped(`the state of the address is ${confirmation}`);
      const desired = { ip, node: node.machine, ...(from && { from }) };
      return outcomeOfAction(await account.changes.send(() => inventory.assign(account.provider, context, desired)));
    },
    ip,
  );
}

export function unassign(_tools: GatherTools, call: IssuedCall, action: Of<"unassign">): Promise<Outcome> {
  const { account, inventory } = openOf(call);
  const send = () => inventory.unassign(account.provider, call.context, action);
  return noting(account, async () => outcomeOfAction(await account.changes.send(send)), action.ip);
}

export function release(_tools: GatherTools, call: IssuedCall, { ip }: Of<"release">): Promise<Outcome> {
  const { account, inventory } = openOf(call);
  return noting(
    account,
    async () => {
      await account.changes.send(() => inventory.release(account.provider, call.context, ip));
      account.released();
      return DONE;
    },
    ip,
  );
}

export async function poll({ routing }: GatherTools, call: IssuedCall, action: Of<"poll">): Promise<Outcome> {
  const { memory } = call.state;
  const attempts = memory.poll?.id === action.id ? memory.poll.attempts : 0;
  const nextAt = routing.context.clock.monotonic() + pollMs(attempts);
  memory.poll = { id: action.id, attempts: attempts + 1, nextAt };
  const outcome = await readAction(openOf(call), call.context, action);
  if (outcome.is !== "skipped") memory.poll = undefined;
  return outcome;
}

export function create({ routing }: GatherTools, call: IssuedCall, action: Of<"create-address">): Promise<Outcome> {
  const { desired, startedAt } = action;
  const { state, context } = call;
  return createAddress(openOf(call), context, desired, {
    refused: () => endCreation(routing, state, { startedAt }),
    created: (ip, first) => {
      const createdTime = timestamp(routing.context.clock.now());
      const status = { ...("node" in desired ? placeOf(routing, desired.node) : {}), ...first, since: createdTime };
      return endCreation(routing, state, { startedAt, created: { ip, createdTime, status } });
    },
  });
}

function openOf({ state, snapshot }: IssuedCall): OpenAccount {
  return openAccount(snapshot.account, `RoutedIP ${state.key}`);
}

function placeOf({ context }: RoutingCaches, machine: ProviderId): AddressStatus {
  const node = context.nodes.ofMachine(machine);
  return { providerID: machine, ...(node === undefined ? {} : { nodeName: node.name }) };
}
