/** What the limits of the operator's configuration do not allow a namespace. */

import { listed } from "../values.js";
import { note, problem, topic } from "./message.js";
import { HAVE_ADMINISTRATOR } from "./refused-nodes.js";

interface Limited {
  /** What limits it: the entry of the configuration. */
  readonly limiter: string;
}

interface Reached extends Limited {
  readonly most: number;
}

interface ReachedByAll extends Reached {
  /** Of `most`, those in the namespace of the resource. */
  readonly own: number;
  readonly namespace: string;
}

function maximum({ limiter, most }: Reached): string {
  return `${limiter} allows the operator to create ${most} address${most === 1 ? "" : "es"}`;
}

function lowerCount({ limiter }: Limited): string {
  return `delete resources with created addresses, lower desiredIPs of a pool with reclaimPolicy Delete (if all of them exist, the operator then releases one that serves), or have the cluster's administrator raise maxCreatedAddresses in ${limiter}`;
}

/** @param policy which keeps the address */
function uncounted({ limiter }: Limited, policy: string): string {
  return `${limiter} limits created addresses, and under ${policy} the account keeps an address that no longer counts once its resource is deleted, so the operator creates none`;
}

/** The limits of all namespaces. */
export const TENANT_LIMITS = "the operator's tenantLimits";
const ENTRY = `${TENANT_LIMITS}.namespaces[0]`;

/** @param limiter an entry of the operator's configuration, an issuer or a class. @param change `add it to allowedNames` */
export function haveChanged(limiter: string, change: string): string {
  return limiter.startsWith(TENANT_LIMITS)
    ? `${HAVE_ADMINISTRATOR} ${change} in ${limiter}`
    : `ask the author of ${limiter} to ${change}`;
}

export const tenantMessages = topic("tenants", {
  nameKept: note({
    reason: "NameNotAllowed",
    text: ({ name, limiter }: Limited & { readonly name: string }) =>
      `${limiter} no longer allows the DNS name ${name}; the operator keeps its records up to date, because it wrote them before`,
    example: { name: "www.example.com", limiter: ENTRY },
  }),
  addressesKept: note({
    reason: "AddressNotAllowed",
    text: ({ ips, limiter }: Limited & { readonly ips: readonly string[] }) =>
      `${limiter} no longer allows ${listed(ips)}; the operator goes on serving the addresses that the resource had before`,
    example: { ips: ["203.0.113.7"], limiter: ENTRY },
  }),
  tooManyCreated: problem({
    reason: "CreationNotAllowed",
    by: "administrator",
    text: (reached: Reached) => `${maximum(reached)}, and as many exist or are being created, so it creates no more`,
    remedy: lowerCount,
    example: { limiter: ENTRY, most: 3 },
  }),
  tooManyInAll: problem({
    reason: "CreationNotAllowed",
    by: "administrator",
    text: ({ own, namespace, ...reached }: ReachedByAll) =>
      `${maximum(reached)} in all namespaces together, and as many exist or are being created (${own} in namespace ${namespace}), so it creates no more`,
    remedy: lowerCount,
    example: { limiter: TENANT_LIMITS, most: 50, own: 3, namespace: "team-a" },
  }),
  notCounted: problem({
    reason: "UnderWay",
    by: "operator",
    text: () =>
      "the operator has not read all resources yet, so it cannot count the addresses that it created; it creates none before",
  }),
  retainNotCounted: problem({
    reason: "CreationNotAllowed",
    by: "author",
    text: (limited: Limited) => uncounted(limited, "reclaimPolicy Retain"),
    remedy: ({ limiter }) =>
      `set reclaimPolicy to Delete, which releases the address together with its resource, or have the cluster's administrator remove maxCreatedAddresses from ${limiter}`,
    example: { limiter: ENTRY },
  }),
  issuerRetains: problem({
    reason: "CreationNotAllowed",
    by: "other",
    text: ({ issuer, ...limited }: Limited & { readonly issuer: string }) =>
      uncounted(limited, `policy Retain of RoutedIPIssuer ${issuer}`),
    remedy: ({ issuer, limiter }) =>
      `set routedIP to an address of the account, ask the author of RoutedIPIssuer ${issuer} to set routedIPReclaimPolicy to Delete, or have the cluster's administrator remove maxCreatedAddresses from ${limiter}`,
    example: { limiter: ENTRY, issuer: "ingress/digitalocean" },
  }),
});
