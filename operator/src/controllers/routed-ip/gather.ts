/** The snapshot of one RoutedIP, in one turn: reads what is there, waits for nothing. */

import { canonicalIp, familyOf, type IpFamily } from "cdk8s-flipop/api";
import { AddressAccount } from "../../addresses/address-accounts.js";
import { annotatedIps } from "../../addresses/desired.js";
import { CRD_PROBE_MS } from "../../bounds.js";
import { NOTHING_SEEN } from "../../inventory/view.js";
import { tallyText } from "../../match/tally.js";
import { omitUndefined } from "../../omit-undefined.js";
import type { FirewallProvider, ProviderId } from "../../providers/types.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import { DnsService, type DnsView, dnsOfRegistry } from "../../records/dns-service.js";
import type { SharedFirewall } from "../../routing/firewall-registry.js";
import type { IssuedAccount, IssuerAccounts } from "../../routing/issuer-accounts.js";
import { NO_PORTS, portsOf } from "../../routing/ports.js";
import { type ResolvedIssuerClass, resolveClass } from "../../routing/resolved-class.js";
import type { RoutedIP, RoutedRead } from "../../routing/resource.js";
import type { Routing } from "../../routing/routing.js";
import { serviceProblem } from "../../routing/service.js";
import { addressSetOf } from "./address-set.js";
import { firewallOf } from "./gather-firewall.js";
import { memoryOf } from "./memory.js";
import type { RoutedIPState } from "./resource-state.js";
import type { Snapshot } from "./snapshot.js";

export interface GatherTools {
  readonly routing: Routing;
  readonly accounts: IssuerAccounts;
}

export interface Gathered {
  readonly snapshot: Snapshot;
  readonly family: IpFamily;
  readonly account: AddressAccount | undefined;
  readonly dnsService: DnsService;
  readonly dns: DnsView | undefined;
  readonly firewall: SharedFirewall | undefined;
  readonly firewalls: FirewallProvider | undefined;
}

export function gather(tools: GatherTools, state: RoutedIPState, read: RoutedRead): Gathered {
  const { routing } = tools;
  const { context } = routing;
  const routed = withPendingStatus(state, read.routed);
  const resolvedAccount = resolveAccount(tools, state, { routed, ...omitUndefined({ problem: read.problem }) });
  const { resolvedClass, account, issued, problem } = resolvedAccount;
  if (account !== undefined) state.limitTo(account.provider.capabilities.providerIdScheme);
  const family = familyOfRouted(routed);
  const inventory = viewOf(account);
  const claims = context.claims.view(state.ref.uid);
  const { dnsService, dns } = lookUpDns(tools, routed, { resolvedClass, issued, claims, family });
  const firewalls = issued?.providers.firewalls;
  const around = firewallOf(routing, state, { routed, resolvedAccount, firewalls });
  const { firewall, previousFirewallStates } = around;
  const nodes = nodesOf(state);
  const { clock } = context;
  const scene = { inventory, verdictOf: nodes.verdictOf, now: clock.now(), monotonic: clock.monotonic() };
  const snapshot: Snapshot = {
    ...{ routed, set: addressSetOf({ routed, ...omitUndefined({ resolvedClass }) }) },
    ...omitUndefined({ resolvedClass, problem, dns: dns?.snapshot, firewall: around.snapshot }),
    previousFirewallStates,
    ...accountFacts(account),
    ...nodes,
    ...servedBy(routing, state, { routed, problem }),
    now: scene.now,
    inventory,
    claims,
    ownerOf: (ip) => context.claims.holderOf(ip),
    share: (wants, machines) => shareOf(tools, state, { family, account, resolvedClass }, { wants, nodes: machines }),
    otherCreations: context.creations.others(creationKey(state, { resolvedClass, family, account })),
    crdTooOld: context.clock.monotonic() - state.droppedAt < CRD_PROBE_MS,
    memory: memoryOf(state, scene, dns?.reverts),
    taints: routing.taints.view(state.ref.uid),
  };
  return { snapshot, family, account, dnsService, dns, firewall, firewalls };
}

export function familyOfRouted({ spec, status }: RoutedIP): IpFamily {
  return familyOf(spec.routedIP || status.routedIP || "");
}

function viewOf(account: AddressAccount | undefined) {
  return account?.inventory?.view() ?? NOTHING_SEEN;
}

function accountFacts(account: AddressAccount | undefined) {
  if (account === undefined) return {};
  return { capabilities: account.provider.capabilities, ...omitUndefined({ providerFailure: account.failure }) };
}

export function nodesOf(
  resourceState: RoutedIPState,
): Pick<Snapshot, "candidates" | "verdictOf" | "refusals" | "servesAt"> {
  const { index } = resourceState;
  return {
    candidates: index?.candidates() ?? [],
    verdictOf: (machine) => index?.verdictOfMachine(machine),
    refusals: index === undefined ? "" : tallyText(index.tally()),
    servesAt: (node) => resourceState.servesAt(node),
  };
}

export function servedBy(
  routing: Routing,
  resourceState: RoutedIPState,
  { routed, problem }: { readonly routed: RoutedIP; readonly problem: Problem | undefined },
): Pick<Snapshot, "cachesComplete" | "leadsSince" | "ports"> {
  const pods = resourceState.podsBehind();
  const service = routing.service(resourceState.service);
  const known = service !== undefined && problem === undefined;
  return {
    cachesComplete: routing.context.leads() && routing.synced && pods !== undefined,
    ...omitUndefined({ leadsSince: routing.context.leadsSince() }),
    ports: known ? portsOf(service, pods ?? [], routed.status.ports) : NO_PORTS,
  };
}

