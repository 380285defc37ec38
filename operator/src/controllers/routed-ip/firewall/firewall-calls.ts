/** Calls to the provider of the firewall, and the record of a firewall that the operator created. */

import type { CreatedFirewall } from "cdk8s-flipop/api";
import { DONE, type Outcome, outcomeOf, skipped } from "../../../addresses/calls/outcomes.js";
import { statusPatch } from "../../../kube/write/patch.js";
import type { CallPriority } from "../../../providers/urgency.js";
import type { RecoveringAccount } from "../../../reconcile/retries/retries.js";
import type { FirewallCaller, SharedFirewall } from "../../../routing/firewall-registry.js";
import type { IssuerObject } from "../../../routing/resource.js";
import type { Routing } from "../../../routing/routing.js";
import { timestamp } from "../../../times.js";
import type { FirewallDo, Of } from "../actions.js";
import type { GatherTools } from "../gather.js";
import type { IssuedGathered } from "../gathered.js";
import type { IssuedCall } from "../routed-state.js";

export function readFirewall({ routing }: GatherTools, call: IssuedCall, action: Of<"read-firewall">) {
  return calling(routing, call, action, async (firewall, caller) => {
    await firewall.read(caller, action.nodes);
    return DONE;
  });
}

export function changeFirewall({ routing }: GatherTools, call: IssuedCall, action: Of<"change-firewall">) {
  return calling(routing, call, action, async (firewall, caller) => {
    await firewall.apply(caller, call.state.ref.uid, action.change);
    return DONE;
  });
}

export function createFirewall(tools: GatherTools, call: IssuedCall, action: Of<"create-firewall">) {
  return calling(tools.routing, call, action, async (firewall, caller) => {
    const { id, name } = await firewall.create(caller, action.desired);
    return recordCreated(tools, call, { id, name, createdTime: timestamp(tools.routing.context.clock.now()) });
  });
}

/** In the status of the issuer: what was made for it may go with it. */
export async function recordCreated(
  { routing }: GatherTools,
  { snapshot: { snapshot } }: IssuedCall,
  created: CreatedFirewall,
): Promise<Outcome> {
  const writer = routing.issuerWriters.of(snapshot.resolvedClass?.issuer ?? "");
  const patch = (issuer: IssuerObject) => statusPatch(issuer, { createdFirewall: created });
  await writer.write({ patch, subresource: "status", fact: true });
  return DONE;
}

type FirewallCall = Of<Exclude<FirewallDo, "record-created-firewall">>;

/** RoutedIPs share a firewall: after a failure all of them wait, and an answer to any of them ends the wait of all. */
async function calling(
  routing: Routing,
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
    const outcome = outcomeOf(error);
    if (outcome.is !== "refused") return outcome;
    return { is: "refused", failure: { ...outcome.failure, ofAccount: true } };
  }
}

export function sharedFirewall(
  { firewalls }: Routing,
  { account }: Pick<IssuedGathered, "account">,
  name: string,
): SharedFirewall | undefined {
  return account?.inventory && firewalls.of(account.inventory.account, name);
}

/** What a failure of a firewall is retried with at once: an answer of the firewall, or of its account. */
export function recoveryOf(
  routing: Routing,
  gathered: IssuedGathered,
  action: FirewallCall,
): RecoveringAccount | undefined {
  const { account } = gathered;
  const firewall = sharedFirewall(routing, gathered, nameOf(action));
  if (account === undefined || firewall === undefined) return account;
  return {
    get recovered() {
      return account.recovered + firewall.recovery.recovered;
    },
    onRecovery: (name, listener) => {
      for (const each of [account, firewall.recovery]) each.onRecovery(name, listener);
    },
  };
}

/** A move waits for what opens the firewall, not for what closes it. */
export function firewallPriority(action: Of<FirewallDo>): CallPriority {
  if (action.do !== "change-firewall") return "assignment";
  const { addRules, addNodes } = action.change;
  return addRules.length + addNodes.length > 0 ? "assignment" : "records";
}

export function isFirewallCall(action: { readonly do: string }): action is FirewallCall {
  return ["read-firewall", "create-firewall", "change-firewall"].includes(action.do);
}

function nameOf(action: FirewallCall): string {
  if (action.do === "read-firewall") return action.name;
  return action.do === "create-firewall" ? action.desired.name : action.change.name;
}
