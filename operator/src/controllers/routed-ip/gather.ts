/** The snapshot of one RoutedIP, in one turn: reads what is there, waits for nothing. */

import { canonicalIp, familyOf, type IpFamily } from "cdk8s-flipop/api";
import { AddressAccount } from "../../addresses/address-accounts.js";
import { annotatedIps } from "../../addresses/desired.js";
import { CRD_PROBE_MS } from "../../bounds.js";
import type { Clock } from "../../clock.js";
import { NOTHING_SEEN } from "../../inventory/view.js";
import { omitUndefined } from "../../omit-undefined.js";
import type { ProviderId } from "../../providers/types.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import { DnsService, type DnsView, dnsOfRegistry } from "../../records/dns-service.js";
import type { IssuedAccount, IssuerAccounts } from "../../routing/issuer-accounts.js";
import { type ResolvedIssuerClass, resolveClass } from "../../routing/resolved-class.js";
import type { RoutedIP, RoutedRead } from "../../routing/resource.js";
import type { Routing } from "../../routing/routing.js";
import { addressSetOf } from "./address/address-set.js";
import { withResult } from "./address/creation-fields.js";
import { firewallOf, type ResolvedAccount } from "./firewall/gather-firewall.js";
import type { Gathered, IssuedGathered } from "./gathered.js";
import { type JobTools, snapshotOf } from "./jobs/gather.js";
import { memoryOf } from "./memory.js";
import type { RoutedState } from "./routed-state.js";
import { nodesOf, problemOfService, servedBy } from "./service/gather-service.js";
import type { Snapshot } from "./snapshot.js";
import { JOB_KEY, UPDATE } from "./update/lock-keys.js";

export interface GatherTools {
  readonly routing: Routing;
  readonly accounts: IssuerAccounts;
  /** Absent: the operator runs without feature jobs. */
  readonly jobs?: JobTools;
}

export function gather(tools: GatherTools, state: RoutedState, read: RoutedRead): Gathered {
  const known = withResult(read, state.memory.creationResult);
  state.memory.follower.follow(known.routed);
  const { resolvedClass } = resolveClass(known.routed, tools.routing.lookUp);
  if (resolvedClass?.by !== "jobs" || tools.jobs === undefined) return gatherIssued(tools, state, known);
  const retryAt = state.retries.get(JOB_KEY)?.retryAt;
  return { by: "jobs", snapshot: snapshotOf(tools.jobs, state, known), ...omitUndefined({ retryAt }) };
}

function gatherIssued(tools: GatherTools, state: RoutedState, read: RoutedRead): IssuedGathered {
  const { routing } = tools;
  const { memory } = state;
  const { routed } = read;
  const resolvedAccount = resolveAccount(tools, state, read);
  const { account, issued } = resolvedAccount;
  if (account !== undefined) memory.follower.limitTo(account.provider.capabilities.providerIdScheme);
  const family = familyOfRouted(routed);
  const claims = routing.context.claims.view(state.ref.uid);
  const { dnsService, dns } = lookUpDns(tools, routed, { ...resolvedAccount, claims, family });
  const firewalls = issued?.providers.firewalls;
  const around = firewallOf(routing, state, { routed, resolvedAccount, firewalls });
  const snapshot = issuedSnapshot(tools, state, { ...resolvedAccount, routed, family, claims, dns, around });
  const poll = memory.poll && { id: memory.poll.id, at: wallTime(routing.context.clock, memory.poll.nextAt) };
  const own = omitUndefined({ move: memory.move, poll });
  return { by: "issuer", snapshot, ...own, family, account, dnsService, dns, firewall: around.firewall, firewalls };
}

interface IssuedScene extends ResolvedAccount {
  readonly routed: RoutedIP;
  readonly family: IpFamily;
  readonly claims: Snapshot["claims"];
  readonly dns: DnsView | undefined;
  readonly around: ReturnType<typeof firewallOf>;
}