export function creationKey(
  { ref }: Pick<RoutedIPState, "ref">,
  {
    resolvedClass,
    family,
    account,
  }: {
    readonly resolvedClass: ResolvedIssuerClass | undefined;
    readonly family: IpFamily;
    readonly account: AddressAccount | undefined;
  },
) {
  return { resource: ref, provider: resolvedClass?.provider ?? "", family, account: account?.inventory };
}

/** Addresses that it names anywhere; canonical. */
export function namedAddresses({ metadata, spec, status }: RoutedIP): readonly string[] {
  const own = [spec.routedIP, status.routedIP].flatMap((ip) => (ip ? [canonicalIp(ip)] : []));
  return [...new Set([...own, ...annotatedIps({ metadata })])];
}

export interface ResolvedAccount {
  readonly resolvedClass: ResolvedIssuerClass | undefined;
  readonly account: AddressAccount | undefined;
  readonly issued: IssuedAccount | undefined;
  readonly problem: Problem | undefined;
}

/** By whose account, and what stands in the way: the first of all that does. */
export function resolveAccount(
  tools: GatherTools,
  resourceState: RoutedIPState,
  { routed, problem }: RoutedRead,
): ResolvedAccount {
  const { routing } = tools;
  const found = resolveClass(routed, routing.lookUp);
  const unserved = problem ?? found.problem ?? problemOfService(routing, resourceState);
  const { resolvedClass } = found;
  if (resolvedClass === undefined) return { ...NO_ACCOUNT, problem: unserved };
  if (resolvedClass.by === "jobs") return { ...NO_ACCOUNT, problem: unserved ?? jobsDisabled(resolvedClass.className) };
  const { issued, account, problem: unable } = accountOf(tools, resolvedClass, familyOfRouted(routed));
  return { resolvedClass, account, issued, problem: unserved ?? unable };
}

export function problemOfService(routing: Routing, resourceState: RoutedIPState): Problem | undefined {
  const key = resourceState.service;
  return serviceProblem({ key, namespace: resourceState.ref.namespace, service: routing.service(key) });
}

function jobsDisabled(className: string): Problem {
  const message = `ClusterRoutedIPClass ${className} works by Jobs, and the operator runs without feature jobs: enable it with --features`;
  return { reason: "JobsDisabled", message };
}

function accountOf({ routing, accounts }: GatherTools, { issuer: key }: ResolvedIssuerClass, family: IpFamily) {
  const issuer = routing.lookUp.issuer(key);
  const { account: issued, problem } = issuer === undefined ? {} : accounts.of(issuer);
  const account = issued?.addresses(family);
  if (account instanceof AddressAccount) return { issued, account, problem: undefined };
  return { issued, account: undefined, problem: problem ?? account };
}

const NO_ACCOUNT = { resolvedClass: undefined, account: undefined, issued: undefined };

function withPendingStatus({ pendingStatus }: RoutedIPState, routed: RoutedIP): RoutedIP {
  if (Object.keys(pendingStatus).length === 0) return routed;
  const entries = Object.entries({ ...routed.status, ...pendingStatus }).filter(([, value]) => value !== undefined);
  return { ...routed, status: Object.fromEntries(entries) };
}

interface DnsScene {
  readonly resolvedClass: ResolvedIssuerClass | undefined;
  readonly issued: IssuedAccount | undefined;
  readonly claims: Snapshot["claims"];
  readonly family: IpFamily;
}

/** Records at the issuer's own provider go by its token; others by those of the environment. */
function lookUpDns(
  { routing }: GatherTools,
  { spec, status }: RoutedIP,
  { resolvedClass, issued, claims, family }: DnsScene,
) {
  const { records, providers } = routing.context;
  const ofOperator = dnsOfRegistry(providers);
  const dnsOf = (name: string) =>
    (name === resolvedClass?.provider ? issued?.providers.dns : undefined) ?? ofOperator(name);
  const dnsService = new DnsService({ records, dnsOf });
  if (spec.dnsRecordSet === undefined && status.dns === undefined) return { dnsService, dns: undefined };
  const provider = spec.dnsRecordSet?.provider || resolvedClass?.provider || "";
  const types = [family === "IPv6" ? ("AAAA" as const) : ("A" as const)];
  return {
    dnsService,
    dns: dnsService.evaluate({ provider, wanted: spec.dnsRecordSet, types, last: status.dns, claims }),
  };
}

interface Place {
  readonly family: IpFamily;
  readonly account: AddressAccount | undefined;
  readonly resolvedClass: ResolvedIssuerClass | undefined;
}

function shareOf(
  { routing }: GatherTools,
  { ref, createdAt }: RoutedIPState,
  { family, account, resolvedClass }: Place,
  { wants, nodes }: { readonly wants: number; readonly nodes: readonly ProviderId[] },
): readonly ProviderId[] {
  const view = viewOf(account);
  const limit = Math.min(resolvedClass?.perNodeIPLimit ?? 1, account?.provider.capabilities.addressesPerNode ?? 1);
  const isPromised = (node: ProviderId) => (view.reservedFor(node)?.uid ?? ref.uid) !== ref.uid;
  const roomOn = (node: ProviderId) => limit - view.heldCount(node) - Number(isPromised(node));
  return routing.context.nodeRequests.share(family, { ref, createdAt, wants, candidates: () => nodes }, roomOn);
}
