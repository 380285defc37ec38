/** What a failed call to a provider says, and why the operator cannot use one: what was seen, and what to do. Conditions show it as a value. */

import { allProviders, EXTERNAL_DNS, type ProviderFacts, type ProviderService, providerNamed } from "cdk8s-flipop/api";
import { CONNECT_TIMEOUT, PROXY_REFUSED } from "../http/connector.js";
import { FIX } from "./message.js";

/** Words and variables of an API, for remedies. */
export type ApiNames = Pick<ProviderFacts, "title" | "tokenVariable" | "urlVariable">;

/** A text: what a person can do. Else what the operator does or sees itself, and what a person can do then. */
export type Remedy = string | { readonly operator: string; readonly person?: string };

export interface FailureText {
  readonly seen: string;
  readonly remedy: Remedy;
}

export function failureText({ seen, remedy }: FailureText): string {
  if (typeof remedy === "string") return `${seen}${FIX}${remedy}`;
  const { operator, person } = remedy;
  return `${seen}; ${operator}${person === undefined ? "" : `${FIX}${person}`}`;
}

/** A large number, such as 100,000. */
export function counted(number: number): string {
  return number.toLocaleString("en-US");
}

/** The page with the rights that each provider's token needs. */
export const TOKEN_RIGHTS = "https://github.com/flipop/flipop/blob/main/docs/how-to/install.md#rights-of-the-tokens";

const RATE_LIMITED = "the operator waits and tries again";
export const TRIES_AGAIN = "the operator tries again";
const STATUS_PAGE = "if this lasts, look at the provider's status page";

export const HAS_CNAME = "the name has a CNAME record";

/** What to do where nothing more is known than the kind of the failure. */
export const REMEDIES = {
  NotFound:
    "correct what the resource names, or have the owner of the account check that the account of the token has it",
  Conflict: { operator: "the operator reads it again and tries again" },
  RecordsChanged: { operator: "the operator reads the record set again and makes a new plan" },
  RateLimited: { operator: RATE_LIMITED, person: "if this lasts, give other programs tokens of their own" },
  /** Cloudflare counts the calls of all tokens of a user together. */
  UserRateLimited: {
    operator: RATE_LIMITED,
    person: "if this lasts, give other programs tokens of another user, because all tokens of a user share the limit",
  },
  Unavailable: { operator: TRIES_AGAIN, person: STATUS_PAGE },
  /** After a look at the token itself: `failedCalls.checkToken`. */
  Unauthorized: `if you find no such mistake, have the owner of the account create a new one with the rights that ${TOKEN_RIGHTS} lists`,
  QuotaExceeded:
    "release addresses that a pool has disabled (flipop orphans names them; reclaimPolicy Delete of the pool releases created ones), or use or release those that no resource has; or have the owner of the account ask the provider for a higher limit, or lower desiredIPs where not all addresses are active",
  RecordExists:
    "have the owner of the DNS account delete the CNAME or NS record of this name, which excludes addresses, or set another recordName",
  Terminal: "correct in the resource what the answer names",
} as const satisfies Readonly<Record<string, Remedy>>;

export const CORRECT_ZONE =
  "correct dnsRecordSet.zone, which is the domain as the account lists it (what stands before it, such as www, belongs to recordName), or dnsRecordSet.provider if the zone is in the account of another provider";

/** @param other provider whose account has the zone */
export function zoneElsewhere(other: string, zone: string): string {
  return `set dnsRecordSet.provider to ${other}, whose account has zone ${zone}`;
}

export const OCCUPIED_NODE: Remedy = {
  operator: "a machine holds one address of a family; the operator chooses another node",
  person: "if no other node is free, have the owner of the account unassign the address that the machine holds",
};

/** @param status of the machine, in the provider's words */
export function startMachine(machine: string, status: string): Remedy {
  return { operator: `machine ${machine} is "${status}"`, person: "have the owner of the account start it" };
}

const NO_ROUTE = "there is no route to the API";
const NOT_TRUSTED = "the API's certificate is not trusted";

/** Node's codes of errors that mean that nothing was sent. */
const NOT_SENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the API's name does not resolve",
  EAI_AGAIN: "the resolver does not answer",
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  [CONNECT_TIMEOUT]: "no connection within 10 s",
  [PROXY_REFUSED]: "the proxy refused the connection",
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  CERT_HAS_EXPIRED: "the API's certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "the API's certificate is for another name",
};

const readsFrom = (place: string, seen: string) =>
  `the operator reads the token from ${place}, and what stands there ${seen}`;
