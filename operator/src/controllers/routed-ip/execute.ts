/** Carries out what a plan asks for: the steps in their order, each action after the other as long as each is done. */

import type { AddressStatus, CreatedFirewall } from "cdk8s-flipop/api";
import { noting, type OpenAccount, openAccount, told } from "../../addresses/calls/call.js";
import { DONE, type Outcome, outcomeOf, skipped } from "../../addresses/calls/outcomes.js";
import { poll, pollMs } from "../../addresses/calls/poll.js";
import { createAddress } from "../../addresses/creation/create.js";
import { statusPatch } from "../../kube/patch.js";
import type { CallContext } from "../../providers/call.js";
import type { ProviderId } from "../../providers/types.js";
import type { CallPriority } from "../../providers/urgency.js";
import type { IssuerObject } from "../../routing/resource.js";
import { timestamp } from "../../times.js";
import type { Action, ActionSequence, AddressDo, FirewallDo, Of } from "./actions.js";
import { write } from "./execute-object.js";
import type { Plan } from "./plan.js";
import { rechecksOf } from "./recheck.js";
import { endCreation } from "./routed-creation.js";
import { setTaints } from "./set-taints.js";
import { reliesOn, type StepName } from "./steps.js";
import { contextOf, sharedFirewall, type Tools } from "./tools.js";

export interface Done {
  readonly action: Action;
  readonly outcome: Outcome;
}

/** Never rejects. */
export async function execute(omitUndefined: Omit<Tools, "recheckOf">, plan: Plan): Promise<readonly Done[]> {
  const { steps, sequences, postAllow } = plan;
  const tools = { ...omitUndefined, recheckOf: rechecksOf(omitUndefined, plan) };
  const all: Done[] = [];
  const failed = new Set<StepName>();
  const beside = Promise.all(sequences.map((sequence) => runChain(tools, sequence)));
  for (const { name, actions } of steps) {
    if ([...failed].some((other) => reliesOn(name, other, postAllow))) continue;
    const ended = await runChain(tools, actions);
    all.push(...ended);
    if (ended.at(-1)?.outcome.is !== "done") failed.add(name);
  }
  return [...all, ...(await beside).flat()];
}

async function runChain(tools: Tools, sequence: ActionSequence): Promise<readonly Done[]> {
  const ended: Done[] = [];
  for (const action of sequence) {
    const outcome = await attempt(tools, action);
    ended.push({ action, outcome });
    if (outcome.is !== "done") break;
  }
  return ended;
}

async function attempt(tools: Tools, action: Action): Promise<Outcome> {
  if (tools.signal.aborted || tools.resourceState.signal.aborted) return skipped("told to stop");
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
      return changeTaints(tools, action);
    default:
      return isOfFirewall(action) ? callFirewall(tools, action) : write(tools, action);
  }
}

function changeTaints({ routing, signal, recheckOf }: Tools, action: Of<"set-taints">): Promise<Outcome> {
  const because = recheckOf(action)?.();
  return because === undefined ? setTaints(routing, action, signal) : Promise.resolve({ is: "superseded", because });
}

function isOfFirewall(action: Action): action is Of<FirewallDo> {
  return ["read-firewall", "create-firewall", "change-firewall", "record-created-firewall"].includes(action.do);
}

function callAddresses(tools: Tools, action: Of<AddressDo>): Promise<Outcome> {
  const open = openAccount(tools.gathered.account, `RoutedIP ${tools.resourceState.key}`);
  const { account, inventory } = open;
  const context = contextOf(tools, action, isChangeOfStock(action) ? "records" : "assignment");
  switch (action.do) {
    case "assign":
      return noting(account, () => assign(tools, open, context, action));
    case "unassign":
      return noting(account, async () => told(await inventory.unassign(account.provider, context, action)));
    case "release":
      return noting(account, async () => {
        await inventory.release(account.provider, context, action.ip);
        return DONE;
      });
    case "poll":
      return evaluate(tools, open, context, action);
    case "create-address":
      return create(tools, open, context, action);
  }
}

