/** Whether a RoutedIP may use the addresses and the DNS name that it asks for, and whether it claims them. */

import { canonicalIp, type DnsStatus, type RetainedAddress } from "cdk8s-flipop/api";
import { AddressAccount } from "../../addresses/accounts/address-account.js";
import { withAccounts } from "../../addresses/accounts/claims-in-account.js";
import { annotatedIps } from "../../addresses/desired-addresses.js";
import type { Claimant } from "../../claims/claimant.js";
import { normalName } from "../../claims/claimed-names.js";
import type { ClaimView } from "../../claims/claims.js";
import { ofOperator, type RecordToken } from "../../claims/zones-of-tokens.js";
import type { Problem } from "../../messages/message.js";
import { ofRegistry } from "../../records/dns-service.js";
import { leftOn } from "../../records/retained-records.js";
import {
  type AdoptAccess,
  addressProblem,
  adoptAccessOf,
  type DnsToken,
  isUndecidedName,
  nameProblem,
  usableRetained,
} from "../../routing/address-and-name-access.js";
import type { IssuedAccount, IssuerAccounts } from "../../routing/issuer-accounts.js";
import type { RoutedIP, RoutedRead } from "../../routing/read-resources.js";
import { type ResolvedClass, resolveClass } from "../../routing/resolved-class.js";
import type { RoutingCaches } from "../../routing/shared-caches.js";
import { createdIp } from "./address/address-set.js";
import { servingFormer } from "./address/former.js";
import { addressOf } from "./jobs/snapshot.js";
import type { RoutedState } from "./memory.js";
import { problemOfService } from "./service-follower.js";
import type { Former } from "./snapshot.js";

/** `undefined`: it names none, or may use them. A cleanup needs no permission. */
export function problemOfAddress(
  routing: RoutingCaches,
  routed: RoutedIP,
  resolved: ResolvedClass,
): Problem | undefined {
  const { metadata, status } = routed;
  if (resolved.wrongLimits !== undefined && metadata.deletionTimestamp === undefined) return resolved.wrongLimits;
  const user = { namespace: metadata.namespace ?? "", status, ips: namedAddresses(routed, resolved) };
  const problem = addressProblem(user, resolved.addressAccess, retainedBy(routing, resolved));
  return problem ?? (metadata.deletionTimestamp === undefined ? takeOverProblem(routing, routed, resolved) : undefined);
}

/** Of an address that the operator created for another resource, under the limits of the namespace. */
function takeOverProblem({ context: { tenants } }: RoutingCaches, routed: RoutedIP, resolved: ResolvedClass) {
  const { metadata, spec, status } = routed;
  const ip = spec.routedIP && canonicalIp(spec.routedIP);
  if (!ip || createdIp(routed) === ip) return undefined;
  const byIssuer = resolved.by === "issuer" ? resolved : undefined;
  const { issuer, reclaimPolicy = "Retain" } = byIssuer ?? {};
  const isOther = byIssuer === undefined || canonicalIp(status.routedIP ?? ip) !== ip;
  return tenants.takeOverProblem({ namespace: metadata.namespace ?? "", ip, reclaimPolicy, issuer, isOther });
}

interface Sources {
  readonly resolvedClass: ResolvedClass | undefined;
  readonly account: AddressAccount | undefined;
  readonly claims: ClaimView;
}

/** `undefined`: the RoutedIP uses the address that its spec names, or that the operator created. */
export function formerAddress(
  routing: RoutingCaches,
  routed: RoutedIP,
  { resolvedClass, account, claims }: Sources,
): Former | undefined {
  const { routedIP } = routed.spec;
  if (!routedIP || resolvedClass === undefined || account?.inventory === undefined) return undefined;
  const { nodes } = routing.context;
  return servingFormer(routed, {
    ...{ inventory: account.inventory.view(), claims, clusterNodes: () => nodes.list() },
    refusal: problemOfAddress(routing, routed, resolvedClass),
    failure: account.troubleOf([canonicalIp(routedIP)]).failure,
    isNode: (machine) => nodes.ofMachine(machine) !== undefined,
  });
}

/** Addresses that the operator created for the namespace, that no resource has, and that the RoutedIP may name. */
export function usableAddresses(
  routing: RoutingCaches,
  { metadata: { namespace = "" } }: RoutedIP,
  resolved: ResolvedClass,
): readonly RetainedAddress[] {
  const usable = usableRetained(retainedBy(routing, resolved), namespace, resolved.addressAccess);
  return usable.filter(({ ip }) => routing.context.claims.holderOf(canonicalIp(ip)) === undefined);
}

/** A RoutedIP that cannot be served, and never held its address, claims nothing: others may use the address. */
export function isUnserved(routing: RoutingCaches, state: RoutedState, { routed, problem }: RoutedRead): boolean {
  // Before all caches are read, a missing class or Service may only not have been seen yet.
  if (!routing.synced) return false;
  const { resolvedClass } = resolveClass(routed, routing.lookUp);
  if (problem !== undefined || resolvedClass === undefined) return true;
  const obstacle = problemOfService(routing, state) ?? problemOfAddress(routing, routed, resolvedClass);
  return obstacle !== undefined;
}

function namedAddresses(routed: RoutedIP, { by }: ResolvedClass): readonly string[] {
  if (by === "jobs") return [addressOf(routed)].filter((ip) => ip !== undefined);
  const { routedIP } = routed.spec;
  return routedIP ? [routedIP] : annotatedIps(routed);
}