const ONE_TOKEN = "have the owner of the account put one token there, and nothing else";

export const CREATE_AGAIN = "with the former token, delete its RoutedIPs, then the issuer, and create them again";

export const failedCalls = {
  /** `undefined`: a part of the request may have been sent. */
  notSent: (code: string, { urlVariable }: ApiNames): FailureText | undefined => {
    const seen = NOT_SENT[code];
    if (seen === undefined) return undefined;
    return {
      seen,
      remedy: `have the cluster's administrator check the network policy, the proxy variables and ${urlVariable} of the operator`,
    };
  },
  /** @param place where the operator reads a token that lacks a right, or that no API would accept */
  tokenPlace: (remedy: string, place: string): string => `${remedy} (the operator reads the token from ${place})`,
  /** Of a token that the API does not accept. @param otherwise what to do with one that looks right */
  checkToken: (otherwise: string, place: string): string =>
    `check the token that the operator reads from ${place}: it may be wrong, expired, cut short or in base64 twice; ${otherwise}`,
  tokenInBase64: (place: string): Remedy => ({
    operator: readsFrom(place, "is itself base64 of another text"),
    person:
      "put the token there as the provider shows it (in a Secret, under stringData, or in base64 once under data)",
  }),
  /** @param seen completes "what stands there ..." */
  tokenWithMore: (place: string, seen: string): Remedy => ({
    operator: readsFrom(place, seen),
    person: "put the token alone there, without quotation marks, a name or a prefix (such as Bearer)",
  }),
  broken: (code: string): FailureText => ({
    seen: `the connection broke${code === "" ? "" : ` (${code})`}`,
    remedy: REMEDIES.Unavailable,
  }),
  malformed: (what: string): string => `malformed answer: ${what}`,
  foreignAnswer: ({ title, urlVariable }: ApiNames): string =>
    `have the cluster's administrator check that ${urlVariable} of the operator leads to ${title}'s API, and that no proxy answers in its place`,
  longToken: (length: number, longest: number): FailureText => ({
    seen: `the token has ${length} characters, and one has at most ${longest}`,
    remedy: ONE_TOKEN,
  }),
  malformedToken: {
    seen: "the token contains a space, a line break or another character that no token has",
    remedy: ONE_TOKEN,
  } satisfies FailureText,
  tokenChanged: "another token has replaced the one that the decision was made with",
  /** @param issuer `namespace/name`; absent: the token is the operator's own */
  otherAccount: (place: string, issuer?: string): FailureText => ({
    seen: `the token that the operator reads from ${place} belongs to another account than ${issuer === undefined ? "the one before it" : `that of RoutedIPIssuer ${issuer} (its status.account)`}, so the operator sends no call with it`,
    remedy: `put a token of ${issuer === undefined ? "the former" : "that"} account there; or, if all is to move to the other account, ${issuer === undefined ? "have the cluster's administrator restart the operator" : CREATE_AGAIN}`,
  }),
  noToken: ({ tokenVariable }: ApiNames): FailureText => ({
    seen: "there is no token",
    remedy: `have the cluster's administrator set ${tokenVariable} of the operator, or mount the file of ${tokenVariable}_FILE`,
  }),
  relativePath: {
    seen: 'an id in the request is empty, "." or "..", so the request would reach another object',
    remedy: "have the owner of the account check which API answered the calls before this one",
  },
  givenUp: {
    seen: "the call was given up",
    remedy: { operator: "whoever asked no longer waits for the answer" },
  },
  late: (seconds: number): FailureText => ({
    seen: `no complete answer within ${seconds} s`,
    remedy: REMEDIES.Unavailable,
  }),
  /** The call did not get its turn in time. */
  limitLate: (seconds: number): FailureText => ({
    seen: `the operator did not send the call: for ${seconds} s it waited for the account's limits of calls and connections`,
    remedy: REMEDIES.RateLimited,
  }),
  /** No time until the next one: it would be another one each time. */
  groupLimit: ({ calls, seconds }: { readonly calls: number; readonly seconds: number }): FailureText => ({
    seen: `the API allows ${calls} of these calls in ${seconds} s, and they are used up`,
    remedy: { operator: "the operator sends it as soon as the limit allows" },
  }),
  /** No number: it would be another one each time. */
  leaseEnding: {
    seen: "no complete answer for as long as the lease was sure to be held",
    remedy: {
      operator: TRIES_AGAIN,
      person:
        "if this lasts, look for a Kubernetes API server that is slow to renew the lease, and at the provider's status page",
    },
  },
  callsAbout: (part: string): string => `calls about ${part}`,
  /** No time and no number: the text goes to statuses, and each retry would write another one. */
  circuitOpen: (last: string): FailureText => ({
    // The failure comes last: the text may be cut.
    seen: `the operator sends none for a while, because several in a row failed (${last})`,
    remedy: {
      operator: TRIES_AGAIN,
      person: `${STATUS_PAGE} and at the network of the operator`,
    },
  }),
  unforeseen: (error: unknown): FailureText => ({
    seen: `the answer could not be handled (${error instanceof Error ? error.message : String(error)})`,
    remedy: "report this as a fault of the operator, with its log",
  }),
  superseded: (because: string): FailureText => ({
    seen: `not sent: ${because}`,
    remedy: { operator: "the operator plans again" },
  }),
  sharedReadLate: (seconds: number): FailureText => ({
    seen: `it did not end within ${seconds} s`,
    remedy: { operator: "the operator reads again", person: STATUS_PAGE },
  }),
} as const;

