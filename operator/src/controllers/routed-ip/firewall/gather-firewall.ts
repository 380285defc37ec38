/** The part of a snapshot that is about the firewall. */

import type { AddressAccount } from "../../../addresses/accounts/address-account.js";
import { firewallMessages } from "../../../messages/firewalls.js";
import type { Problem } from "../../../messages/message.js";
import type { FirewallProvider } from "../../../providers/firewall-types.js";
import type { ProviderId } from "../../../providers/types.js";
import { isDue } from "../../../reconcile/retries.js";
import type { GroupView } from "../../../routing/firewalls/additional-firewalls.js";
import type { FirewallView } from "../../../routing/firewalls/firewall-snapshot.js";
import { hasOnRecord } from "../../../routing/firewalls/firewalls-in-issuer-status.js";
import { itemsOf } from "../../../routing/firewalls/own-firewall-writes.js";
import { partsOf } from "../../../routing/firewalls/retained-parts.js";
import type { SharedFirewall } from "../../../routing/firewalls/shared-firewall.js";
import { type InUseFinalizers, othersUsing } from "../../../routing/in-use.js";
import type { IssuedAccount } from "../../../routing/issuer-accounts.js";
import { ruleFacts } from "../../../routing/needed-ports.js";
import type { RoutedIP } from "../../../routing/read-resources.js";
import type { ResolvedIssuerClass } from "../../../routing/resolved-class.js";
import type { RoutingCaches } from "../../../routing/shared-caches.js";
import { CLOUD_CALL_SECONDS, SECOND_MS } from "../../../timings.js";
import { omitUndefined } from "../../../values.js";
import type { RoutedState } from "../memory.js";
import { recordOf } from "../status.js";
import type { FirewallSnapshot } from "./snapshot.js";

export interface ResolvedAccount {
  readonly resolvedClass: ResolvedIssuerClass | undefined;
  readonly account: AddressAccount | undefined;
  readonly issued: IssuedAccount | undefined;
  readonly problem: Problem | undefined;
  /** What is wrong with the credentials now, while the last good ones go on. */
  readonly credentials?: Problem | undefined;
}

interface FirewallScene {
  readonly routed: RoutedIP;
  readonly resolvedAccount: ResolvedAccount;
  readonly firewalls: FirewallProvider | undefined;
}

export function firewallOf(
  { firewalls: registry, context, lookUp, inUseFinalizers }: RoutingCaches,
  state: RoutedState,
  scene: FirewallScene,
) {
  const { routed, resolvedAccount } = scene;
  const { resolvedClass, account } = resolvedAccount;
  const { firewall: recorded, previousFirewalls = [] } = routed.status;
  const name = resolvedClass?.firewallName ?? recorded?.name;
  const inventory = account?.inventory;
  const shared = (each: string) => (inventory === undefined ? undefined : registry.of(inventory.account, each));
  const evaluate = (each: string): FirewallSnapshot =>
    snapshotOf(each, { ...scene, shared: shared(each), state, context, lookUp, inUseFinalizers });
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
  readonly context: RoutingCaches["context"];
  readonly lookUp: RoutingCaches["lookUp"];
  readonly inUseFinalizers: InUseFinalizers;
}

function snapshotOf(name: string, evaluate: FirewallLookup): FirewallSnapshot {
  const { routed, firewalls, shared: firewall, state, context } = evaluate;
  if (firewalls === undefined || firewall === undefined) return unreachable(name, evaluate);
  const recorded = recordOf(routed.status, name);
  const idle = new Set(recorded.nodes.filter((node) => !isServing(state.memory.follower, node)));
  const { capabilities } = firewalls;
  noteCreated(evaluate, firewall);
  firewall.noteRecord(state.ref.uid, recorded.rules.length + recorded.nodes.length > 0);
  return {
    name,
    capabilities,
    ...omitUndefined({ group: dueGroup(firewall.group(capabilities.nodesPerFirewall), context.clock.now()) }),
    ...dueView(viewFor(routed, firewall.view()), context.clock.now()),
    ...(capabilities.reserved(name) ? { failure: firewallMessages.ofPlatform({ name }) } : {}),
    idle,
    ...sharesOf(evaluate, firewall),
  };
}

