/** Providers and accounts: what they lack, and how their calls fail. */

import type { IpFamily, ProviderService, Reason } from "cdk8s-flipop/api";
import type { ProviderErrorKind } from "../providers/errors.js";
import { listed } from "../values.js";
import { pauseRemedy } from "./action-reasons.js";
import {
  CREATE_AGAIN,
  externalDnsFailures,
  type FailureText,
  failedCalls,
  failureText,
  OCCUPIED_NODE,
  providerText,
  REMEDIES,
  startMachine,
  unusableProvider,
  useProvider,
} from "./failed-calls.js";
import { note, type Problem, problem, topic } from "./message.js";

interface Failure {
  /** The provider and the call, what was seen, and what to do: the text of the ProviderError. */
  readonly text: string;
}

interface MissingObject extends Failure {
  /** What the provider does not have. */
  readonly missing: Reason;
}

const said = ({ text }: Failure) => text;
const FOREIGN = { text: said, remedyInText: true } as const;
const assignFailed = (failure: FailureText) =>
  `digitalocean: assign 203.0.113.7 to droplet 12: ${failureText(failure)}`;
const failing = (seen: string, kind: ProviderErrorKind) => ({ text: assignFailed({ seen, remedy: REMEDIES[kind] }) });

interface Named {
  readonly provider: string;
}

interface NeededProvider extends Named {
  readonly service: ProviderService;
}

interface OfIssuer extends Named {
  /** `namespace/name` */
  readonly issuer: string;
}

interface OfNode {
  readonly node: string;
  readonly cause: Problem;
}

/** `current`: the account of the token; absent: the token may not read it. */
type OtherAccount = Named & { readonly recorded: string; readonly current?: string; readonly ips: readonly string[] };

const unusable = (service: ProviderService) => ({
  text: ({ provider }: Named) => unusableProvider(provider, service).seen,
  remedy: ({ provider }: Named) => unusableProvider(provider, service).remedy,
});