/** A creation or a release serves no node that waits for its address to move. */
function isChangeOfStock(action: Action): boolean {
  return action.do === "create-address" || action.do === "release";
}

async function assign(
  { gathered: { snapshot } }: Tools,
  { account, inventory }: OpenAccount,
  context: CallContext,
  { ip, node, from }: Of<"assign">,
): Promise<Outcome> {
  const holderGone = from === undefined || snapshot.verdictOf(from) === undefined;
  const confirmation = await inventory.confirm(context, ip, holderGone);
  if (confirmation !== "holds") return skipped(`the state of the address is ${confirmation}`);
  return told(await inventory.assign(account.provider, context, { ip, node: node.machine, ...(from && { from }) }));
}

/** When it is due. */
async function evaluate(
  { resourceState, routing }: Tools,
  open: OpenAccount,
  context: CallContext,
  action: Of<"poll">,
): Promise<Outcome> {
  const { id } = action;
  const now = routing.context.clock.monotonic();
  const known = resourceState.poll?.id === id ? resourceState.poll : { id, attempts: 0, nextAt: 0 };
  if (known.nextAt > now) return skipped("it is too early to look again");
  resourceState.poll = { id, attempts: known.attempts + 1, nextAt: now + pollMs(known.attempts) };
  const outcome = await poll(open, context, action);
  if (outcome.is !== "skipped") resourceState.poll = undefined;
  return outcome;
}

function create(
  { resourceState, routing }: Tools,
  open: OpenAccount,
  context: CallContext,
  { desired, startedAt }: Of<"create-address">,
): Promise<Outcome> {
  return createAddress(open, context, desired, {
    refused: () => endCreation(routing, resourceState, { startedAt }),
    created: (ip, state) => {
      const createdTime = timestamp(routing.context.clock.now());
      const status = { ...("node" in desired ? placeOf(routing, desired.node) : {}), ...state };
      return endCreation(routing, resourceState, { startedAt, created: { ip, createdTime, status } });
    },
  });
}

function placeOf({ context }: Tools["routing"], machine: ProviderId): AddressStatus {
  const node = context.nodes.ofMachine(machine);
  return { providerID: machine, ...(node === undefined ? {} : { nodeName: node.name }) };
}

async function callFirewall(tools: Tools, action: Of<FirewallDo>): Promise<Outcome> {
  const { resourceState, gathered } = tools;
  if (action.do === "record-created-firewall") return recordCreated(tools, action.created);
  const { firewalls } = gathered;
  const firewall = sharedFirewall(tools, nameOf(action));
  if (firewall === undefined || firewalls === undefined) return skipped("the account of the firewall is not known yet");
  const caller = { provider: firewalls, context: contextOf(tools, action, firewallPriority(action)) };
  switch (action.do) {
    case "read-firewall":
      await firewall.read(caller, action.nodes);
      return DONE;
    case "change-firewall":
      await firewall.apply(caller, resourceState.ref.uid, action.change);
      return DONE;
    case "create-firewall": {
      const { id, name } = await firewall.create(caller, action.desired);
      return recordCreated(tools, { id, name, createdTime: timestamp(tools.routing.context.clock.now()) });
    }
  }
}

/** A move waits for what opens the firewall, not for what closes it. */
function firewallPriority(action: Of<FirewallDo>): CallPriority {
  if (action.do !== "change-firewall") return "assignment";
  const { addRules, addNodes } = action.change;
  return addRules.length + addNodes.length > 0 ? "assignment" : "records";
}

function nameOf(action: Of<Exclude<FirewallDo, "record-created-firewall">>): string {
  if (action.do === "read-firewall") return action.name;
  return action.do === "create-firewall" ? action.desired.name : action.change.name;
}

/** In the status of the issuer: what was made for it may go with it. */
async function recordCreated({ routing, gathered }: Tools, created: CreatedFirewall): Promise<Outcome> {
  const writer = routing.issuerWriters.of(gathered.snapshot.resolvedClass?.issuer ?? "");
  const patch = (issuer: IssuerObject) => statusPatch(issuer, { createdFirewall: created });
  await writer.write({ patch, subresource: "status", fact: true });
  return DONE;
}
