/** Calls to the provider of the firewall, and the record of a firewall that the operator created. */

import type { CreatedFirewall } from "cdk8s-flipop/api";
import { DONE, type Outcome, outcomeOf, skipped } from "../../../addresses/call-outcomes.js";
import { timestamp } from "../../../clock.js";
import { statusPatch } from "../../../kube/write/patch.js";
import { providerMessages } from "../../../messages/provider.js";
import type { RecoveringAccount } from "../../../providers/account-recovery.js";
import type { CallPriority } from "../../../providers/call.js";
import { ruleKey } from "../../../providers/diff.js";
import type { CreateFirewall, FirewallFacts } from "../../../providers/firewall-types.js";
import type { FirewallCaller } from "../../../routing/firewalls/firewall-failures.js";
import {
  createdFirewallsOf,
  withCreated,
  withoutCreated,
} from "../../../routing/firewalls/firewalls-in-issuer-status.js";
import { mayBeOfMachine } from "../../../routing/firewalls/refused-machines.js";
import type { SharedFirewall } from "../../../routing/firewalls/shared-firewall.js";
import type { IssuerObject } from "../../../routing/read-resources.js";
import type { RoutingCaches } from "../../../routing/shared-caches.js";
import { type FirewallDo, joining, type Of } from "../actions.js";
import type { GatherTools } from "../gather.js";
import type { IssuedCall } from "../memory.js";
import type { IssuedGathered, Snapshot } from "../snapshot.js";

export function readFirewall({ routing }: GatherTools, call: IssuedCall, action: Of<"read-firewall">) {
  return calling(routing, call, action, async (firewall, caller) => {
    await firewall.read(caller, action.nodes);
    return DONE;
  });
}

export function changeFirewall({ routing }: GatherTools, call: IssuedCall, action: Of<"change-firewall">) {
  return calling(routing, call, action, async (firewall, caller) => {
    const { uid } = call.state.ref;
    if (await firewall.apply(caller, uid, action.change)) return DONE;
    return { is: "superseded", because: "another RoutedIP has changed the firewall meanwhile" };
  });
}

export function createFirewall(tools: GatherTools, call: IssuedCall, action: Of<"create-firewall">) {
  return calling(tools.routing, call, action, async (firewall, caller) => {
    const made = await firewall.create(caller, action.desired).catch(async (error: unknown) => {
      if (firewall.unanswered.hasMadeNone(action.desired.name, error)) await forgetIntent(tools, call, action.desired);
      throw error;
    });
    const { id, name } = made;
    firewall.unanswered.answered(name);
    await recordCreated(tools, call, { id, name, createdTime: timestamp(tools.routing.context.clock.now()) });
    if (hasAll(made, action.desired)) return DONE;
    return { is: "superseded", because: "another RoutedIP has created the firewall meanwhile" };
  });
}

function hasAll({ rules, nodes }: FirewallFacts, desired: CreateFirewall): boolean {
  const keys = new Set(rules.map(ruleKey));
  return desired.rules.every((rule) => keys.has(ruleKey(rule))) && desired.nodes.every((node) => nodes.includes(node));
}

export function extendFirewall({ routing }: GatherTools, call: IssuedCall, action: Of<"extend-firewall">) {
  const { next, nodes } = action;
  const issuer = call.snapshot.snapshot.resolvedClass?.issuer ?? "";
  const createdTime = timestamp(routing.context.clock.now());
  const record = (id: string | undefined) => recordAdditional(routing, issuer, { id, name: next, createdTime });
  return calling(routing, call, action, async (firewall, caller) => {
    if (await firewall.extend(caller, { name: next, nodes, record })) return DONE;
    return { is: "superseded", because: "another RoutedIP has changed the firewalls meanwhile" };
  });
}

type AdditionalRecord = Omit<CreatedFirewall, "id"> & { readonly id: string | undefined };

/** Without an id: there is none of that name. */
async function recordAdditional(
  { issuerWriters }: RoutingCaches,
  issuer: string,
  { id, name, createdTime }: AdditionalRecord,
): Promise<void> {
  const patch = ({ status = {}, ...object }: IssuerObject) => {
    const others = (status.additionalFirewalls ?? []).filter((each) => each.name !== name);
    const all = id === undefined ? others : [...others, { id, name, createdTime }];
    return statusPatch({ ...object, status }, { additionalFirewalls: all.length === 0 ? undefined : all });
  };
  await issuerWriters.of(issuer).write({ patch, subresource: "status", fact: true });
}

