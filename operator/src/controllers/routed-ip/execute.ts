/** Carries out what a plan asks for: the steps in their order, each action after the other as long as each is done. */

import type { CreatedFirewall } from "cdk8s-flipop/api";
import { ACTION_POLL_SECONDS } from "../../inventory/types.js";
import { statusPatch } from "../../kube/patch.js";
import { isProviderError } from "../../providers/errors.js";
import type { ActionFacts, CreateOutcome, ProviderId } from "../../providers/types.js";
import { DONE, type Outcome, outcomeOf, providerFailure, skipped } from "../floating-ip-pool/outcomes.js";
import { timestamp } from "../times.js";
import type { Action, AddressDo, Chain, FirewallDo, Of } from "./actions.js";
import { keep, write } from "./execute-object.js";
import type { Plan } from "./plan.js";
import type { IssuerObject } from "./resource.js";
import { setTaints } from "./set-taints.js";
import { reliesOn, type StepName } from "./steps.js";
import { callContext, sharedFirewall, type Tools } from "./tools.js";
import type { Overlay } from "./unit.js";

export interface Done {
  readonly action: Action;
  readonly outcome: Outcome;
}

const SECOND_MS = 1000;
/** Never rejects. */
export async function execute(tools: Tools, { steps, chains, postAllow }: Plan): Promise<readonly Done[]> {
  const all: Done[] = [];
  const failed = new Set<StepName>();
  const beside = Promise.all(chains.map((chain) => runChain(tools, chain)));
  for (const { name, actions } of steps) {
    if ([...failed].some((other) => reliesOn(name, other, postAllow))) continue;
    const ended = await runChain(tools, actions);
    all.push(...ended);
    if (ended.at(-1)?.outcome.is !== "done") failed.add(name);
  }
  return [...all, ...(await beside).flat()];
}

async function runChain(tools: Tools, chain: Chain): Promise<readonly Done[]> {
  const ended: Done[] = [];
  for (const action of chain) {
    const outcome = await attempt(tools, action);
    ended.push({ action, outcome });
    if (outcome.is !== "done") break;
  }
  return ended;
}

async function attempt(tools: Tools, action: Action): Promise<Outcome> {
  if (tools.signal.aborted || tools.unit.signal.aborted) return skipped("told to stop");
  try {
    return await perform(tools, action);
  } catch (error) {
    return outcomeOf(error);
  }
}

function perform(tools: Tools, action: Action): Promise<Outcome> {
  switch (action.do) {
    case "assign":
    case "unassign":
    case "release":
    case "poll":
    case "create-address":
      return callAddresses(tools, action);
    case "set-taints":
      return setTaints(tools.routing, action, tools.signal);
    default:
      return isOfFirewall(action) ? callFirewall(tools, action) : write(tools, action);
  }
}

function isOfFirewall(action: Action): action is Of<FirewallDo> {
  return ["read-firewall", "create-firewall", "change-firewall", "record-created-firewall"].includes(action.do);
}

async function callAddresses(tools: Tools, action: Of<AddressDo>): Promise<Outcome> {
  const { account } = tools.gathered;
  try {
    const outcome = await callAddress(tools, action);
    account?.answered();
    return outcome;
  } catch (error) {
    account?.note(error);
    throw error;
  }
}

async function callAddress(tools: Tools, action: Of<AddressDo>): Promise<Outcome> {
  const { account, inventory } = open(tools);
  const context = callContext(tools.unit, action.why, tools.signal);
  switch (action.do) {
    case "assign": {
      if (!(await inventory.confirm(context, action.ip))) return skipped("the address has changed meanwhile");
      const wish = { ip: action.ip, node: action.node.machine, ...(action.from && { from: action.from }) };
      return told(await inventory.assign(account.provider, context, wish));
    }
    case "unassign":
      return told(await inventory.unassign(account.provider, context, action));
    case "release":
      await inventory.release(account.provider, context, action.ip);
      return DONE;
    case "poll":
      return poll(tools, action);
    case "create-address":
      return create(tools, action);
  }
}

function open({ gathered: { account }, unit }: Tools) {
  const inventory = account?.inventory;
  if (account === undefined || inventory === undefined) {
    throw new Error(`RoutedIP ${unit.key}: its plan asks for a call to an account that was not read`);
  }
  return { account, inventory };
}

