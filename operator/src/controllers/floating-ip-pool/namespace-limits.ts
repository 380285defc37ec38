/** What the limits of its namespace refuse a pool, and what it claims under them. */

import { canonicalIp } from "cdk8s-flipop/api";
import { withAccounts } from "../../addresses/accounts/claimed-accounts.js";
import { dnsProviderOf } from "../../addresses/desired-addresses.js";
import type { Claimant } from "../../claims/claimant.js";
import { poolClaims } from "../../claims/read-claims.js";
import { ofOperator } from "../../claims/zones-of-tokens.js";
import { isUnnamed, type LimitedRecords, recordLimits } from "../../limits/tenant-access.js";
import type { Problem } from "../../messages/message.js";
import type { DnsSnapshot } from "../../records/desired-records.js";
import { ofRegistry } from "../../records/dns-service.js";
import type { ControllerContext } from "../context.js";
import { namedAddresses, type Pool } from "./snapshot.js";

type Limits = Pick<ControllerContext, "tenants" | "records">;
type Accounts = Pick<ControllerContext, "accounts" | "providers">;

/** By canonical address, whether the pool served it before or not. */
export function refusedAddresses({ tenants }: Limits, pool: Pool): ReadonlyMap<string, Problem> {
  const { namespace = "" } = pool.metadata;
  const problems = namedAddresses(pool).map((ip) => [ip, tenants.addressProblem(namespace, ip)] as const);
  return new Map(problems.flatMap(([ip, problem]) => (problem === undefined ? [] : [[ip, problem] as const])));
}

/** Whether the limits of its namespace allow an address in `ips`; none, while resources that may have it are unread. */
export function mayList(
  { tenants, claims }: Limits & Pick<ControllerContext, "claims">,
  { metadata: { namespace = "" } }: Pool,
): (ip: string) => boolean {
  return (ip) => claims.complete && tenants.addressProblem(namespace, ip) === undefined;
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