/** A failed read or write of a DNSEndpoint object. */
export const externalDnsFailures = {
  noKind: {
    seen: "the API server does not serve DNSEndpoint",
    remedy:
      "have the cluster's administrator install the CRD of external-dns, and start external-dns with --source=crd",
  },
  changed: { seen: "the DNSEndpoint has changed meanwhile", remedy: REMEDIES.Conflict },
  forbidden: (message: string) => ({
    seen: message,
    remedy: "have the cluster's administrator apply the roles of this release, with feature externaldns",
  }),
  refused: (message: string) => ({ seen: message, remedy: "correct spec.dnsRecordSet" }),
  unavailable: (message: string) => ({ seen: message, remedy: { operator: TRIES_AGAIN } }),
} as const;

/** How to switch on a feature that the operator runs without. */
export const ENABLE = "have the cluster's administrator add it to features of the chart or construct";

/** Names of the providers with this service, of this release, sorted. */
export function providersOf(service: ProviderService): readonly string[] {
  const known = allProviders().filter(({ services }) => services.includes(service));
  return [...known.map(({ name }) => name), ...(service === "dns" ? [EXTERNAL_DNS] : [])].sort();
}

/** `a`, `a or b`, `one of a, b, c`. */
export function oneOf(names: readonly string[]): string {
  return names.length < 3 ? names.join(" or ") : `one of ${names.join(", ")}`;
}

const SERVICES: Readonly<Record<ProviderService, string>> = {
  addresses: "addresses",
  dns: "DNS records",
  firewalls: "firewalls",
};

/** Where a provider's name is: absent, in the resource that shows the message. */
interface NamedIn {
  /** `namespace/name` of the issuer. */
  readonly issuer?: string;
}

/** `use digitalocean`, for whoever can. */
export function useProvider(service: ProviderService, { issuer }: NamedIn = {}): string {
  const providers = oneOf(providersOf(service));
  return issuer === undefined ? `use ${providers}` : `${authorOf({ issuer })} set spec.provider to ${providers}`;
}

export function authorOf({ issuer }: Required<NamedIn>): string {
  return `have the author of RoutedIPIssuer ${issuer}`;
}

/** `provider "acme"`, with the issuer that names it. */
export function providerText(name: string, { issuer }: NamedIn = {}): string {
  return `provider "${name}"${issuer === undefined ? "" : ` of RoutedIPIssuer ${issuer}`}`;
}

/** Why the operator cannot use a provider for a service: the text and what to do. */
export function unusableProvider(
  name: string,
  service: ProviderService,
  place: NamedIn = {},
): { readonly seen: string; readonly remedy: string } {
  const provider = providerText(name, place);
  if (name === EXTERNAL_DNS && service === "dns") {
    return {
      seen: `${provider} is not set up: the operator runs without feature externaldns`,
      remedy: `${ENABLE}, or name another provider in dnsRecordSet.provider`,
    };
  }
  const facts = providerNamed(name);
  if (facts === undefined) return { seen: `${provider} is unknown`, remedy: useProvider(service, place) };
  if (!facts.services.includes(service)) {
    return { seen: `${provider} has no ${SERVICES[service]}`, remedy: useProvider(service, place) };
  }
  const { tokenVariable } = facts;
  return {
    seen: `${provider} is not set up: the operator has no token for it`,
    remedy: `have the cluster's administrator put one into the operator's Secret as ${tokenVariable} (or into the file of ${tokenVariable}_FILE) and restart the operator`,
  };
}
