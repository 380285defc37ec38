/** The snapshot of one RoutedIP, in one turn: reads what is there, waits for nothing. */

import { canonicalIp, familyOf, type IpFamily } from "cdk8s-flipop/api";
import { CRD_PROBE_MS } from "../../bounds.js";
import { NOTHING_SEEN } from "../../inventory/view.js";
import { tallyText } from "../../match/tally.js";
import type { FirewallProvider, ProviderId } from "../../providers/types.js";
import { AddressAccount } from "../address-accounts.js";
import { annotatedIps } from "../floating-ip-pool/wish.js";
import { given } from "../given.js";
import type { Problem } from "../problem.js";
import { DnsDesk, type DnsLook, dnsOfRegistry } from "../records/dns-desk.js";
import type { SharedFirewall } from "./firewall-book.js";
import { firewallOf } from "./gather-firewall.js";
import type { IssuedAccount, IssuerAccounts } from "./issuer-accounts.js";
import { memoryOf } from "./memory.js";
import { NO_PORTS, portsOf } from "./ports.js";
import type { RoutedRead } from "./resource.js";
import type { Routing } from "./routing.js";
import { serviceProblem } from "./service.js";
import type { RoutedIP, Snapshot } from "./snapshot.js";
import { type IssuedTerms, termsOf } from "./terms.js";
import type { RoutedUnit } from "./unit.js";

export interface GatherTools {
  readonly routing: Routing;
  readonly accounts: IssuerAccounts;
}

export interface Gathered {
  readonly snapshot: Snapshot;
  readonly family: IpFamily;
  readonly account: AddressAccount | undefined;
  readonly desk: DnsDesk;
  readonly dns: DnsLook | undefined;
  readonly firewall: SharedFirewall | undefined;
  readonly firewalls: FirewallProvider | undefined;
}

export function gather(tools: GatherTools, unit: RoutedUnit, read: RoutedRead): Gathered {
  const { routing } = tools;
  const { context } = routing;
  const routed = withOverlay(unit, read.routed);
  const grounds = groundsOf(tools, unit, { routed, ...given({ problem: read.problem }) });
  const { terms, account, issued } = grounds;
  if (account !== undefined) unit.limitTo(account.provider.capabilities.providerIdScheme);
  const family = familyOfRouted(routed);
  const inventory = viewOf(account);
  const claims = context.claims.view(unit.ref.uid);
  const { desk, dns } = lookUpDns(tools, routed, { terms, issued, claims, family });
  const firewalls = issued?.providers.firewalls;
  const { firewall, snapshot: firewallSnapshot, formers } = firewallOf(routing, unit, { routed, grounds, firewalls });
  const nodes = nodesOf(unit);
  const { clock } = context;
  const scene = { inventory, verdictOf: nodes.verdictOf, now: clock.now(), monotonic: clock.monotonic() };
  const snapshot: Snapshot = {
    routed,
    ...given({ terms, problem: grounds.problem, dns: dns?.snapshot, firewall: firewallSnapshot }),
    formers,
    ...accountFacts(account),
    ...nodes,
    ...servedBy(routing, unit, { routed, problem: grounds.problem }),
    now: scene.now,
    inventory,
    claims,
    ownerOf: (ip) => context.claims.holderOf(ip),
    share: (wants, machines) => shareOf(tools, unit, { family, account, terms }, { wants, nodes: machines }),
    otherCreations: context.creations.others(creationKey(unit, { terms, family, account })),
    crdTooOld: context.clock.monotonic() - unit.droppedAt < CRD_PROBE_MS,
    memory: memoryOf(unit, scene, dns?.reverts),
    taints: routing.taints.view(unit.ref.uid),
  };
  return { snapshot, family, account, desk, dns, firewall, firewalls };
}

export function familyOfRouted({ spec, status }: RoutedIP): IpFamily {
  return familyOf(spec.routedIP || status.routedIP || "");
}

function viewOf(account: AddressAccount | undefined) {
  return account?.inventory?.view() ?? NOTHING_SEEN;
}

function accountFacts(account: AddressAccount | undefined) {
  if (account === undefined) return {};
  return { capabilities: account.provider.capabilities, ...given({ providerFailure: account.failure }) };
}

export function nodesOf(unit: RoutedUnit): Pick<Snapshot, "candidates" | "verdictOf" | "refusals" | "servesAt"> {
  const { index } = unit;
  return {
    candidates: index?.candidates() ?? [],
    verdictOf: (machine) => index?.verdictOfMachine(machine),
    refusals: index === undefined ? "" : tallyText(index.tally()),
    servesAt: (node) => unit.servesAt(node),
  };
}

export function servedBy(
  routing: Routing,
  unit: RoutedUnit,
  { routed, problem }: { readonly routed: RoutedIP; readonly problem: Problem | undefined },
): Pick<Snapshot, "cachesComplete" | "leadsSince" | "ports"> {
  const pods = unit.podsBehind();
  const service = routing.service(unit.service);
  const known = service !== undefined && problem === undefined;
  return {
    cachesComplete: routing.context.leads() && routing.synced && pods !== undefined,
    ...given({ leadsSince: routing.context.leadsSince() }),
    ports: known ? portsOf(service, pods ?? [], routed.status.ports) : NO_PORTS,
  };
}

