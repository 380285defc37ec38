/** The firewalls that the operator created for an issuer, as its status has them: the latest one, and those of earlier names. */

import type { CreatedFirewall, RoutedIPIssuerSpec, RoutedIPIssuerStatus } from "cdk8s-flipop/api";

/** As many as the schema allows. */
const MOST_FORMER = 32;

type Records = Pick<RoutedIPIssuerStatus, "createdFirewall" | "formerFirewalls">;
interface Issuer {
  readonly spec: Pick<RoutedIPIssuerSpec, "routedIPFirewallName">;
  readonly status: Records;
}
type Patch = { readonly [K in keyof Records]: Records[K] | undefined };

export function createdFirewallsOf({ createdFirewall, formerFirewalls = [] }: Records): readonly CreatedFirewall[] {
  return [...(createdFirewall === undefined ? [] : [createdFirewall]), ...formerFirewalls];
}

/** Of all that RoutedIPs of the issuer use, or have used. */
export function firewallNamesOf({ spec: { routedIPFirewallName: named }, status }: Issuer): readonly string[] {
  const created = createdFirewallsOf(status).map(({ name }) => name);
  return [...new Set(named === undefined ? created : [named, ...created])];
}

/** It was created for the issuer, or deleted RoutedIPs have left something in it. */
export function hasOnRecord(status: Records & Pick<RoutedIPIssuerStatus, "retainedFirewalls">, name: string): boolean {
  const { retainedFirewalls = [] } = status;
  return [...createdFirewallsOf(status), ...retainedFirewalls].some((each) => each.name === name);
}

export function withCreated(records: Records, created: CreatedFirewall): Patch {
  return { createdFirewall: created, formerFirewalls: filled(othersOf(records, created.name)) };
}

export function withoutCreated({ createdFirewall, formerFirewalls = [] }: Records, name: string): Patch {
  return {
    createdFirewall: createdFirewall?.name === name ? undefined : createdFirewall,
    formerFirewalls: filled(formerFirewalls.filter((each) => each.name !== name)),
  };
}

/** The oldest first. */
function othersOf({ createdFirewall, formerFirewalls = [] }: Records, name: string): readonly CreatedFirewall[] {
  const all = [...formerFirewalls, ...(createdFirewall === undefined ? [] : [createdFirewall])];
  return all.filter((each) => each.name !== name).slice(-MOST_FORMER);
}

function filled(list: readonly CreatedFirewall[]): readonly CreatedFirewall[] | undefined {
  return list.length === 0 ? undefined : list;
}
