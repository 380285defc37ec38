/** The part of a snapshot that is about the firewall. */

import type { AddressAccount } from "../../../addresses/address-accounts.js";
import { omitUndefined } from "../../../omit-undefined.js";
import type { FirewallProvider } from "../../../providers/types.js";
import type { Problem } from "../../../reconcile/conditions/problem.js";
import { isDue } from "../../../reconcile/retries/retry-schedule.js";
import type { FirewallView, SharedFirewall } from "../../../routing/firewall-registry.js";
import type { IssuedAccount } from "../../../routing/issuer-accounts.js";
import type { ResolvedIssuerClass } from "../../../routing/resolved-class.js";
import type { RoutedIP } from "../../../routing/resource.js";
import type { Routing } from "../../../routing/routing.js";
import { recordOf } from "../address/address-status.js";
import type { RoutedState } from "../routed-state.js";
import type { FirewallSnapshot } from "./firewall.js";

export interface ResolvedAccount {
  readonly resolvedClass: ResolvedIssuerClass | undefined;
  readonly account: AddressAccount | undefined;
  readonly issued: IssuedAccount | undefined;
  readonly problem: Problem | undefined;
}

interface FirewallScene {
  readonly routed: RoutedIP;
  readonly resolvedAccount: ResolvedAccount;
  readonly firewalls: FirewallProvider | undefined;
}

export function firewallOf({ firewalls: registry, context }: Routing, state: RoutedState, scene: FirewallScene) {
  const { routed, resolvedAccount } = scene;
  const { resolvedClass, account } = resolvedAccount;
  const { firewall: recorded, previousFirewalls = [] } = routed.status;
  const name = resolvedClass?.firewallName ?? recorded?.name;
  const inventory = account?.inventory;
  const shared = (each: string) => (inventory === undefined ? undefined : registry.of(inventory.account, each));
  const evaluate = (each: string): FirewallSnapshot =>
    snapshotOf(each, { ...scene, shared: shared(each), state, context });
  const names = new Set([...previousFirewalls.map((previous) => previous.name), ...(recorded ? [recorded.name] : [])]);
  const previousFirewallStates = [...names].filter((each) => each !== name).map(evaluate);
  if (name === undefined) return { firewall: undefined, snapshot: undefined, previousFirewallStates };
  // Our traces are in a firewall, and none is named any more.
  const previous = resolvedClass?.firewallName === undefined ? { previous: true as const } : {};
  return { firewall: shared(name), snapshot: { ...evaluate(name), ...previous }, previousFirewallStates };
}

interface FirewallLookup extends FirewallScene {
  readonly shared: SharedFirewall | undefined;
  readonly state: RoutedState;
  readonly context: Routing["context"];
}

function snapshotOf(name: string, evaluate: FirewallLookup): FirewallSnapshot {
  const { routed, firewalls, shared: firewall, state, context } = evaluate;
  if (firewalls === undefined || firewall === undefined) return unreachable(name, evaluate);
  firewall.record(state.ref.uid, recordOf(routed.status, name));
  const { capabilities } = firewalls;
  return {
    name,
    capabilities,
    ...dueView(firewall.view(), context.clock.now()),
    ...(capabilities.reserved(name) ? { failure: forbiddenText(name) } : {}),
    others: firewall.others(state.ref.uid),
  };
}

/** The account is not known yet, or has no firewalls. */
function unreachable(
  name: string,
  { resolvedAccount: { account, resolvedClass }, firewalls }: FirewallScene,
): FirewallSnapshot {
  const failure = firewalls === undefined && account !== undefined ? noFirewalls(resolvedClass) : undefined;
  return { name, facts: "unknown", coveredBy: new Map(), others: [], ...omitUndefined({ failure }) };
}

/** What failed is read again when its retry is due. Until the read ends, the status keeps the time. */
function dueView({ dueInMs: _ms, failure, retryAt, ...view }: FirewallView, now: number) {
  if (failure === undefined) return view;
  const retry = retryAt === undefined ? {} : { retryAt };
  return isDue(retryAt, now) ? { ...view, ...retry, facts: "unknown" as const } : { ...view, ...retry, failure };
}

function noFirewalls(resolvedClass: ResolvedIssuerClass | undefined): Problem {
  return {
    reason: "Unsupported",
    message: `provider "${resolvedClass?.provider}" has no firewalls: leave routedIPFirewallName out`,
  };
}

function forbiddenText(name: string): Problem {
  const message = `firewall "${name}" belongs to the platform, which overwrites foreign rules: name a firewall of your own`;
  return { reason: "FirewallForbidden", message };
}