export const providerMessages = topic("provider", {
  reachable: note({ reason: "Observed", text: () => "the provider answers" }),
  unknown: problem({
    reason: "UnknownProvider",
    by: "author",
    text: ({ provider, service }: NeededProvider) => unusableProvider(provider, service).seen,
    remedy: ({ provider, service }) => unusableProvider(provider, service).remedy,
    example: { provider: "acme", service: "addresses" },
  }),
  notSetUp: problem({
    reason: "UnknownProvider",
    by: "administrator",
    ...unusable("addresses"),
    example: { provider: "digitalocean" },
  }),
  noDns: problem({
    reason: "UnknownProvider",
    by: "author",
    ...unusable("dns"),
    example: { provider: "acme" },
  }),
  unsupported: problem({
    reason: "Unsupported",
    by: "author",
    text: ({ provider, what }: Named & { readonly what: "DNS" | "addresses" | `${IpFamily} addresses` }) =>
      `provider "${provider}" has no ${what}`,
    remedy: ({ what }) => useProvider(what === "DNS" ? "dns" : "addresses"),
    example: { provider: "cloudflare", what: "IPv4 addresses" },
  }),
  /** A RoutedIP shows it, too, which has no provider field. */
  issuerNotUsable: problem({
    reason: "UnknownProvider",
    by: "cause",
    text: ({ provider, ...place }: OfIssuer) => unusableProvider(provider, "addresses", place).seen,
    remedy: ({ provider, ...place }) => unusableProvider(provider, "addresses", place).remedy,
    example: { provider: "acme", issuer: "ingress/digitalocean" },
  }),
  /** The operator's own token: see `failedCalls.otherAccount` for that of a Secret. */
  otherAccountOfIssuer: problem({
    reason: "Unauthorized",
    by: "administrator",
    text: ({ issuer }: { readonly issuer: string }) =>
      `the operator's own token belongs to another account than that of RoutedIPIssuer ${issuer} (its status.account), so the operator changes nothing there`,
    remedy: `have the cluster's administrator give the operator a token of that account and restart it; or, if all is to move to the other account, ${CREATE_AGAIN}`,
    example: { issuer: "ingress/digitalocean" },
  }),
  /** Of the operator's own token. */
  otherAccount: problem({
    reason: "Unauthorized",
    by: "administrator",
    text: ({ provider, recorded, current, ips }: OtherAccount) =>
      `the operator's token of ${provider} ${current === undefined ? "may not read its account, which has no address of this pool" : `belongs to account ${current}`}, and the addresses of this pool on record (${listed(ips)}) are in account ${recorded}, so the operator changes nothing for this pool`,
    remedy: [
      "have the cluster's administrator set a token of the recorded account and restart the operator",
      "to begin anew in the other account, delete this pool and create it again without these addresses, which stay in the recorded one (the deletion may take an hour)",
    ],
    example: { provider: "digitalocean", recorded: "f81d4fae", current: "0b9d4a52", ips: ["203.0.113.7"] },
  }),
  issuerUnsupported: problem({
    reason: "Unsupported",
    by: "other",
    text: ({ provider, family, ...place }: OfIssuer & { readonly family: IpFamily }) =>
      `${providerText(provider, place)} has no ${family} addresses`,
    remedy: (place) => useProvider("addresses", place),
    example: { provider: "cloudflare", family: "IPv4", issuer: "ingress/digitalocean" },
  }),
  notFound: problem({
    reason: ({ missing }: MissingObject) => missing,
    by: "author",
    text: said,
    remedyInText: true,
    example: {
      missing: "ZoneNotFound",
      text: "digitalocean: read zone example.com: 404; fix: correct dnsRecordSet.zone",
    },
  }),
  kindMissing: problem({
    ...FOREIGN,
    reason: "ProviderUnavailable",
    by: "administrator",
    example: { text: `external-dns: read records of www.example.com: ${failureText(externalDnsFailures.noKind)}` },
  }),
  wrongRegion: problem({
    ...FOREIGN,
    reason: "WrongRegion",
    by: "author",
    example: {
      text: "digitalocean: assign 203.0.113.7 to droplet 12: the droplet is in another region; fix: use an address of that region, or let only nodes of region fra1 match (203.0.113.7 belongs to fra1)",
    },
  }),
  ambiguous: problem({
    ...FOREIGN,
    reason: "Invalid",
    by: "author",
    example: {
      text: "cloudflare: find zone example.com: the token sees several zones of this name; fix: name the zone by its id in dnsRecordSet.zone",
    },
  }),
  recordInTheWay: problem({
    ...FOREIGN,
    reason: "RecordExists",
    by: "account",
    example: {
      text: `cloudflare: create A www.example.com: a CNAME of that name exists; fix: ${REMEDIES.RecordExists}`,
    },
  }),
  conflict: problem({
    ...FOREIGN,
    reason: "ProviderUnavailable",
    by: "operator",
    example: failing("the droplet runs another action", "Conflict"),
  }),
  recordsChanged: problem({
    ...FOREIGN,
    reason: "UnderWay",
    by: "operator",
    example: {
      text: `digitalocean: delete A record 203.0.113.7 of www.example.com: answer 404; ${REMEDIES.RecordsChanged.operator}`,
    },
  }),
  nodeOccupied: problem({
    ...FOREIGN,
    reason: "NoCandidate",
    by: "account",
    example: { text: assignFailed({ seen: "422 Droplet already has a reserved IP", remedy: OCCUPIED_NODE }) },
  }),
  rateLimited: problem({
    ...FOREIGN,
    reason: "RateLimited",
    by: "operator",
    example: {
      text: assignFailed({
        seen: "429 Too Many Requests",
        remedy: pauseRemedy(REMEDIES.RateLimited, { until: Date.parse("2026-01-01T10:02:11Z") }),
      }),
    },
  }),
  unavailable: problem({
    ...FOREIGN,
    reason: "ProviderUnavailable",
    by: "operator",
    example: failing("503 Service Unavailable", "Unavailable"),
  }),
  unauthorized: problem({
    ...FOREIGN,
    reason: "Unauthorized",
    by: "account",
    example: {
      text: `digitalocean: list reserved IPs: 401 Unable to authenticate you; fix: ${failedCalls.checkToken(REMEDIES.Unauthorized, "entry token of Secret web/cloud")}`,
    },
  }),
  quotaExceeded: problem({
    ...FOREIGN,
    reason: "QuotaExceeded",
    by: "account",
    example: failing("the account has 3 addresses, its limit", "QuotaExceeded"),
  }),
  refused: problem({
    ...FOREIGN,
    reason: "Invalid",
    by: "author",
    example: failing("the region does not exist", "Terminal"),
  }),
  actionFailed: problem({
    reason: "ProviderUnavailable",
    by: "operator",
    text: ({ said: words }: { readonly said: string | undefined }) =>
      `the provider's action failed: ${words || "no reason given"}; the operator tries again`,
    remedy: "if this lasts, have the owner of the account check the machine",
    example: { said: "the droplet is off" },
  }),
  ofNode: problem({
    reason: ({ cause }: OfNode) => cause.reason,
    by: "cause",
    text: ({ node, cause }: OfNode) => `node ${node}: ${cause.message}`,
    example: {
      node: "node-3",
      cause: {
        reason: "ProviderUnavailable",
        message: assignFailed({ seen: "answer 422", remedy: startMachine("digitalocean://12", "off") }),
      },
    },
  }),
  addressFor: problem({
    reason: ({ cause }: OfNode) => cause.reason,
    by: "cause",
    text: ({ node, cause }: OfNode) => `an address for node ${node}: ${cause.message}`,
    example: {
      node: "node-3",
      cause: {
        reason: "QuotaExceeded",
        message: `digitalocean: create an IPv4 address on digitalocean://12: the account has 3 addresses, its limit; fix: ${REMEDIES.QuotaExceeded}`,
      },
    },
  }),
  noMachine: problem({
    reason: "NoCandidate",
    by: "administrator",
    text: ({ node, machine }: { readonly node: string | undefined; readonly machine: string }) =>
      `node ${node ?? "unknown"}: the provider has no machine ${machine}, so an address that was on it is on no node until it goes to another one`,
    remedy: "have the cluster's administrator correct the node's providerID, or delete the node",
    example: { node: "node-3", machine: "digitalocean://12" },
  }),
});

