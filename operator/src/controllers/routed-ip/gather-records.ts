/** The record set of a RoutedIP, and whether the RoutedIP may have its name: the same whoever moves the address. */

import type { IpFamily } from "cdk8s-flipop/api";
import type { ClaimView } from "../../claims/claims.js";
import { DnsService, ofRegistry } from "../../records/dns-service.js";
import { blockedReadAt } from "../../records/record-plan.js";
import type { IssuedAccount } from "../../routing/issuer-accounts.js";
import type { RoutedIP } from "../../routing/read-resources.js";
import type { ResolvedClass } from "../../routing/resolved-class.js";
import type { RoutingCaches } from "../../routing/shared-caches.js";
import { omitUndefined } from "../../values.js";
import { adoptAccess, dnsProviderOf, goesByIssuer, problemOfName, retainedOn } from "./claim-permissions.js";
import type { FoundRecords } from "./snapshot.js";

export interface DnsScene {
  readonly resolvedClass: ResolvedClass | undefined;
  /** Absent: Jobs do the work, or the issuer has no account. */
  readonly issued?: IssuedAccount | undefined;
  readonly claims: ClaimView;
  readonly family: IpFamily;
}

/** Records at the issuer's own provider go by its token; others, and all under a class with Jobs, by the operator's. */
export function lookUpDns(routing: RoutingCaches, routed: RoutedIP, scene: DnsScene): FoundRecords {
  const { resolvedClass, issued, claims, family } = scene;
  const { spec, status, metadata } = routed;
  const { records, providers } = routing.context;
  const ofOperator = ofRegistry(providers);
  const isIssuers = (name: string) => goesByIssuer(name, { resolvedClass, issued });
  const dnsService = new DnsService({
    records,
    claims: routing.context.claims,
    // Without its class, whose token it was is unknown: the operator's may be of another account.
    dnsOf: (name) => {
      if (resolvedClass === undefined) return undefined;
      return isIssuers(name) ? issued?.providers.dns : ofOperator.dnsOf(name);
    },
    longWaitOf: (name) => (isIssuers(name) ? issued?.providers.longWait?.("records") : ofOperator.longWaitOf?.(name)),
  });
  const { dnsRecordSet: wanted } = spec;
  const { dns: last, begunRecords: begun } = status;
  if ([wanted, last, begun].every((each) => each === undefined)) return { dnsService, dns: undefined };
  const provider = dnsProviderOf(routed, resolvedClass);
  const types = [family === "IPv6" ? ("AAAA" as const) : ("A" as const)];
  const deleting = metadata.deletionTimestamp !== undefined;
  const dns = dnsService.evaluate({ provider, wanted, types, last, begun, deleting, claims });
  const retained = resolvedClass && retainedOn(routing, routed, { resolved: resolvedClass, provider, types });
  const limits = limitsOfName(routing, routed, scene);
  const snapshot = { ...dns.snapshot, adopts: false, ...omitUndefined({ retained }), ...limits };
  const blockedUntil = blockedReadAt(snapshot, { last, wanted, provider });
  const { readAgainAt = Number.POSITIVE_INFINITY } = snapshot;
  const earlier = blockedUntil === undefined ? {} : { readAgainAt: Math.min(readAgainAt, blockedUntil) };
  return { dnsService, dns: { ...dns, snapshot: { ...snapshot, ...earlier } } };
}

function limitsOfName(routing: RoutingCaches, routed: RoutedIP, { resolvedClass, issued }: DnsScene) {
  if (resolvedClass === undefined) return {};
  const refused = problemOfName(routing, routed, { resolvedClass, issued });
  return { ...adoptAccess(routing, routed, { resolvedClass, issued }), ...omitUndefined({ refused }) };
}