function issuedSnapshot(tools: GatherTools, state: RoutedState, scene: IssuedScene): Snapshot {
  const { routing } = tools;
  const { clock, claims, creations } = routing.context;
  const { memory, ref } = state;
  const { routed, resolvedClass, problem, account, dns, around } = scene;
  const inventory = viewOf(account);
  const nodes = nodesOf(memory);
  const moment = { inventory, verdictOf: nodes.verdictOf, now: clock.now(), monotonic: clock.monotonic() };
  return {
    ...{ routed, now: moment.now, inventory, claims: scene.claims },
    set: addressSetOf({ routed, ...omitUndefined({ resolvedClass }) }),
    ...omitUndefined({ resolvedClass, problem, dns: dns?.snapshot, firewall: around.snapshot }),
    previousFirewallStates: around.previousFirewallStates,
    ...accountFacts(account),
    ...nodes,
    ...servedBy(routing, memory, { routed, problem }),
    ownerOf: (ip) => claims.holderOf(ip),
    share: (wants, machines) => shareOf(tools, state, scene, { wants, nodes: machines }),
    otherCreations: creations.others(creationKey(state, scene)),
    crdTooOld: moment.monotonic - memory.intentDroppedAt < CRD_PROBE_MS,
    // A check whether the sequence's own decision still holds is made as if the sequence did not run.
    creating: memory.creating === "called" && state.inFlight.has(UPDATE),
    memory: memoryOf(state, moment, dns?.reverts),
    taints: routing.taints.view(ref.uid),
  };
}

function wallTime(clock: Pick<Clock, "now" | "monotonic">, monotonic: number): number {
  return clock.now() + monotonic - clock.monotonic();
}

export function familyOfRouted({ spec, status }: RoutedIP): IpFamily {
  return familyOf(spec.routedIP || status.routedIP || "");
}

function viewOf(account: AddressAccount | undefined) {
  return account?.inventory?.view() ?? NOTHING_SEEN;
}

function accountFacts(account: AddressAccount | undefined) {
  if (account === undefined) return {};
  const { failure: providerFailure, retryAt: providerRetryAt } = account;
  return { capabilities: account.provider.capabilities, ...omitUndefined({ providerFailure, providerRetryAt }) };
}

export function creationKey(
  { ref }: Pick<RoutedState, "ref">,
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

/** By whose account, and what stands in the way: the first of all that does. */
export function resolveAccount(
  tools: GatherTools,
  state: RoutedState,
  { routed, problem }: RoutedRead,
): ResolvedAccount {
  const { routing } = tools;
  const found = resolveClass(routed, routing.lookUp);
  const unserved = problem ?? found.problem ?? problemOfService(routing, state);
  const { resolvedClass } = found;
  if (resolvedClass === undefined) return { ...NO_ACCOUNT, problem: unserved };
  if (resolvedClass.by === "jobs") return { ...NO_ACCOUNT, problem: unserved ?? jobsDisabled(resolvedClass.className) };
  const { issued, account, problem: unable } = accountOf(tools, resolvedClass, familyOfRouted(routed));
  return { resolvedClass, account, issued, problem: unserved ?? unable };
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
  { ref, createdAt }: RoutedState,
  { family, account, resolvedClass }: Place,
  { wants, nodes }: { readonly wants: number; readonly nodes: readonly ProviderId[] },
): readonly ProviderId[] {
  const view = viewOf(account);
  const limit = Math.min(resolvedClass?.perNodeIPLimit ?? 1, account?.provider.capabilities.addressesPerNode ?? 1);
  const isPromised = (node: ProviderId) => (view.reservedFor(node)?.uid ?? ref.uid) !== ref.uid;
  const roomOn = (node: ProviderId) => limit - view.heldCount(node) - Number(isPromised(node));
  return routing.context.nodeRequests.share(family, { ref, createdAt, wants, candidates: () => nodes }, roomOn);
}