export function creationKey(
  { ref }: Pick<RoutedUnit, "ref">,
  {
    terms,
    family,
    account,
  }: {
    readonly terms: IssuedTerms | undefined;
    readonly family: IpFamily;
    readonly account: AddressAccount | undefined;
  },
) {
  return { resource: ref, provider: terms?.provider ?? "", family, account: account?.inventory };
}

/** Addresses that it names anywhere; canonical. */
export function namedAddresses({ metadata, spec, status }: RoutedIP): readonly string[] {
  const own = [spec.routedIP, status.routedIP].flatMap((ip) => (ip ? [canonicalIp(ip)] : []));
  return [...new Set([...own, ...annotatedIps({ metadata })])];
}

export interface Grounds {
  readonly terms: IssuedTerms | undefined;
  readonly account: AddressAccount | undefined;
  readonly issued: IssuedAccount | undefined;
  readonly problem: Problem | undefined;
}

/** By whose account, and what stands in the way: the first of all that does. */
export function groundsOf(tools: GatherTools, unit: RoutedUnit, { routed, problem }: RoutedRead): Grounds {
  const { routing } = tools;
  const found = termsOf(routed, routing.lookUp);
  const unserved = problem ?? found.problem ?? problemOfService(routing, unit);
  const { terms } = found;
  if (terms === undefined) return { ...NO_GROUNDS, problem: unserved };
  if (terms.by === "jobs") return { ...NO_GROUNDS, problem: unserved ?? jobsDisabled(terms.className) };
  const { issued, account, problem: unable } = accountOf(tools, terms, familyOfRouted(routed));
  return { terms, account, issued, problem: unserved ?? unable };
}

export function problemOfService(routing: Routing, unit: RoutedUnit): Problem | undefined {
  const key = unit.service;
  return serviceProblem({ key, namespace: unit.ref.namespace, service: routing.service(key) });
}

function jobsDisabled(className: string): Problem {
  const message = `ClusterRoutedIPClass ${className} works by Jobs, and the operator runs without feature jobs: enable it with --features`;
  return { reason: "JobsDisabled", message };
}

function accountOf({ routing, accounts }: GatherTools, { issuer: key }: IssuedTerms, family: IpFamily) {
  const issuer = routing.lookUp.issuer(key);
  const { account: issued, problem } = issuer === undefined ? {} : accounts.of(issuer);
  const account = issued?.addresses(family);
  if (account instanceof AddressAccount) return { issued, account, problem: undefined };
  return { issued, account: undefined, problem: problem ?? account };
}

const NO_GROUNDS = { terms: undefined, account: undefined, issued: undefined };

function withOverlay({ overlay }: RoutedUnit, routed: RoutedIP): RoutedIP {
  if (Object.keys(overlay).length === 0) return routed;
  const entries = Object.entries({ ...routed.status, ...overlay }).filter(([, value]) => value !== undefined);
  return { ...routed, status: Object.fromEntries(entries) };
}

interface DnsScene {
  readonly terms: IssuedTerms | undefined;
  readonly issued: IssuedAccount | undefined;
  readonly claims: Snapshot["claims"];
  readonly family: IpFamily;
}

/** Records at the issuer's own provider go by its token; others by those of the environment. */
function lookUpDns({ routing }: GatherTools, { spec, status }: RoutedIP, { terms, issued, claims, family }: DnsScene) {
  const { records, providers } = routing.context;
  const ofOperator = dnsOfRegistry(providers);
  const dnsOf = (name: string) => (name === terms?.provider ? issued?.providers.dns : undefined) ?? ofOperator(name);
  const desk = new DnsDesk({ records, dnsOf });
  if (spec.dnsRecordSet === undefined && status.dns === undefined) return { desk, dns: undefined };
  const provider = spec.dnsRecordSet?.provider || terms?.provider || "";
  const types = [family === "IPv6" ? ("AAAA" as const) : ("A" as const)];
  return { desk, dns: desk.look({ provider, wanted: spec.dnsRecordSet, types, last: status.dns, claims }) };
}

interface Place {
  readonly family: IpFamily;
  readonly account: AddressAccount | undefined;
  readonly terms: IssuedTerms | undefined;
}

function shareOf(
  { routing }: GatherTools,
  { ref, createdAt }: RoutedUnit,
  { family, account, terms }: Place,
  { wants, nodes }: { readonly wants: number; readonly nodes: readonly ProviderId[] },
): readonly ProviderId[] {
  const view = viewOf(account);
  const limit = Math.min(terms?.perNodeIPLimit ?? 1, account?.provider.capabilities.addressesPerNode ?? 1);
  const isPromised = (node: ProviderId) => (view.reservedFor(node)?.uid ?? ref.uid) !== ref.uid;
  const roomOn = (node: ProviderId) => limit - view.heldCount(node) - Number(isPromised(node));
  return routing.context.demands.share(family, { ref, createdAt, wants, candidates: () => nodes }, roomOn);
}