function retainedBy(routing: RoutingCaches, resolved: ResolvedClass): readonly RetainedAddress[] {
  return keeperStatus(routing, resolved)?.retainedAddresses ?? [];
}

/** Of what outlives RoutedIPs. */
function keeperStatus({ lookUp }: RoutingCaches, resolved: ResolvedClass) {
  return (resolved.by === "jobs" ? lookUp.class(resolved.className) : lookUp.issuer(resolved.issuer))?.status;
}

/** What earlier RoutedIPs of the namespace have left on the name that it asks for. */
export function retainedOn(
  routing: RoutingCaches,
  { metadata: { namespace = "" }, spec: { dnsRecordSet: wanted } }: RoutedIP,
  { resolved, ...records }: Pick<DnsStatus, "provider" | "types"> & { readonly resolved: ResolvedClass },
): readonly string[] {
  const known = wanted && keeperStatus(routing, resolved)?.retainedRecords;
  return known ? leftOn(known, { ...wanted, ...records, namespace }, routing.context.records.zones.lookUp) : [];
}

interface Tools {
  readonly routing: RoutingCaches;
  readonly accounts: IssuerAccounts;
}

export interface NamePlace {
  readonly resolvedClass: ResolvedClass;
  /** Absent: Jobs do the work, or the issuer has no account. */
  readonly issued: IssuedAccount | undefined;
}

type MaybePlace = Pick<NamePlace, "issued"> & { readonly resolvedClass: ResolvedClass | undefined };

/** Of the records; empty: unknown. */
export function dnsProviderOf({ spec }: RoutedIP, resolvedClass: ResolvedClass | undefined): string {
  return spec.dnsRecordSet?.provider || (resolvedClass?.by === "issuer" ? resolvedClass.provider : "");
}

/** `undefined`: it asks for none, or may have it. */
export function problemOfName(routing: RoutingCaches, routed: RoutedIP, place: NamePlace): Problem | undefined {
  const { dnsRecordSet: asked } = routed.spec;
  if (asked === undefined) return undefined;
  const { zone, recordName: name } = asked;
  const { namespace = "" } = routed.metadata;
  const provider = dnsProviderOf(routed, place.resolvedClass);
  const normal = normalName(provider, { zone, name }, routing.context.records.zones.lookUp);
  const token = tokenOf(routing.settings.namespace, provider, place);
  return nameProblem({ zone, normal, namespace }, place.resolvedClass.nameAccess, token);
}

/** It may not have its DNS name, so it does not keep others from it. */
export function isUnnamed(tools: Tools, routed: RoutedIP): boolean {
  const { routing, accounts } = tools;
  if (routed.spec.dnsRecordSet === undefined || !routing.synced) return false;
  const { resolvedClass } = resolveClass(routed, routing.lookUp);
  if (resolvedClass === undefined) return false;
  const issuer = resolvedClass.by === "issuer" ? routing.lookUp.issuer(resolvedClass.issuer) : undefined;
  const issued = issuer && accounts.of(issuer).account;
  const problem = problemOfName(routing, routed, { resolvedClass, issued });
  return problem !== undefined && !isUndecidedName(problem);
}

/** The claims with the accounts: whether one has an address or a zone decides who gets it. */
export function inAccounts({ routing, accounts }: Tools, routed: RoutedIP, claimant: Claimant): Claimant {
  const { records, providers } = routing.context;
  const { resolvedClass } = resolveClass(routed, routing.lookUp);
  const ofOperators = ofOperator(ofRegistry(providers).dnsOf);
  if (resolvedClass?.by === "jobs") return records.shown.withZones(claimant, ofOperators);
  const key = resolvedClass?.issuer ?? "";
  const issuer = routing.synced ? routing.lookUp.issuer(key) : undefined;
  // Without credentials, it cannot use any address.
  const { account: issued, problem } = issuer === undefined ? {} : accounts.of(issuer);
  const account = issued?.addresses("IPv4");
  const isKnown = account instanceof AddressAccount && account.inventory !== undefined;
  // As the records are looked up. A token of an issuer counts once its account is known.
  const recordTokenOf = (provider: string): RecordToken => {
    if (!goesByIssuer(provider, { resolvedClass, issued })) return ofOperators(provider);
    return { issuer: key, dns: isKnown ? issued?.providers.dns : undefined };
  };
  return withAccounts(
    records.shown.withZones(claimant, recordTokenOf),
    (family) => issued?.addresses(family) ?? problem,
  );
}

/** Whether the operator may replace records that it did not write, with the token for the records of the RoutedIP. */
export function adoptAccess(routing: RoutingCaches, routed: RoutedIP, place: NamePlace): AdoptAccess {
  const provider = dnsProviderOf(routed, place.resolvedClass);
  return adoptAccessOf(place.resolvedClass.nameAccess, tokenOf(routing.settings.namespace, provider, place));
}

/** The token for the records is kept with the issuer, or with the operator. */
function tokenOf(operator: string, provider: string, place: NamePlace): DnsToken {
  const { resolvedClass } = place;
  if (resolvedClass.by === "jobs" || !goesByIssuer(provider, place)) return { provider, namespace: operator };
  return { provider, namespace: resolvedClass.issuer.split("/")[0] ?? "" };
}

/** Also while its token is missing: the operator's may be of another account, which knows nothing of these records. */
export function goesByIssuer(provider: string, { resolvedClass, issued }: MaybePlace): boolean {
  if (resolvedClass?.by !== "issuer" || provider !== resolvedClass.provider) return false;
  return issued === undefined || issued.providers.dns !== undefined;
}