/** The API server. */
export const serverMessages = topic("server", {
  secretsForbidden: problem({
    reason: "NamespaceNotAllowed",
    by: "administrator",
    text: ({ issuer, namespace }: { readonly issuer: string; readonly namespace: string }) =>
      `the operator may not read Secrets in namespace ${namespace}, and RoutedIPIssuer ${issuer} needs one`,
    remedy:
      "have the cluster's administrator add the Role and RoleBinding that let the operator list and watch Secrets there; the chart and the construct contain them for each namespace of issuerNamespaces",
    example: { issuer: "ingress/digitalocean", namespace: "ingress" },
  }),
  refused: problem({
    reason: "APIServerRefused",
    by: "administrator",
    text: said,
    remedy: "have the cluster's administrator give the operator the right, or correct what the API server refuses",
    example: { text: 'PATCH floatingippools/web: 403 "cannot patch resource floatingippools"' },
  }),
  unanswered: problem({
    reason: "APIServerUnavailable",
    by: "operator",
    text: ({ text }: Failure) => `${text}; the operator tries the call to the Kubernetes API again`,
    example: { text: "PATCH floatingippools/web: no answer within 10 s" },
  }),
  dropsCreation: problem({
    reason: "CRDTooOld",
    by: "administrator",
    text: () => "the API server drops fields of the status that a creation needs; nothing is created",
    remedy: "have the cluster's administrator apply the CRDs of this release",
  }),
});