/** What others have put there, or may need. */
function sharesOf(
  { resolvedAccount: { resolvedClass }, lookUp, inUseFinalizers, state }: FirewallLookup,
  firewall: SharedFirewall,
): Pick<FirewallSnapshot, "others" | "sharedWith"> {
  const issuer = resolvedClass === undefined ? undefined : lookUp.issuer(resolvedClass.issuer);
  const sharedWith = issuer === undefined ? [] : othersUsing(issuer.metadata, inUseFinalizers);
  const parts = partsOf(issuer?.status.retainedFirewalls, firewall.name);
  return { others: [...firewall.others(state.ref.uid), ...parts], ...(sharedWith.length > 0 && { sharedWith }) };
}

function noteCreated({ resolvedAccount: { resolvedClass }, lookUp }: FirewallLookup, firewall: SharedFirewall): void {
  const issuer = resolvedClass?.issuer;
  if (issuer === undefined) return;
  const { status = {} } = lookUp.issuer(issuer) ?? {};
  const { additionalFirewalls = [], createdFirewall } = status;
  firewall.noteAdditional(issuer, additionalFirewalls);
  firewall.noteRecord(issuer, hasOnRecord(status, firewall.name));
  if (createdFirewall?.name === firewall.name) firewall.former.note(createdFirewall.id);
}

/** What others take out of the firewall, of what the RoutedIP has on record there. */
export function firewallReverts(
  { name, reverts = new Map() }: Pick<FirewallSnapshot, "name" | "reverts">,
  { status }: RoutedIP,
  nodeOf: (machine: ProviderId) => string | undefined,
): readonly (readonly [string, readonly number[]])[] {
  const { rules, nodes } = recordOf(status, name);
  const own = new Set(itemsOf({ rules: rules.map(ruleFacts), nodes }));
  return [...reverts].flatMap(([item, times]) => {
    const text = nodes.includes(item) ? `node ${nodeOf(item) ?? item}` : `rule ${item}`;
    return own.has(item) ? [[`${text} in firewall "${name}"`, times] as const] : [];
  });
}

/** A creation that failed is tried again when it is due. */
function dueGroup(group: GroupView | undefined, now: number): GroupView | undefined {
  if (group?.failure === undefined || !isDue(group.retryAt, now)) return group;
  const { failure: _failure, ...due } = group;
  return due;
}

/** A node that answers for the Service, and that the cluster takes for alive. */
function isServing(follower: RoutedState["memory"]["follower"], machine: ProviderId): boolean {
  const verdict = follower.index?.verdictOfMachine(machine);
  if (verdict === undefined || !follower.servesAt(verdict.node.name)) return false;
  return verdict.refusals.every(({ reason }) => reason !== "NodeNotReady");
}

/** The account is not known yet, or has no firewalls. */
function unreachable(
  name: string,
  { resolvedAccount: { account, resolvedClass }, firewalls }: FirewallScene,
): FirewallSnapshot {
  const failure =
    firewalls === undefined && account !== undefined
      ? firewallMessages.unsupported({ provider: resolvedClass?.provider })
      : undefined;
  return { name, facts: "unknown", coveredBy: new Map(), others: [], ...omitUndefined({ failure }) };
}

/** A deletion only removes. */
function viewFor({ metadata }: RoutedIP, view: FirewallView): FirewallView {
  if (metadata.deletionTimestamp === undefined || view.ofAddition !== true) return view;
  const { failure: _failure, retryAt: _retryAt, ...rest } = view;
  return rest;
}

/** What failed is read again when its retry is due. Until the read ends, the status keeps the time. */
function dueView(
  { dueInMs: _ms, failure, retryAt, refused: machines, ofAddition: _kind, ...shown }: FirewallView,
  now: number,
) {
  const refused = [...machines].map(
    ([machine, each]) => [machine, { ...each, waits: !isDue(each.retryAt, now) }] as const,
  );
  const view = { ...shown, refused: new Map(refused) };
  if (failure === undefined) return view;
  const retry = retryAt === undefined ? {} : { retryAt };
  if (!isDue(retryAt, now)) return { ...view, ...retry, failure };
  // A paused RoutedIP may begin no read, which would confirm the failure.
  const isLate = retryAt !== undefined && now - retryAt >= CLOUD_CALL_SECONDS * SECOND_MS;
  return { ...view, ...retry, facts: "unknown" as const, ...(!isLate && { lastFailure: failure }) };
}