function told({ state, id, message }: ActionFacts): Outcome {
  if (state === "in-progress") return { is: "started", id };
  if (state === "completed") return DONE;
  const problem = {
    reason: "ProviderUnavailable",
    message: `the provider's action failed: ${message || "no reason given"}`,
  } as const;
  return { is: "refused", failure: { kind: "Unavailable", problem } };
}

/** One look, when it is due. No answer leaves the action running. */
async function poll(tools: Tools, { ip, id, expected, why }: Of<"poll">): Promise<Outcome> {
  const { unit, routing } = tools;
  const { account, inventory } = open(tools);
  const now = routing.context.clock.monotonic();
  const known = unit.poll?.id === id ? unit.poll : { id, looks: 0, nextAt: 0 };
  if (known.nextAt > now) return skipped("it is too early to look again");
  const waitSeconds = ACTION_POLL_SECONDS[Math.min(known.looks, ACTION_POLL_SECONDS.length - 1)] ?? 1;
  unit.poll = { id, looks: known.looks + 1, nextAt: now + waitSeconds * SECOND_MS };
  const facts = await inventory.poll(account.provider, callContext(unit, why, tools.signal), { ip, id, expected });
  if (facts.state === "in-progress") return skipped("it still runs");
  unit.poll = undefined;
  return told(facts);
}

async function create(tools: Tools, { wish, why }: Of<"create-address">): Promise<Outcome> {
  const { account, inventory } = open(tools);
  let outcome: CreateOutcome;
  try {
    outcome = await inventory.create(account.provider, callContext(tools.unit, why, tools.signal), wish);
  } catch (error) {
    // Refused or never sent: there is nothing to look for.
    if (isProviderError(error)) await keep(tools, { pendingCreation: undefined });
    throw error;
  }
  if (outcome.kind === "unknown") return { is: "unknown", failure: providerFailure(outcome.error) };
  const { address, action } = outcome;
  const node = "node" in wish ? placeOf(tools, wish.node) : {};
  const state =
    action === undefined ? { state: "unassigned" as const } : { state: "in-progress" as const, actionID: action.id };
  await keep(tools, { ...node, ...state, routedIP: address.ip, created: true, pendingCreation: undefined });
  return action === undefined ? { is: "done", ip: address.ip } : { is: "started", id: action.id, ip: address.ip };
}

function placeOf({ routing }: Tools, machine: ProviderId): Overlay {
  const node = routing.context.nodes.ofMachine(machine);
  return { providerID: machine, ...(node === undefined ? {} : { assignedNode: node.name }) };
}

async function callFirewall(tools: Tools, action: Of<FirewallDo>): Promise<Outcome> {
  const { unit, gathered, signal } = tools;
  if (action.do === "record-created-firewall") return recordCreated(tools, action.created);
  const { firewalls } = gathered;
  const firewall = sharedFirewall(tools, nameOf(action));
  if (firewall === undefined || firewalls === undefined) return skipped("the account of the firewall is not known yet");
  const caller = { provider: firewalls, context: callContext(unit, action.why, signal) };
  switch (action.do) {
    case "read-firewall":
      await firewall.read(caller, action.nodes);
      return DONE;
    case "change-firewall":
      await firewall.apply(caller, unit.ref.uid, action.change);
      return DONE;
    case "create-firewall": {
      const { id, name } = await firewall.create(caller, action.wish);
      return recordCreated(tools, { id, name, createdTime: timestamp(tools.routing.context.clock.now()) });
    }
  }
}

function nameOf(action: Of<Exclude<FirewallDo, "record-created-firewall">>): string {
  if (action.do === "read-firewall") return action.name;
  return action.do === "create-firewall" ? action.wish.name : action.change.name;
}

/** In the status of the issuer: what was made for it may go with it. */
async function recordCreated({ routing, gathered }: Tools, created: CreatedFirewall): Promise<Outcome> {
  const writer = routing.issuerWriters.of(gathered.snapshot.terms?.issuer ?? "");
  const patch = (issuer: IssuerObject) => statusPatch(issuer, { createdFirewall: created });
  await writer.write({ patch, subresource: "status", fact: true });
  return DONE;
}
