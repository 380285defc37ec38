/** The accounts of what a RoutedIP claims: whether one has an address or a zone decides who gets it. */

import { withAccounts } from "../../addresses/accounts/claimed-accounts.js";
import { AddressAccount } from "../../addresses/address-accounts.js";
import type { Claimant } from "../../claims/claimant.js";
import { ofOperator, type RecordToken } from "../../claims/zones-of-tokens.js";
import { ofRegistry } from "../../records/dns-service.js";
import { resolveClass } from "../../routing/resolved-class.js";
import type { RoutedIP } from "../../routing/resource.js";
import type { GatherTools } from "./gather.js";
import { goesByIssuer } from "./permissions.js";

export function inAccounts({ routing, accounts }: GatherTools, routed: RoutedIP, claimant: Claimant): Claimant {
  const { records, providers } = routing.context;
  const { resolvedClass } = resolveClass(routed, routing.lookUp);
  const ofOperators = ofOperator(ofRegistry(providers).dnsOf);
  if (resolvedClass?.by === "jobs") return records.shown.withZones(claimant, ofOperators);
  const key = resolvedClass?.issuer ?? "";
  const issuer = routing.synced ? routing.lookUp.issuer(key) : undefined;
  const issued = issuer && accounts.of(issuer).account;
  const account = issued?.addresses("IPv4");
  const isKnown = account instanceof AddressAccount && account.inventory !== undefined;
  // As the records are looked up. A token of an issuer counts once its account is known.
  const tokenOf = (provider: string): RecordToken => {
    if (!goesByIssuer(provider, { resolvedClass, issued })) return ofOperators(provider);
    return { issuer: key, dns: isKnown ? issued?.providers.dns : undefined };
  };
  return withAccounts(records.shown.withZones(claimant, tokenOf), (family) => issued?.addresses(family));
}
