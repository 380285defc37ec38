/**
 * Whether the account of an issuer's token is the one that its RoutedIPs have on record. After a start, a token of another account
 * must not make the operator forget what it has put into the right one.
 */

import { canonicalIp, familyOf } from "cdk8s-flipop/api";
import { AddressAccount } from "../addresses/accounts/address-account.js";
import type { Problem } from "../messages/message.js";
import { providerMessages } from "../messages/provider.js";
import { omitUndefined } from "../values.js";
import type { IssuedAccount } from "./issuer-accounts.js";
import { type RoutedObject, readRouted } from "./read-resources.js";
import { resolveClass } from "./resolved-class.js";
import type { RoutingCaches } from "./shared-caches.js";

type Caches = Pick<RoutingCaches, "routed" | "lookUp">;

interface Doubted {
  /** `namespace/name` */
  readonly issuer: string;
  readonly issued: Pick<IssuedAccount, "addresses" | "providers">;
  /** The RoutedIP that asks: the message names its address alone. Absent: it is the issuer. */
  readonly uid?: string;
}

/** `undefined`: the account is the right one, or nothing is on record that it would have to show. */
export function doubtOf({ routed, lookUp }: Caches, { issuer, issued, uid }: Doubted): Problem | undefined {
  const { proof } = issued.providers;
  if (proof === undefined || proof.isProven) return undefined;
  let [doubted, own]: [boolean, string | undefined] = [false, undefined];
  for (const object of routed.list()) {
    const ip = recordedIp(object);
    if (ip === undefined || issuerOf(object, lookUp) !== issuer) continue;
    const isThere = shows(issued, ip);
    if (isThere === true) {
      proof.prove();
      return undefined;
    }
    doubted ||= isThere === false;
    if (object.metadata.uid === uid) own = ip;
  }
  if (!doubted) return undefined;
  return providerMessages.accountInDoubt({ issuer, place: proof.place(), ...omitUndefined({ ip: own }) });
}

/** The address that the operator has created for it, or has put on a node, or opened a firewall for. */
function recordedIp({ status = {} }: RoutedObject): string | undefined {
  const { routedIP, created, providerID, firewall, firewallRules = [] } = status;
  const isUsed = created === true || [providerID, firewall].some((trace) => trace !== undefined);
  return routedIP && (isUsed || firewallRules.length > 0) ? canonicalIp(routedIP) : undefined;
}

function issuerOf(object: RoutedObject, lookUp: Caches["lookUp"]): string | undefined {
  const { resolvedClass } = resolveClass(readRouted(object).routed, lookUp);
  return resolvedClass?.by === "issuer" ? resolvedClass.issuer : undefined;
}

/** `undefined`: its list has not been read yet. */
function shows({ addresses }: Doubted["issued"], ip: string): boolean | undefined {
  const account = addresses(familyOf(ip));
  const view = account instanceof AddressAccount ? account.inventory?.view() : undefined;
  if (view?.get(ip) !== undefined) return true;
  return view?.complete === true ? false : undefined;
}