/** In the status of the issuer: what was made for it may go with it. */
export async function recordCreated(
  { routing }: GatherTools,
  { snapshot: { snapshot } }: IssuedCall,
  created: CreatedFirewall,
): Promise<Outcome> {
  const writer = routing.issuerWriters.of(snapshot.resolvedClass?.issuer ?? "");
  const patch = (issuer: IssuerObject) => statusPatch(issuer, withCreated(issuer.status ?? {}, created));
  await writer.write({ patch, subresource: "status", fact: true });
  return DONE;
}

/** The next firewall of this name may be that of a person. */
async function forgetIntent(
  { routing }: GatherTools,
  { snapshot: { snapshot } }: IssuedCall,
  { name }: Pick<CreatedFirewall, "name">,
): Promise<void> {
  const patch = ({ status = {}, ...issuer }: IssuerObject) => {
    const isIntent = createdFirewallsOf(status).some((each) => each.name === name && each.id === "");
    return isIntent ? statusPatch({ ...issuer, status }, { ...withoutCreated(status, name) }) : undefined;
  };
  const writer = routing.issuerWriters.of(snapshot.resolvedClass?.issuer ?? "");
  await writer.write({ patch, subresource: "status", fact: true });
}

type FirewallCall = Of<Exclude<FirewallDo, "record-created-firewall">>;

/** RoutedIPs share a firewall: after a failure all of them wait, and an answer to any of them ends the wait of all. */
async function calling(
  routing: RoutingCaches,
  { snapshot, context }: IssuedCall,
  action: FirewallCall,
  call: (firewall: SharedFirewall, caller: FirewallCaller) => Promise<Outcome>,
): Promise<Outcome> {
  const { firewalls: provider, account } = snapshot;
  const firewall = sharedFirewall(routing, snapshot, nameOf(action));
  if (firewall === undefined || provider === undefined) return skipped("the account of the firewall is not known yet");
  try {
    return await call(firewall, { provider, context, ...(account && { account }) });
  } catch (error) {
    return failed(error, action, snapshot.snapshot);
  }
}

function failed(error: unknown, action: FirewallCall, { verdictOf }: Pick<Snapshot, "verdictOf">): Outcome {
  const outcome = outcomeOf(error, "FirewallNotFound");
  if (outcome.is !== "refused") return outcome;
  const failure = { ...outcome.failure, ofAccount: true };
  const [machine] = joining(action);
  if (machine === undefined || !mayBeOfMachine(error)) return { is: "refused", failure };
  const node = verdictOf(machine)?.node.name ?? machine;
  return { is: "refused", failure: { ...failure, problem: providerMessages.ofNode({ node, cause: failure.problem }) } };
}

export function sharedFirewall(
  { firewalls }: RoutingCaches,
  { account }: Pick<IssuedGathered, "account">,
  name: string,
): SharedFirewall | undefined {
  return account?.inventory && firewalls.of(account.inventory.account, name);
}

/** What a failure of a firewall is retried with at once: an answer of the firewall, or of its account. */
export function recoveryOf(
  routing: RoutingCaches,
  gathered: IssuedGathered,
  action: FirewallCall,
): RecoveringAccount | undefined {
  const { account } = gathered;
  const firewall = sharedFirewall(routing, gathered, nameOf(action));
  if (account === undefined || firewall === undefined) return account;
  const { recovery } = firewall;
  const both = (of: RecoveringAccount): RecoveringAccount => ({
    get recovered() {
      return account.recovered + of.recovered;
    },
    get probeAt() {
      return of.probeAt;
    },
    onRecovery: (name, listener) => {
      for (const each of [account, of]) each.onRecovery?.(name, listener);
    },
  });
  return Object.assign(both(recovery), { changes: both(recovery.changes) });
}

/** A move waits for what opens the firewall, not for what closes it. */
export function firewallPriority(action: Of<FirewallDo>): CallPriority {
  if (action.do !== "change-firewall") return "assignment";
  const { addRules, addNodes } = action.change;
  return addRules.length + addNodes.length > 0 ? "assignment" : "records";
}

export function isFirewallCall(action: { readonly do: string }): action is FirewallCall {
  return ["read-firewall", "create-firewall", "extend-firewall", "change-firewall"].includes(action.do);
}

function nameOf(action: FirewallCall): string {
  if (action.do === "read-firewall" || action.do === "extend-firewall") return action.name;
  return action.do === "create-firewall" ? action.desired.name : action.change.name;
}
