/** Actions on addresses, through the inventory: what it believes follows at once. */

import type { AddressStatus } from "cdk8s-flipop/api";
import { ACTION_POLL_SECONDS } from "../../inventory/types.js";
import { errorText } from "../../logging.js";
import { isProviderError } from "../../providers/errors.js";
import type { ActionFacts, CreateAddress, CreateOutcome } from "../../providers/types.js";
import { timestamp } from "../times.js";
import type { Action, AddressAction } from "./actions.js";
import { created, keep } from "./execute-status.js";
import { DONE, type Outcome, outcomeOf, providerFailure, skipped } from "./outcomes.js";
import { callContext, openAccount, type Tools } from "./tools.js";

const SECOND_MS = 1000;

type Of<K extends AddressAction["do"]> = Extract<Action, { readonly do: K }>;

export function callProvider(tools: Tools, action: AddressAction): Promise<Outcome> {
  switch (action.do) {
    case "assign":
      return noting(tools, () => assign(tools, action));
    case "unassign":
      return noting(tools, () => unassign(tools, action));
    case "release":
      return noting(tools, () => release(tools, action));
    case "poll":
      return poll(tools, action);
    case "create-address":
      return create(tools, action);
  }
}

/** What the account's calls say about the account is known to all who use it. */
async function noting<T>(tools: Tools, call: () => Promise<T>): Promise<T> {
  const { account } = openAccount(tools);
  try {
    const result = await call();
    account.answered();
    return result;
  } catch (error) {
    account.note(error);
    throw error;
  }
}

async function assign(tools: Tools, { ip, node, from, why }: Of<"assign">): Promise<Outcome> {
  const { account, inventory } = openAccount(tools);
  const wish = { ip, node: node.machine, ...(from === undefined ? {} : { from }) };
  try {
    return told(await inventory.assign(account.provider, callContext(tools, why), wish));
  } catch (error) {
    if (!isProviderError(error) || error.reason !== "HeldElsewhere" || from === undefined) throw error;
    // Some accounts move a held address only by way of nobody; it is assigned once it is free.
    await inventory.unassign(account.provider, callContext(tools, why), { ip, from });
    throw error;
  }
}

async function unassign(tools: Tools, { ip, from, why }: Of<"unassign">): Promise<Outcome> {
  const { account, inventory } = openAccount(tools);
  return told(await inventory.unassign(account.provider, callContext(tools, why), { ip, from }));
}

async function release(tools: Tools, { ip, why }: Of<"release">): Promise<Outcome> {
  const { account, inventory } = openAccount(tools);
  await inventory.release(account.provider, callContext(tools, why), ip);
  return DONE;
}

function told({ state, id, message }: ActionFacts): Outcome {
  if (state === "in-progress") return { is: "started", id };
  if (state === "completed") return DONE;
  return { is: "refused", failure: erroredFailure(message) };
}

function erroredFailure(message: string | undefined) {
  const said = message === undefined || message === "" ? "no reason given" : message;
  const problem = { reason: "ProviderUnavailable", message: `the provider's action failed: ${said}` } as const;
  return { kind: "Unavailable", problem } as const;
}

/** One look, when it is due. No answer leaves the action running. */
async function poll(tools: Tools, { ip, id, expected, why }: Of<"poll">): Promise<Outcome> {
  const { account, inventory } = openAccount(tools);
  const { unit, context } = tools;
  const known = unit.polls.get(ip);
  const looks = known?.id === id ? known.looks : 0;
  unit.polls.set(ip, { id, looks: looks + 1, nextAt: context.clock.monotonic() + pollMs(looks + 1) });
  try {
    const ref = { ip, id, expected };
    const facts = await noting(tools, () => inventory.poll(account.provider, callContext(tools, why), ref));
    if (facts.state === "in-progress") return skipped("it still runs");
    unit.polls.delete(ip);
    return told(facts);
  } catch (error) {
    const outcome = outcomeOf(error);
    return outcome.is === "refused" ? skipped(outcome.failure.problem.message) : outcome;
  }
}

/** ms to wait after so many looks. */
export function pollMs(looks: number): number {
  const last = ACTION_POLL_SECONDS.length - 1;
  return (ACTION_POLL_SECONDS[Math.min(looks, last)] ?? 1) * SECOND_MS;
}

async function create(tools: Tools, { wish, why }: Of<"create-address">): Promise<Outcome> {
  const { account, inventory } = openAccount(tools);
  let outcome: CreateOutcome;
  try {
    outcome = await noting(tools, () => inventory.create(account.provider, callContext(tools, why), wish));
  } catch (error) {
    // Refused or never sent: there is nothing to look for.
    if (isProviderError(error)) await keep(tools, () => ({ pendingCreation: undefined }));
    throw error;
  }
  if (outcome.kind === "unknown") return { is: "unknown", failure: providerFailure(outcome.error) };
  return recordCreated(tools, wish, outcome);
}

/** In one patch: the address is ours, and the intent has ended. */
async function recordCreated(
  { context, unit }: Tools,
  wish: CreateAddress,
  { address: { ip }, action }: Extract<CreateOutcome, { readonly kind: "created" }>,
): Promise<Outcome> {
  const now = timestamp(context.clock.now());
  const entry = { ...placeOf(context, wish), ...stateOf(action), since: now };
  try {
    await keep({ unit }, ({ status }) => ({
      ...created(status, ip, now),
      pendingCreation: undefined,
      ips: { ...status?.ips, [ip]: entry },
    }));
  } catch (error) {
    // The intent is still there: the lists will show that the address is ours.
    context.logger.error({ pool: unit.key, ip, error }, "address created but not recorded in status; retrying");
    const message = `${ip} was created and could not be recorded: ${errorText(error)}`;
    return { is: "unknown", failure: { kind: "Unavailable", problem: { reason: "CreationUnsettled", message } } };
  }
  return action === undefined ? { is: "done", ip } : { is: "started", id: action.id, ip };
}

function placeOf({ nodes }: Tools["context"], wish: CreateAddress): AddressStatus {
  if (!("node" in wish)) return {};
  const node = nodes.ofMachine(wish.node);
  return { providerID: wish.node, ...(node === undefined ? {} : { nodeName: node.name }) };
}

function stateOf(action: ActionFacts | undefined): AddressStatus {
  return action === undefined ? { state: "unassigned" } : { state: "in-progress", actionID: action.id };
}
