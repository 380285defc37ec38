/** What the limits of its namespace refuse a pool, and what it claims under them. */

import { canonicalIp } from "cdk8s-flipop/api";
import { withAccounts } from "../../addresses/accounts/claims-in-account.js";
import { dnsProviderOf } from "../../addresses/desired-addresses.js";
import type { Claimant } from "../../claims/claimant.js";
import { poolClaims } from "../../claims/read-claims.js";
import { ofOperator } from "../../claims/zones-of-tokens.js";
import { isUnnamed, type LimitedRecords, recordLimits } from "../../limits/tenant-limits.js";
import type { Problem } from "../../messages/message.js";
import { ofRegistry } from "../../records/dns-service.js";
import type { DnsSnapshot } from "../../records/record-actions.js";
import type { ControllerContext } from "../context.js";
import { namedAddresses, type Pool } from "./snapshot.js";

type Limits = Pick<ControllerContext, "tenants" | "records">;
type Accounts = Pick<ControllerContext, "accounts" | "providers">;

/** By canonical address, whether the pool served it before or not. */
export function refusedAddresses({ tenants }: Limits, pool: Pool): ReadonlyMap<string, Problem> {
  const own = new Set(createdIps(pool));
  const problemOf = (ip: string) =>
    tenants.addressProblem(namespace, ip) ?? (own.has(ip) ? undefined : takeOverProblem(tenants, pool, ip));
  const { namespace = "" } = pool.metadata;
  const problems = namedAddresses(pool).map((ip) => [ip, problemOf(ip)] as const);
  return new Map(problems.flatMap(([ip, problem]) => (problem === undefined ? [] : [[ip, problem] as const])));
}

function takeOverProblem(tenants: Limits["tenants"], { metadata: { namespace = "" }, spec }: Pool, ip: string) {
  return tenants.takeOverProblem({ namespace, ip, reclaimPolicy: spec.reclaimPolicy ?? "Retain" });
}

/** Whether the limits of its namespace allow an address in `ips`; none, while resources that may have it are unread. */
export function mayList(
  { tenants, claims }: Limits & Pick<ControllerContext, "claims">,
  pool: Pool,
): (ip: string) => boolean {
  const { namespace = "" } = pool.metadata;
  const isRefused = (ip: string) => tenants.addressProblem(namespace, ip) ?? takeOverProblem(tenants, pool, ip);
  return (ip) => claims.complete && isRefused(ip) === undefined;
}

export function limitsOfRecords({ tenants, records }: Limits, pool: Pool): Pick<DnsSnapshot, "refused" | "kept"> {
  return recordLimits(tenants, records.zones.lookUp, recordsOf(pool));
}

export function claimsOf(limits: Limits & Accounts, pool: Pool): Claimant {
  const { lookUp } = limits.records.zones;
  const refused = refusedAddresses(limits, pool);
  const unnamed = isUnnamed(limits.tenants, lookUp, recordsOf(pool));
  const claimant = poolClaims(pool, lookUp, { isRefused: (ip) => refused.has(ip), unnamed });
  const named = limits.records.shown.withZones(claimant, ofOperator(ofRegistry(limits.providers).dnsOf));
  return withAccounts(named, (family) => limits.accounts.find(pool.spec.provider, family));
}

export function createdIps({ status }: Pool): readonly string[] {
  return (status.createdIPs ?? []).map(({ ip }) => canonicalIp(ip));
}

function recordsOf({ metadata, spec, status }: Pool): LimitedRecords {
  const { namespace = "" } = metadata;
  return { namespace, provider: dnsProviderOf(spec), wanted: spec.dnsRecordSet, last: status.dns };
}
